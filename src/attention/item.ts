import type { Environment } from '../core/index.js';

export const KINDS = [
  'rule_spike',
  'exception_ending',
  'replica_behind',
  'budget_forecast',
  'detector_failing',
  'key_expiring',
  'key_unused',
  'review_overdue',
  'emergency_change',
  'trial_ending',
  'marks_open',
] as const;
export type Kind = (typeof KINDS)[number];

export const SEVERITIES = ['critical', 'warn', 'info'] as const;
export type Severity = (typeof SEVERITIES)[number];

/** One entry that needs attention. */
export interface Item {
  /** Stable as long as the cause is the same; snoozes refer to it. */
  readonly id: string;
  readonly kind: Kind;
  readonly severity: Severity;
  /** Null: the entry does not belong to a single environment. */
  readonly environment: Environment | null;
  /** Names and figures for the text that a client shows. */
  readonly args: Readonly<Record<string, string | number | null>>;
  readonly count: number | null;
  readonly sinceMs: number | null;
  /** A page of the dashboard. */
  readonly link: string | null;
}

/** Sorts the worst first, then the newest. */
export function ordered(items: readonly Item[]): Item[] {
  return [...items].sort(
    (a, b) =>
      SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity) ||
      (b.sinceMs ?? 0) - (a.sinceMs ?? 0) ||
      (a.id < b.id ? -1 : 1),
  );
}

export function itemId(kind: Kind, ...parts: readonly string[]): string {
  return [kind, ...parts].join(':');
}
