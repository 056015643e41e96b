/**
 * One event as it is shown: the record of the API, of exports and of the dashboard. Here and nowhere else a row of the
 * log becomes a record; the way in is `event-row.ts`.
 */
import type {
  ContentCapture,
  DecisionAction,
  Environment,
  ExceptedInCall,
  JsonValue,
  RedactionCount,
  StoredMask,
  UnreadReason,
  Violation,
} from '../../core/index.js';
import type { DetectorRecord, EventSource, EventType } from '../event.js';
import { outcomeOf, type Outcome } from '../outcome.js';

export interface EventRecord {
  /** The server's id, a UUIDv7. */
  readonly id: string;
  /** The client's id, else equal to `id`. */
  readonly event_id: string;
  readonly type: EventType;
  readonly app: { readonly id: string; readonly name: string | null };
  readonly key_id: string;
  /** The effective one: the key's. */
  readonly environment: Environment;
  readonly declared_environment: Environment;
  readonly source: EventSource;
  readonly request_id: string | null;
  /** The event that caused this one. */
  readonly parent_id: string | null;
  readonly session_id: string | null;
  readonly provider: string | null;
  readonly model: string | null;
  readonly metadata: JsonValue;
  /** As stored; see `capture`. */
  readonly payload: JsonValue;
  readonly capture: ContentCapture;
  /** Where something is masked in the payload; null where that is not known. */
  readonly masks: readonly StoredMask[] | null;
  /** Of how many masked places `masks` does not tell. */
  readonly masks_left_out: number;
  /** A line of the stored text; null where there is none. */
  readonly excerpt: string | null;
  readonly decision: DecisionAction | null;
  /** A block's reason, or an error's type. */
  readonly reason: string | null;
  /** What came of it, in one word; null for events that tell about another one. */
  readonly outcome: Outcome | null;
  readonly violations: readonly Violation[];
  /** Rules that matched and that an exception let go. */
  readonly excepted: readonly ExceptedInCall[];
  readonly redactions: readonly RedactionCount[];
  /** What of the call could be neither recognised nor read. */
  readonly unread: readonly UnreadRecord[];
  readonly usage: UsageRecord | null;
  /** Integer nano-dollars as text: exact at any size. */
  readonly cost_nano_usd: string | null;
  readonly price_version: string | null;
  readonly latency_ms: {
    readonly total: number | null;
    readonly provider: number | null;
    readonly weir: number | null;
  };
  readonly policy: { readonly id: string; readonly digest: string | null; readonly version: string | null } | null;
  readonly detectors: readonly DetectorRecord[];
  readonly facts: JsonValue;
  readonly upstream_status: number | null;
  /** RFC 3339, UTC, milliseconds. */
  readonly received_at: string;
}

/** A record without what is large. */
export type EventSummary = Omit<EventRecord, 'payload' | 'facts' | 'detectors' | 'unread' | 'masks' | 'masks_left_out'>;

/** As `event-row.ts` writes them. */
interface KeptMasks {
  readonly masks: readonly StoredMask[];
  readonly left_out: number;
}

export interface UnreadRecord {
  readonly path: string;
  readonly why: UnreadReason;
  readonly bytes: number;
}

export interface UsageRecord {
  readonly prompt_tokens: number | null;
  readonly completion_tokens: number | null;
  readonly cache_read_tokens: number | null;
  readonly cache_write_tokens: number | null;
  readonly cache_write_1h_tokens: number | null;
  readonly reasoning_tokens: number | null;
  /** What is billed beside plain tokens. */
  readonly other: JsonValue;
  /** True for Weir's own estimate, where the provider did not come to report its counts. */
  readonly estimated: boolean;
}

/** A row as `RECORD_COLUMNS` selects it: JSON, money and ids as text, counts as numbers. */
export interface EventRow extends Record<string, unknown> {
  readonly id: string;
  readonly event_id: string;
  readonly type: EventType;
  readonly app_id: string;
  readonly app_name: string | null;
  readonly key_id: string;
  readonly environment: Environment;
  readonly declared_environment: Environment;
  readonly source: EventSource;
  readonly request_id: string | null;
  readonly parent_id: string | null;
  readonly session_id: string | null;
  readonly provider: string | null;
  readonly model: string | null;
  readonly metadata: string | null;
  readonly payload: string | null;
  readonly capture: ContentCapture;
  readonly masks: string | null;
  readonly excerpt: string | null;
  readonly decision: DecisionAction | null;
  readonly reason: string | null;
  readonly violations: string;
  readonly excepted: string | null;
  readonly redactions: string;
  readonly prompt_tokens: number | null;
  readonly completion_tokens: number | null;
  readonly cache_read_tokens: number | null;
  readonly cache_write_tokens: number | null;
  readonly cache_write_1h_tokens: number | null;
  readonly reasoning_tokens: number | null;
  readonly usage_other: string | null;
  readonly usage_estimated: boolean | null;
  readonly cost_nano_usd: string | null;
  readonly price_version: string | null;
  readonly latency_total_ms: number | null;
  readonly latency_provider_ms: number | null;
  readonly latency_weir_ms: number | null;
  readonly policy_id: string | null;
  readonly policy_digest: string | null;
  readonly policy_version: string | null;
  readonly detectors: string;
  readonly facts: string | null;
  readonly upstream_status: number | null;
  readonly received_at_ms: number;
}

const PLAIN = [
  ...['event_id', 'type', 'key_id', 'environment', 'declared_environment', 'source', 'request_id', 'session_id'],
  ...['provider', 'model', 'capture', 'decision', 'reason', 'price_version', 'policy_id', 'policy_digest'],
  ...[
    'policy_version',
    'latency_total_ms',
    'latency_provider_ms',
    'latency_weir_ms',
    'upstream_status',
    'usage_estimated',
    'excerpt',
  ],
];
const CAST_TO_TEXT = [
  ...['id', 'app_id', 'parent_id', 'metadata', 'payload', 'violations', 'redactions', 'cost_nano_usd', 'detectors'],
  ...['facts', 'usage_other', 'masks', 'excepted'],
];
const CAST_TO_NUMBER = [
  ...['prompt_tokens', 'completion_tokens', 'cache_read_tokens', 'cache_write_tokens', 'cache_write_1h_tokens'],
  'reasoning_tokens',
];

/** What a query selects from `events e LEFT JOIN apps a` to get `EventRow`s. */
export const RECORD_COLUMNS = [
  ...PLAIN.map((name) => `e.${name}`),
  ...CAST_TO_TEXT.map((name) => `e.${name}::text AS ${name}`),
  ...CAST_TO_NUMBER.map((name) => `e.${name}::double precision AS ${name}`),
  'a.name AS app_name',
  'floor(extract(epoch FROM e.received_at) * 1000)::double precision AS received_at_ms',
].join(', ');

const LARGE = ['payload', 'facts', 'detectors', 'masks'];

/** The same without what is large: none of it is read. */
export const SUMMARY_COLUMNS = RECORD_COLUMNS.split(', ')
  .filter((column) => !LARGE.some((name) => column.endsWith(` AS ${name}`)))
  .join(', ');

/** Makes the summary of a row of `SUMMARY_COLUMNS`. */
export function eventSummary(row: Omit<EventRow, 'payload' | 'facts' | 'detectors' | 'masks'>): EventSummary {
  const record = eventRecord({ ...row, payload: null, facts: null, detectors: '[]', masks: null } as EventRow);
  const { payload: _payload, facts: _facts, detectors: _detectors, unread: _unread, ...rest } = record;
  const { masks: _masks, masks_left_out: _leftOut, ...summary } = rest;
  return summary;
}

export type UsageColumns = Pick<
  EventRow,
  | 'prompt_tokens'
  | 'completion_tokens'
  | 'cache_read_tokens'
  | 'cache_write_tokens'
  | 'cache_write_1h_tokens'
  | 'reasoning_tokens'
  | 'usage_other'
  | 'usage_estimated'
>;

/** What the column holds, as `event-row.ts` writes it. */
export function exceptedOf({ excepted }: Pick<EventRow, 'excepted'>): ExceptedInCall[] {
  return excepted === null ? [] : (JSON.parse(excepted) as ExceptedInCall[]);
}

/** Makes the record of a row. */
export function eventRecord(row: EventRow): EventRecord {
  const violations = JSON.parse(row.violations) as Violation[];
  const told = row.masks === null ? undefined : (JSON.parse(row.masks) as KeptMasks);
  return {
    id: row.id,
    event_id: row.event_id,
    type: row.type,
    app: { id: row.app_id, name: row.app_name },
    key_id: row.key_id,
    environment: row.environment,
    declared_environment: row.declared_environment,
    source: row.source,
    request_id: row.request_id,
    parent_id: row.parent_id,
    session_id: row.session_id,
    provider: row.provider,
    model: row.model,
    metadata: exactJson(row.metadata),
    payload: exactJson(row.payload),
    capture: row.capture,
    masks: told?.masks ?? null,
    masks_left_out: told?.left_out ?? 0,
    excerpt: row.excerpt,
    decision: row.decision,
    reason: row.reason,
    outcome: outcomeOf({ ...row, violations }),
    violations,
    excepted: exceptedOf(row),
    redactions: JSON.parse(row.redactions) as RedactionCount[],
    unread: unreadOf(row.facts),
    usage: usageRecord(row),
    cost_nano_usd: row.cost_nano_usd,
    price_version: row.price_version,
    latency_ms: { total: row.latency_total_ms, provider: row.latency_provider_ms, weir: row.latency_weir_ms },
    policy:
      row.policy_id === null ? null : { id: row.policy_id, digest: row.policy_digest, version: row.policy_version },
    detectors: JSON.parse(row.detectors) as DetectorRecord[],
    facts: exactJson(row.facts),
    upstream_status: row.upstream_status,
    received_at: new Date(row.received_at_ms).toISOString(),
  };
}

/** It stands among the facts of the stages that judged the call, in each of them. */
function unreadOf(facts: string | null): readonly UnreadRecord[] {
  if (facts === null || !facts.includes('"unread"')) return [];
  const { stages = [] } = JSON.parse(facts) as { stages?: readonly { contents?: { unread?: UnreadRecord[] } }[] };
  return stages.find(({ contents }) => contents !== undefined)?.contents?.unread ?? [];
}

export function usageRecord(row: UsageColumns): UsageRecord | null {
  const { prompt_tokens, completion_tokens, cache_read_tokens, cache_write_tokens, reasoning_tokens } = row;
  const { cache_write_1h_tokens } = row;
  const cached = { cache_read_tokens, cache_write_tokens, cache_write_1h_tokens };
  const usage = { prompt_tokens, completion_tokens, ...cached, reasoning_tokens };
  if (Object.values(usage).every((count) => count === null)) return null;
  return { ...usage, other: exactJson(row.usage_other), estimated: row.usage_estimated === true };
}

/** `JSON.rawJSON` and the reviver's `source`: https://tc39.es/proposal-json-parse-with-source/ */
type Reviver = (this: unknown, key: string, value: unknown, context: { readonly source?: string }) => unknown;
interface JsonWithSource {
  parse(text: string, reviver: Reviver): unknown;
  rawJSON(text: string): object;
}
const json = JSON as unknown as JsonWithSource;

/** A number that may come out of `JSON.parse` other than it went in. Cheaper than to ask for each. */
const RISKY_NUMBER = /\d{16}|\d[.eE]|-0/;

/**
 * Parses what was stored so that `JSON.stringify` writes every number as it was: a log must not round
 * `12345678901234567890` or turn `1.10` into `1.1`. Such a number becomes an object that only `JSON.stringify` reads.
 */
function exactJson(text: string | null): JsonValue {
  if (text === null) {
    return null;
  }
  if (!RISKY_NUMBER.test(text)) {
    return JSON.parse(text) as JsonValue;
  }
  return json.parse(text, (_key, value, { source }) =>
    typeof value === 'number' && source !== undefined && String(value) !== source ? json.rawJSON(source) : value,
  ) as JsonValue;
}
