/** All places in the database that may contain data of a person: every table, with the effect of an erasure on it. */
import type { SqlRow } from '../database/index.js';

/** The counts of an erasure, with the meaning of each. */
export const PLACES = {
  events: 'emptied events, whose rows stay with time, app, model, decision, tokens and cost',
  bodies: 'emptied events that had a body',
  metadata: 'emptied events that had metadata',
  remembered_answers: 'deleted answers, which were stored for retries with the same `event_id`',
  sessions: 'session totals in which the id of the session was replaced',
  session_states: 'deleted session states, which rules read',
  mark_notes: 'deleted notes on decisions; the marks stay',
  reservations: "budget reservations from which the client's request id was deleted; the amounts stay",
  budget_labels: 'budget windows whose label named the person and was emptied; the amounts stay',
  budget_reasons: 'replaced reasons of adjustments, which named the person',
  export_files: 'deleted export files, which may have contained data of the person',
  exports_cancelled: 'cancelled exports, which were being written',
  export_filters:
    'exports and schedules whose filters named the person; the filters are removed and the schedules paused',
  views: 'deleted saved views, whose filters named the person',
  archive_parts: 'parts of the archive that were rewritten',
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
  app_refusals: SUMS,
  call_gap_sweeps: OWN,
  event_weeks: 'the weeks of the log',
  readiness_probes: OWN,
  migrations: OWN,
  erasures: 'searched values as keyed hashes; the values themselves, encrypted, until the erasure has ended',
};
