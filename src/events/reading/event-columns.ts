/** One event as a row of flat columns: what CSV and Parquet files hold, in this order. */
import type { EventRecord } from './event-record.js';

/**
 * What a column is in Parquet. In CSV only `text` and `list` cells can hold a formula, and are made safe for
 * spreadsheets.
 */
export type ColumnType = 'text' | 'list' | 'time' | 'int' | 'double' | 'nano';

export interface EventColumn {
  readonly name: string;
  readonly type: ColumnType;
  readonly value: (event: EventRecord) => string | number | readonly string[] | null | undefined;
}

const json = (value: unknown): string | null => (value === null || value === undefined ? null : JSON.stringify(value));

const text = (name: string, value: EventColumn['value']): EventColumn => ({ name, type: 'text', value });
const int = (name: string, value: EventColumn['value']): EventColumn => ({ name, type: 'int', value });
const double = (name: string, value: EventColumn['value']): EventColumn => ({ name, type: 'double', value });

export const EVENT_COLUMNS: readonly EventColumn[] = [
  text('id', (event) => event.id),
  { name: 'received_at', type: 'time', value: (event) => event.received_at },
  text('type', (event) => event.type),
  text('event_id', (event) => event.event_id),
  text('app_id', (event) => event.app.id),
  text('app_name', (event) => event.app.name),
  text('key_id', (event) => event.key_id),
  text('environment', (event) => event.environment),
  text('declared_environment', (event) => event.declared_environment),
  text('source', (event) => event.source),
  text('request_id', (event) => event.request_id),
  text('parent_id', (event) => event.parent_id),
  text('session_id', (event) => event.session_id),
  text('provider', (event) => event.provider),
  text('model', (event) => event.model),
  text('decision', (event) => event.decision),
  text('reason', (event) => event.reason),
  { name: 'rules', type: 'list', value: (event) => event.violations.map(({ rule }) => rule) },
  int('prompt_tokens', (event) => event.usage?.prompt_tokens),
  int('completion_tokens', (event) => event.usage?.completion_tokens),
  { name: 'cost_nano_usd', type: 'nano', value: (event) => event.cost_nano_usd },
  double('latency_total_ms', (event) => event.latency_ms.total),
  double('latency_provider_ms', (event) => event.latency_ms.provider),
  double('latency_weir_ms', (event) => event.latency_ms.weir),
  text('policy_id', (event) => event.policy?.id),
  text('policy_version', (event) => event.policy?.version),
  int('upstream_status', (event) => event.upstream_status),
  text('metadata', (event) => json(event.metadata)),
  text('violations', (event) => json(event.violations)),
  text('redactions', (event) => json(event.redactions)),
  text('payload', (event) => json(event.payload)),
];

export const EVENT_COLUMN_NAMES: readonly string[] = EVENT_COLUMNS.map(({ name }) => name);

/** The columns of these names, in the order in which the names stand; all of them without names. */
export function columnsNamed(names: readonly string[] | undefined): readonly EventColumn[] {
  return names === undefined
    ? EVENT_COLUMNS
    : names.flatMap((name) => EVENT_COLUMNS.filter((column) => column.name === name));
}
