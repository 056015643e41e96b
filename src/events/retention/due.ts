/** The events of an environment in a week that are due for deletion, and those that are held. */
import { ENVIRONMENTS, type LegalHold, type Retention } from '../../core/index.js';
import type { RetentionOf } from '../../deployments/index.js';
import { WEEK_MS, type Week } from '../partitions.js';
import type { WeekPart } from './week-parts.js';

const DAY_MS = 86_400_000;

export interface Due extends WeekPart {
  readonly texts: boolean;
  readonly records: boolean;
  /** Legal holds in force; empty if nothing is due. */
  readonly holds: readonly LegalHold[];
  /** Name of the action; two names are equal exactly if the actions are the same. */
  readonly name: string;
}

/** A week is due as a whole, counted from its end: no event is deleted early, and each is deleted at most a week late. */
export function dueOf(part: WeekPart, week: Week, retentionOf: RetentionOf, nowMs: number): Due {
  const kept = retentionOf(part.accountId, part.environment);
  const isOver = (days: number | undefined): boolean =>
    days !== undefined && week.startMs + WEEK_MS + days * DAY_MS <= nowMs;
  const { contentDays, recordsDays, holds } = kept === 'unknown' || kept === undefined ? NOTHING : kept;
  const records = isOver(recordsDays);
  // The texts of a deleted event are deleted with it.
  const texts = records || isOver(contentDays);
  const inForce = texts ? holds.filter(({ untilMs }) => untilMs > nowMs) : [];
  const name = texts ? JSON.stringify([records, inForce.map(({ id, match }) => [id, match])]) : '';
  return { ...part, texts, records, holds: inForce, name };
}

/** All parts that the accounts can have in a week, if all events in them are due for deletion and none is held. */
export function whollyDue(
  accountIds: readonly string[],
  week: Week,
  retentionOf: RetentionOf,
  nowMs: number,
): readonly Due[] | undefined {
  const all = accountIds.flatMap((accountId) =>
    ENVIRONMENTS.map((environment) => dueOf({ accountId, environment, settled: '' }, week, retentionOf, nowMs)),
  );
  return all.every(({ records, holds }) => records && holds.length === 0) ? all : undefined;
}

const NOTHING: Retention = { holds: [] };
