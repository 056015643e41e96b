/**
 * Deletes expired events and texts, in whole weeks, except those under a legal hold. The due times are computed from the active policies.
 */

/** What of an environment's events in a week is due, and what is held. */
import type { LegalHold, Retention } from '../../core/index.js';
import type { KeptFor } from '../../deployments/index.js';
import { WEEK_MS, type Week } from '../partitions.js';
import type { KeptPart } from './kept-weeks.js';

const DAY_MS = 86_400_000;

export interface Due extends KeptPart {
  readonly texts: boolean;
  readonly records: boolean;
  /** Those in force; none where nothing is due. */
  readonly holds: readonly LegalHold[];
  /** Equal exactly when the same is to be done. */
  readonly name: string;
}

/** A week is due as a whole, by its last event: nothing goes too early, and everything within a week. */
export function dueOf(part: KeptPart, week: Week, keptFor: KeptFor, nowMs: number): Due {
  const kept = keptFor(part.accountId, part.environment);
  const isOver = (days: number | undefined): boolean =>
    days !== undefined && week.startMs + WEEK_MS + days * DAY_MS <= nowMs;
  const { contentDays, recordsDays, holds } = kept === 'unknown' || kept === undefined ? NOTHING : kept;
  const records = isOver(recordsDays);
  // No text is left of an event that is gone.
  const texts = records || isOver(contentDays);
  const inForce = texts ? holds.filter(({ untilMs }) => untilMs > nowMs) : [];
  const name = texts ? JSON.stringify([records, inForce.map(({ id, match }) => [id, match])]) : '';
  return { ...part, texts, records, holds: inForce, name };
}

const NOTHING: Retention = { holds: [] };
