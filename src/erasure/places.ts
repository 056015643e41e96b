/** All places in the database that may contain data of a person: every table, with the effect of an erasure on it. */
import type { SqlRow } from '../database/index.js';

/** The counts of an erasure, with the meaning of each. */
export const PLACES = {
  events: 'events that were emptied: rows stay, with time, app, model, decision, tokens and cost',
  bodies: 'events among these with a body',
  metadata: 'events among these with metadata',
  remembered_answers: 'answers that were stored for retries with the same `event_id`, deleted',
  sessions: 'totals of sessions whose id was replaced',
  session_states: 'session states of rules, deleted',
  mark_notes: 'notes on decisions, deleted; the marks stay',
  reservations: "reservations of budgets whose client's request id was deleted; amounts stay",
  budget_labels: 'windows of budgets whose label named the person; amounts stay',
  budget_reasons: 'reasons of adjustments that named the person, replaced',
  export_files: 'export files that may contain data of the person, deleted',
  exports_cancelled: 'exports that were being written, cancelled',
  export_filters: 'exports and schedules whose filters named the person; schedules are paused',
  views: 'saved views whose filters named the person, deleted',
  archive_parts: 'rewritten parts of the archive',
  held: 'matching events that stay unchanged because a legal hold covers their calls',
} as const satisfies Record<string, string>;

export type Place = keyof typeof PLACES;
export type Counts = Partial<Record<Place, number>>;

export const PLACE_NAMES = Object.keys(PLACES) as readonly Place[];

/** The sum of two sets of counts. */
export function added(before: Counts, more: Counts): Counts {
  return Object.fromEntries(
    PLACE_NAMES.flatMap((place) => {
      const sum = (before[place] ?? 0) + (more[place] ?? 0);
      return sum === 0 ? [] : [[place, sum]];
    }),
  );
}

export function countOf(row: (SqlRow & { readonly n: number }) | undefined): number {
  return row?.n ?? 0;
}

/**
 * Every table is listed either here, as emptied by an erasure, or below, with the reason why it contains no data of a person whose
 * calls are recorded. `test/integration/erasure-places.spec.ts` checks this for new tables.
 */
export const EMPTIED: readonly string[] = [
  ...['events', 'archive_parts', 'event_ids', 'event_marks', 'session_rollups', 'session_histories'],
  ...['budget_periods', 'budget_entries', 'budget_reservations'],
  ...['exports', 'export_parts', 'export_schedules', 'saved_views'],
];

const PEOPLE = 'people who manage the account, not people whose calls are recorded';
const SUMS = 'sums by app, key, model, rule and time';
const POLICIES = 'deployed policy files: an append-only history';
const OWN = 'operational data of the service itself';

export const LEFT: Readonly<Record<string, string>> = {
  accounts: PEOPLE,
  people: PEOPLE,
  memberships: PEOPLE,
  sessions: PEOPLE,
  email_tokens: PEOPLE,
  mail_outbox: PEOPLE,
  subscriptions: PEOPLE,
  stripe_subscriptions: PEOPLE,
  attention_snoozes: PEOPLE,
  apps: 'names of programs',
  api_keys: 'names and hashes of keys',
  management_tokens: 'names and hashes of tokens',
  account_secrets: 'random keys',
  admin_actions: 'administrative changes of the account: an append-only history that never contains values of filters',
  policy_bundles: POLICIES,
  policy_deployments: POLICIES,
  policy_activations: POLICIES,
  policy_replicas: OWN,
  event_rollups: SUMS,
  latency_rollups: SUMS,
  rule_rollups: SUMS,
  exception_rollups: SUMS,
  call_refusals: SUMS,
  call_gap_sweeps: OWN,
  event_weeks: 'the weeks of the log',
  readiness_probes: OWN,
  migrations: OWN,
  erasures: 'searched values as keyed hashes; the values themselves, encrypted, until the erasure has ended',
};
