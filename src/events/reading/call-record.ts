/** A call as one record: the data of its first event, with additions from its answers and errors. */
import type { DecisionAction, Violation } from '../../core/index.js';
import { strongerOf, type Outcome } from '../outcome.js';
import { exceptedOf, usageRecord, type UsageColumns, type UsageRecord } from '../fields/event-fields.js';
import type { EventRecord, EventSummary } from './event-record.js';

/** A later event of a call, as selected by `ANSWER_COLUMNS`. */
export interface AnswerRow extends Record<string, unknown>, UsageColumns {
  readonly call_id: string;
  readonly outcome: Outcome | null;
  readonly decision: DecisionAction | null;
  readonly reason: string | null;
  readonly violations: string;
  readonly excepted: string | null;
  readonly cost_nano_usd: string | null;
  readonly price_version: string | null;
  readonly latency_total_ms: number | null;
  readonly latency_provider_ms: number | null;
  readonly latency_weir_ms: number | null;
  readonly upstream_status: number | null;
}

const COUNTS = [
  ...['prompt_tokens', 'completion_tokens', 'cache_read_tokens', 'cache_write_tokens', 'cache_write_1h_tokens'],
  'reasoning_tokens',
];

/** The select list of a query on `events e` that returns `AnswerRow`s. */
export const ANSWER_COLUMNS = [
  ...['call_id', 'violations', 'excepted', 'cost_nano_usd', 'usage_other'].map((name) => `e.${name}::text AS ${name}`),
  ...COUNTS.map((name) => `e.${name}::double precision AS ${name}`),
  ...[
    'outcome',
    'decision',
    'reason',
    'price_version',
    'latency_total_ms',
    'latency_provider_ms',
    'latency_weir_ms',
  ].map((name) => `e.${name}`),
  ...['upstream_status', 'usage_estimated'].map((name) => `e.${name}`),
].join(', ');

/**
 * Merges the events of a call: sums of cost and tokens, the violations of all events, and decision and reason of the event with the
 * strongest outcome. The times are those of the last event, which ends the call.
 */
export function callRecord<T extends EventRecord | EventSummary>(first: T, answers: readonly AnswerRow[]): T {
  return answers.reduce<T>((call, row) => {
    const isStronger =
      row.outcome !== null && (call.outcome === null || strongerOf(row.outcome, call.outcome) === row.outcome);
    const judged = isStronger ? { outcome: row.outcome, decision: row.decision, reason: row.reason } : {};
    return {
      ...call,
      ...judged,
      violations: [...call.violations, ...(JSON.parse(row.violations) as Violation[])],
      excepted: [...call.excepted, ...exceptedOf(row)],
      usage: usageSum(call.usage, usageRecord(row)),
      cost_nano_usd: sum(call.cost_nano_usd, row.cost_nano_usd),
      price_version: row.price_version ?? call.price_version,
      latency_ms: {
        total: row.latency_total_ms ?? call.latency_ms.total,
        provider: row.latency_provider_ms ?? call.latency_ms.provider,
        weir: row.latency_weir_ms ?? call.latency_ms.weir,
      },
      upstream_status: row.upstream_status ?? call.upstream_status,
    };
  }, first);
}

function sum(one: string | null, other: string | null): string | null {
  if (one === null || other === null) return one ?? other;
  return String(BigInt(one) + BigInt(other));
}

function usageSum(one: UsageRecord | null, other: UsageRecord | null): UsageRecord | null {
  if (one === null || other === null) return one ?? other;
  const added = (name: Exclude<keyof UsageRecord, 'other' | 'estimated'>): number | null =>
    one[name] === null ? other[name] : one[name] + (other[name] ?? 0);
  return {
    prompt_tokens: added('prompt_tokens'),
    completion_tokens: added('completion_tokens'),
    cache_read_tokens: added('cache_read_tokens'),
    cache_write_tokens: added('cache_write_tokens'),
    cache_write_1h_tokens: added('cache_write_1h_tokens'),
    reasoning_tokens: added('reasoning_tokens'),
    other: other.other ?? one.other,
    estimated: one.estimated || other.estimated,
  };
}
