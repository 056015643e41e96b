/**
 * Every visible field of an event, in the order of the API: its type, its source, and its form in files. The record's type, the JSON
 * Schema of the API and the columns of CSV and Parquet are derived from this list; the columns of the log are in `event-columns.ts`.
 * Fields with a single unchanged value are defined completely in `event-values.ts`.
 */
import { z } from 'zod';
import {
  ENVIRONMENTS,
  type ExceptedInCall,
  type JsonValue,
  type RedactionCount,
  type StoredMask,
  type UnreadReason,
  type Violation,
} from '../../core/index.js';
import { EVENT_SOURCES, type DetectorRecord } from '../event.js';
import { outcomeOf, OUTCOMES } from '../outcome.js';
import { DECISIONS, EVENT_TYPES } from '../event.js';
import type { EventRow } from './event-columns.js';
import { count, DETECTOR, EXCEPTED, MASK, REDACTION, text, UNREAD, USAGE, VIOLATION } from './event-shapes.js';
import { exactJson } from './exact-json.js';
import { SHOWN_VALUES } from './event-values.js';
import { made } from './field.js';
import { same } from './same-field.js';

const id = z.string();

/** Fields with a fixed position among the others; further ones come last. */
const {
  request_id,
  parent_id,
  session_id,
  provider,
  model,
  reason,
  cost_nano_usd,
  price_version,
  upstream_status,
  ...furtherValues
} = SHOWN_VALUES;

export const FIELDS = {
  id: same(z.uuid().describe('Id of the event in the service, a UUIDv7.'), { file: 'text' }),
  event_id: same(id.describe('Id that the client gave the event; the same as `id` if the client sent none.'), {
    file: 'text',
  }),
  type: same(z.enum(EVENT_TYPES), { file: 'text' }),
  app: made(z.strictObject({ id: z.uuid(), name: text }), (row) => ({ id: row.app_id, name: row.app_name }), {
    file: [
      { name: 'app_id', type: 'text', value: (app) => app.id },
      { name: 'app_name', type: 'text', value: (app) => app.name },
    ],
  }),
  key_id: same(id, { file: 'text' }),
  environment: same(z.enum(ENVIRONMENTS).describe("The effective environment, which is the key's environment."), {
    file: 'text',
  }),
  declared_environment: same(z.enum(ENVIRONMENTS), { file: 'text' }),
  source: same(z.enum(EVENT_SOURCES), { file: 'text' }),
  request_id,
  parent_id,
  session_id,
  provider,
  model,
  metadata: made(z.record(z.string(), z.unknown()).nullable(), (row): JsonValue => exactJson(row.metadata), {
    file: 'json',
  }),
  payload: made(
    z.unknown().describe('Stored payload; `capture` shows whether it is redacted, complete or left out.'),
    (row): JsonValue => exactJson(row.payload),
    {
      ...{ large: ['payload'], file: 'json' },
    },
  ),
  capture: same(z.enum(['redacted', 'full', 'none'])),
  masks: made(
    z
      .array(MASK)
      .nullable()
      .describe(
        'Masked places in the payload. Null if they are unknown, because no text is stored or an earlier version of Weir stored the event.',
      ),
    (row): readonly StoredMask[] | null => keptMasks(row)?.masks ?? null,
    { large: ['masks'] },
  ),
  masks_left_out: made(
    z
      .int()
      .describe(
        'Number of masked places that are not in `masks`, because they have no path or come after the first 1,000.',
      ),
    (row): number => keptMasks(row)?.left_out ?? 0,
    { large: ['masks'] },
  ),
  excerpt: same(text.describe('A line of the stored text, at most 160 characters; null if no text is stored.')),
  decision: same(z.enum(DECISIONS).nullable(), { file: 'text' }),
  reason,
  outcome: made(
    z
      .enum(OUTCOMES)
      .nullable()
      .describe('Outcome of the event in one word; null if the event only reports on another event.'),
    (row) => outcomeOf({ ...row, violations: violationsOf(row) }),
  ),
  violations: made(z.array(VIOLATION), violationsOf, {
    file: [
      { name: 'rules', type: 'list', value: (violations) => violations.map(({ rule }) => rule) },
      { name: 'violations', type: 'text', value: (violations) => JSON.stringify(violations) },
    ],
  }),
  excepted: made(
    z.array(EXCEPTED).describe('Rules that matched and were weakened by an exception of the policy.'),
    exceptedOf,
  ),
  redactions: made(z.array(REDACTION), (row) => JSON.parse(row.redactions) as readonly RedactionCount[], {
    file: 'json',
  }),
  unread: made(
    z
      .array(UNREAD)
      .describe('Parts of the call that could be neither recognised nor read; see `unread` in the policy.'),
    (row) => unreadOf(row.facts),
    { large: ['facts'] },
  ),
  usage: made(USAGE.nullable(), usageRecord, {
    file: [
      { name: 'prompt_tokens', type: 'int', value: (usage) => usage?.prompt_tokens },
      { name: 'completion_tokens', type: 'int', value: (usage) => usage?.completion_tokens },
    ],
  }),
  cost_nano_usd,
  price_version,
  latency_ms: made(
    z.strictObject({ total: count, provider: count, weir: count }),
    (row) => ({ total: row.latency_total_ms, provider: row.latency_provider_ms, weir: row.latency_weir_ms }),
    {
      file: [
        { name: 'latency_total_ms', type: 'double', value: ({ total }) => total },
        { name: 'latency_provider_ms', type: 'double', value: ({ provider }) => provider },
        { name: 'latency_weir_ms', type: 'double', value: ({ weir }) => weir },
      ],
    },
  ),
  policy: made(
    z.strictObject({ id: z.string(), digest: text, version: text }).nullable(),
    (row) =>
      row.policy_id === null ? null : { id: row.policy_id, digest: row.policy_digest, version: row.policy_version },
    {
      file: [
        { name: 'policy_id', type: 'text', value: (policy) => policy?.id },
        { name: 'policy_version', type: 'text', value: (policy) => policy?.version },
      ],
    },
  ),
  detectors: made(z.array(DETECTOR), (row) => JSON.parse(row.detectors) as readonly DetectorRecord[], {
    large: ['detectors'],
  }),
  facts: made(
    z
      .record(z.string(), z.unknown())
      .nullable()
      .describe('The facts that rules could read. They never contain matched text.'),
    (row): JsonValue => exactJson(row.facts),
    { large: ['facts'] },
  ),
  upstream_status,
  received_at: made(
    z.string().describe('RFC 3339, UTC, milliseconds.'),
    (row) => new Date(row.received_at_ms).toISOString(),
    { file: 'time' },
  ),
  ...furtherValues,
};

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
  /** Billed usage other than plain tokens. */
  readonly other: JsonValue;
  /** True for Weir's own estimate, if the provider did not report its counts. */
  readonly estimated: boolean;
}

export type UsageColumns = Pick<
  EventRow,
  Exclude<keyof UsageRecord, 'other' | 'estimated'> | 'usage_other' | 'usage_estimated'
>;

export function usageRecord(row: UsageColumns): UsageRecord | null {
  const { prompt_tokens, completion_tokens, cache_read_tokens, cache_write_tokens, reasoning_tokens } = row;
  const { cache_write_1h_tokens } = row;
  const cached = { cache_read_tokens, cache_write_tokens, cache_write_1h_tokens };
  const usage = { prompt_tokens, completion_tokens, ...cached, reasoning_tokens };
  if (Object.values(usage).every((tokens) => tokens === null)) return null;
  return { ...usage, other: exactJson(row.usage_other), estimated: row.usage_estimated === true };
}

function violationsOf(row: EventRow): readonly Violation[] {
  return row.violations === '[]' ? [] : (JSON.parse(row.violations) as Violation[]);
}

export function exceptedOf({ excepted }: Pick<EventRow, 'excepted'>): readonly ExceptedInCall[] {
  return excepted === null ? [] : (JSON.parse(excepted) as ExceptedInCall[]);
}

/** The form of masks in their column. */
interface KeptMasks {
  readonly masks: readonly StoredMask[];
  readonly left_out: number;
}

function keptMasks({ masks }: EventRow): KeptMasks | undefined {
  return masks === null ? undefined : (JSON.parse(masks) as KeptMasks);
}

/** The list is among the facts of each stage that judged the call. */
function unreadOf(facts: string | null): readonly UnreadRecord[] {
  if (facts === null || !facts.includes('"unread"')) return [];
  const { stages = [] } = JSON.parse(facts) as { stages?: readonly { contents?: { unread?: UnreadRecord[] } }[] };
  return stages.find(({ contents }) => contents !== undefined)?.contents?.unread ?? [];
}
