/** One event as a row: every column with the way in. The way out is `event-record.ts`. */
import type { OtherUsage, StoredMarks } from '../core/index.js';
import type { NewEvent } from './event.js';
import { outcomeOfNew } from './outcome.js';
import { metadataIndex, storable } from './search-index.js';

interface Column {
  readonly name: string;
  /** The column's type: values travel as text and are cast by the database. */
  readonly type: string;
  readonly value: (event: NewEvent) => string | null;
}

/** An empty value is stored as none: `string_to_array` cannot tell a single empty value from no value. */
const orNone = (value: string): string | null => (value === '' ? null : value);

const text = (name: string, read: (event: NewEvent) => string | undefined): Column => ({
  name,
  type: 'text',
  value: (event) => {
    const value = read(event);
    return value === undefined ? null : orNone(storable(value));
  },
});

const other = (
  name: string,
  type: string,
  read: (event: NewEvent) => string | number | boolean | undefined | null,
): Column => ({
  name,
  type,
  value: (event) => {
    const value = read(event);
    return value === undefined || value === null ? null : orNone(String(value));
  },
});

/** All columns of `events` but `event_id_claimed` and those of the call, which the statement itself knows. */
export const EVENT_COLUMNS: readonly Column[] = [
  other('account_id', 'uuid', (event) => event.accountId),
  other('id', 'uuid', (event) => event.id),
  text('event_id', (event) => event.eventId),
  text('type', (event) => event.type),
  other('app_id', 'uuid', (event) => event.appId),
  text('key_id', (event) => event.keyId),
  text('environment', (event) => event.environment),
  text('declared_environment', (event) => event.declaredEnvironment),
  text('source', (event) => event.source),
  text('request_id', (event) => event.requestId),
  other('parent_id', 'uuid', (event) => event.parentId),
  text('session_id', (event) => event.sessionId),
  text('provider', (event) => event.provider),
  text('model', (event) => event.model),
  other('metadata', 'json', (event) => event.metadata),
  other('metadata_index', 'jsonb', (event) => metadataIndex(event.metadata)),
  other('payload', 'json', (event) => event.payload),
  text('capture', (event) => event.capture),
  other('masks', 'json', ({ marks }) => (marks === undefined ? undefined : masksJson(marks))),
  text('excerpt', (event) => event.marks?.excerpt),
  text('decision', (event) => event.decision),
  text('reason', (event) => event.reason),
  other('outcome', 'text', (event) => outcomeOfNew(event)),
  other('violations', 'json', (event) => JSON.stringify(event.violations)),
  other('rules', 'text[]', (event) => arrayLiteral(event.violations.map(({ rule }) => rule))),
  other('excepted', 'json', ({ excepted }) => (excepted === undefined ? undefined : JSON.stringify(excepted))),
  other('redactions', 'json', (event) => JSON.stringify(event.redactions)),
  other('prompt_tokens', 'bigint', (event) => event.usage?.promptTokens),
  other('completion_tokens', 'bigint', (event) => event.usage?.completionTokens),
  other('cache_read_tokens', 'bigint', (event) => event.usage?.cacheReadTokens),
  other('cache_write_tokens', 'bigint', (event) => event.usage?.cacheWriteTokens),
  other('cache_write_1h_tokens', 'bigint', (event) => event.usage?.cacheWrite1hTokens),
  other('reasoning_tokens', 'bigint', (event) => event.usage?.reasoningTokens),
  other('usage_estimated', 'boolean', (event) => event.usage?.estimated),
  other('usage_other', 'json', ({ usage }) => (usage?.other === undefined ? undefined : otherUsageJson(usage.other))),
  other('cost_nano_usd', 'numeric', (event) => event.costNanoUsd),
  text('price_version', (event) => event.priceVersion),
  other('latency_total_ms', 'double precision', (event) => event.latencyMs?.total),
  other('latency_provider_ms', 'double precision', (event) => event.latencyMs?.provider),
  other('latency_weir_ms', 'double precision', (event) => event.latencyMs?.weir),
  text('policy_id', (event) => event.policyId),
  text('policy_digest', (event) => event.policyDigest),
  text('policy_version', (event) => event.policyVersion),
  other('detectors', 'json', (event) => JSON.stringify(event.detectors)),
  other('facts', 'json', (event) => event.facts),
  other('upstream_status', 'integer', (event) => event.upstreamStatus),
  other('received_at', 'timestamptz', (event) => event.receivedAt.toISOString()),
];

/** The values of one event in the order of `EVENT_COLUMNS`, and their length in UTF-16 units. */
export function eventRow(event: NewEvent): { values: (string | null)[]; size: number } {
  const values = EVENT_COLUMNS.map((column) => column.value(event));
  return { values, size: values.reduce((sum, value) => sum + (value?.length ?? 0), 0) };
}

/** Of how many nothing is told stands in it, too. */
function masksJson({ masks, masksLeftOut }: StoredMarks): string {
  return JSON.stringify({ masks, left_out: masksLeftOut });
}

/** With the names of the API. */
function otherUsageJson(other: OtherUsage): string {
  return JSON.stringify({
    service_tier: other.serviceTier,
    audio_input_tokens: other.audioInputTokens,
    audio_output_tokens: other.audioOutputTokens,
    web_searches: other.webSearches,
    file_searches: other.fileSearches,
    unknown_fees: other.unknownFees,
  });
}

/** PostgreSQL's text form of an array; null for an empty one, which no filter looks for. */
function arrayLiteral(items: readonly string[]): string | null {
  if (items.length === 0) {
    return null;
  }
  const quoted = [...new Set(items)].map((item) => `"${storable(item).replace(/["\\]/g, '\\$&')}"`);
  return `{${quoted.join(',')}}`;
}
