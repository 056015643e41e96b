/**
 * Columns of the log whose values the storing statement does not compute itself: the inserted value, and the value that a query
 * returns. Values are passed as text and cast by the database.
 */
import {
  memoizeByObject,
  type ContentCapture,
  type DecisionAction,
  type Environment,
  type OtherUsage,
  type StoredMarks,
} from '../../core/index.js';
import type { DetectorRecord, EventSource, EventType, NewEvent } from '../event.js';
import { VALUES, type ColumnType, type EventValue, type EventValues, type ValueRow } from './event-values.js';
import { outcomeOfNew } from '../outcome.js';
import { metadataIndex, storable } from '../search-index.js';

/** Carries the type that a query returns for a column; it never has a value. */
declare const READ: unique symbol;

export interface Column<Read = unknown> {
  /** The column's type. */
  readonly type: string;
  readonly write: (event: NewEvent) => string | null;
  /** How the column is selected: unchanged, as text, or as a number; absent if records do not contain it. */
  readonly select?: 'as is' | 'text' | 'number';
  readonly [READ]?: Read;
}

type ReadOf<C> = C extends Column<infer Read> ? Read : never;

/**
 * A column for names and texts of clients: characters that PostgreSQL cannot store are replaced.
 */
function text<Read extends string | null = string | null>(read: (event: NewEvent) => string | undefined): Column<Read> {
  return {
    type: 'text',
    select: 'as is',
    write: (event) => {
      const value = read(event);
      return value === undefined ? null : orNone(storable(value));
    },
  };
}

/** A column for words of a fixed set, or texts made by the server: all of them can be stored. */
function word<Read extends string | null>(read: (event: NewEvent) => string | undefined): Column<Read> {
  return { type: 'text', select: 'as is', write: writing(read) };
}

type Value = string | number | boolean | null | undefined;

/** A column that is read as its own type. */
function plain<Read>(type: string, read: (event: NewEvent) => Value): Column<Read> {
  return { type, select: 'as is', write: writing(read) };
}

/** A column that is read as text: ids, money of any size, JSON. */
function asText<Read extends string | null = string | null>(
  type: string,
  read: (event: NewEvent) => Value,
): Column<Read> {
  return { type, select: 'text', write: writing(read) };
}

function count(read: (event: NewEvent) => number | undefined): Column<number | null> {
  return { type: 'bigint', select: 'number', write: writing(read) };
}

/** A column for filters and sums that is not part of records. */
function hidden(type: string, read: (event: NewEvent) => Value): Column<never> {
  return { type, write: writing(read) };
}

function writing(read: (event: NewEvent) => Value): Column['write'] {
  return (event) => {
    const value = read(event);
    return value === undefined || value === null ? null : orNone(String(value));
  };
}

/** An empty value is stored as none: `string_to_array` cannot tell a single empty value from no value. */
function orNone(value: string): string | null {
  return value === '' ? null : value;
}

/** PostgreSQL's text form of an array; null for an empty array, for which no filter searches. */
function arrayLiteral(items: readonly string[]): string | null {
  if (items.length === 0) return null;
  const quoted = [...new Set(items)].map((item) => `"${storable(item).replace(/["\\]/g, '\\$&')}"`);
  return `{${quoted.join(',')}}`;
}

/** How a query selects a value of the type. */
const READ_AS = {
  text: 'as is',
  uuid: 'text',
  json: 'text',
  numeric: 'text',
  integer: 'as is',
} as const satisfies Readonly<Record<ColumnType, Column['select']>>;

/** The columns of `event-values.ts`. */
const VALUE_COLUMNS = Object.fromEntries(
  Object.entries<EventValue>(VALUES).map(([name, { column }]) => {
    const field = name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase()) as keyof EventValues;
    const write = column === 'text' ? text((event) => event[field] as string).write : writing((event) => event[field]);
    return [name, { type: column, select: READ_AS[column], write }];
  }),
) as { readonly [Name in keyof ValueRow]: Column<ValueRow[Name]> };

export const COLUMNS = {
  account_id: hidden('uuid', (event) => event.accountId),
  id: asText<string>('uuid', (event) => event.id),
  event_id: text<string>((event) => event.eventId),
  type: word<EventType>((event) => event.type),
  app_id: asText<string>('uuid', (event) => event.appId),
  key_id: text<string>((event) => event.keyId),
  environment: word<Environment>((event) => event.environment),
  declared_environment: word<Environment>((event) => event.declaredEnvironment),
  source: word<EventSource>((event) => event.source),
  ...VALUE_COLUMNS,
  metadata_index: hidden('jsonb', (event) => metadataIndex(event.metadata)),
  capture: word<ContentCapture>((event) => event.capture),
  masks: asText('json', ({ marks }) => (marks === undefined ? undefined : masksJson(marks))),
  excerpt: text((event) => event.marks?.excerpt),
  decision: word<DecisionAction | null>((event) => event.decision),
  outcome: hidden('text', (event) => outcomeOfNew(event)),
  violations: asText<string>('json', (event) => listJson(event.violations)),
  rules: hidden('text[]', (event) => arrayLiteral(event.violations.map(({ rule }) => rule))),
  excepted: asText('json', ({ excepted }) => (excepted === undefined ? undefined : JSON.stringify(excepted))),
  redactions: asText<string>('json', (event) => listJson(event.redactions)),
  prompt_tokens: count((event) => event.usage?.promptTokens),
  completion_tokens: count((event) => event.usage?.completionTokens),
  cache_read_tokens: count((event) => event.usage?.cacheReadTokens),
  cache_write_tokens: count((event) => event.usage?.cacheWriteTokens),
  cache_write_1h_tokens: count((event) => event.usage?.cacheWrite1hTokens),
  reasoning_tokens: count((event) => event.usage?.reasoningTokens),
  usage_estimated: plain<boolean | null>('boolean', (event) => event.usage?.estimated),
  usage_other: asText('json', ({ usage }) => (usage?.other === undefined ? undefined : otherUsageJson(usage.other))),
  latency_total_ms: plain<number | null>('double precision', (event) => event.latencyMs?.total),
  latency_provider_ms: plain<number | null>('double precision', (event) => event.latencyMs?.provider),
  latency_weir_ms: plain<number | null>('double precision', (event) => event.latencyMs?.weir),
  detectors: asText<string>('json', (event) => detectorsJson(event.detectors)),
  received_at: hidden('timestamptz', (event) => event.receivedAt.toISOString()),
} satisfies Readonly<Record<string, Column>>;

type Columns = typeof COLUMNS;

/** Selected values that are not columns of the event itself. */
interface Joined {
  readonly app_name: string | null;
  readonly received_at_ms: number;
}

/** A row as selected by `selectOf`: JSON, money and ids as text, counts as numbers. */
export type EventRow = {
  readonly [Name in keyof Columns as ReadOf<Columns[Name]> extends never ? never : Name]: ReadOf<Columns[Name]>;
} & Joined &
  Record<string, unknown>;

const JOINED: Readonly<Record<keyof Joined, string>> = {
  app_name: 'a.name AS app_name',
  received_at_ms: 'floor(extract(epoch FROM e.received_at) * 1000)::double precision AS received_at_ms',
};

/** The select list of a query on `events e LEFT JOIN apps a` that returns `EventRow`s without some of their columns. */
export function selectOf(without: readonly (keyof EventRow)[] = []): string {
  const columns = Object.entries<Column>(COLUMNS).flatMap(([name, { select }]) =>
    select === undefined || without.includes(name) ? [] : [SELECTED[select](name)],
  );
  return [...columns, ...Object.values(JOINED)].join(', ');
}

const SELECTED: Readonly<Record<NonNullable<Column['select']>, (name: string) => string>> = {
  'as is': (name) => `e.${name}`,
  text: (name) => `e.${name}::text AS ${name}`,
  number: (name) => `e.${name}::double precision AS ${name}`,
};

/** A list as JSON text, fast for an empty list: most events have no violations and no redactions. */
function listJson(items: readonly unknown[]): string {
  return items.length === 0 ? '[]' : JSON.stringify(items);
}

/** The JSON text of a list of detectors that many events share. */
const sharedDetectorsJson = memoizeByObject((detectors: readonly DetectorRecord[]) => listJson(detectors));

/** Only a frozen list is shared, and stays as it is. */
function detectorsJson(detectors: readonly DetectorRecord[]): string {
  return Object.isFrozen(detectors) ? sharedDetectorsJson(detectors) : listJson(detectors);
}

/** The masks as JSON text, which also contains the number of masks that are not listed. */
function masksJson({ masks, masksLeftOut }: StoredMarks): string {
  if (masks.length === 0) return `{"masks":[],"left_out":${masksLeftOut}}`;
  return JSON.stringify({ masks, left_out: masksLeftOut });
}

/** The usage as JSON text with the names of the API. */
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
