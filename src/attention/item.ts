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
  /** The same as long as it is the same thing: what snoozing goes by. */
  readonly id: string;
  readonly kind: Kind;
  readonly severity: Severity;
  /** Null: of no environment alone. */
  readonly environment: Environment | null;
  /** Names and figures for the sentence that a client makes of it. */
  readonly args: Readonly<Record<string, string | number | null>>;
  readonly count: number | null;
  readonly sinceMs: number | null;
  /** A page of the dashboard. */
  readonly link: string | null;
}

/** The worst first, then what is new. */
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
