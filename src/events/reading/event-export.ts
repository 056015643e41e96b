/** Events as lines of text, any number of them, one page in memory at a time. */
import type { EventFilters } from './event-filters.js';
import { encodeCursor } from './cursor.js';
import { MAX_LIMIT, type EventReader } from './event-reader.js';
import type { EventRecord } from './event-record.js';

export const EXPORT_FORMATS = ['jsonl', 'csv'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** One column of the CSV form. `text` cells are made safe for spreadsheets; the others cannot hold a formula. */
interface Column {
  readonly name: string;
  readonly value: (event: EventRecord) => string | number | null | undefined;
  readonly kind?: 'number';
}

const json = (value: unknown): string | null => (value === null || value === undefined ? null : JSON.stringify(value));

const COLUMNS: readonly Column[] = [
  { name: 'id', value: (event) => event.id },
  { name: 'received_at', value: (event) => event.received_at },
  { name: 'type', value: (event) => event.type },
  { name: 'event_id', value: (event) => event.event_id },
  { name: 'app_id', value: (event) => event.app.id },
  { name: 'app_name', value: (event) => event.app.name },
  { name: 'key_id', value: (event) => event.key_id },
  { name: 'environment', value: (event) => event.environment },
  { name: 'declared_environment', value: (event) => event.declared_environment },
  { name: 'source', value: (event) => event.source },
  { name: 'request_id', value: (event) => event.request_id },
  { name: 'parent_id', value: (event) => event.parent_id },
  { name: 'session_id', value: (event) => event.session_id },
  { name: 'provider', value: (event) => event.provider },
  { name: 'model', value: (event) => event.model },
  { name: 'decision', value: (event) => event.decision },
  { name: 'reason', value: (event) => event.reason },
  { name: 'rules', value: (event) => event.violations.map(({ rule }) => rule).join(' ') },
  { name: 'prompt_tokens', value: (event) => event.usage?.prompt_tokens, kind: 'number' },
  { name: 'completion_tokens', value: (event) => event.usage?.completion_tokens, kind: 'number' },
  { name: 'cost_nano_usd', value: (event) => event.cost_nano_usd, kind: 'number' },
  { name: 'latency_total_ms', value: (event) => event.latency_ms.total, kind: 'number' },
  { name: 'latency_provider_ms', value: (event) => event.latency_ms.provider, kind: 'number' },
  { name: 'latency_weir_ms', value: (event) => event.latency_ms.weir, kind: 'number' },
  { name: 'policy_id', value: (event) => event.policy?.id },
  { name: 'policy_version', value: (event) => event.policy?.version },
  { name: 'upstream_status', value: (event) => event.upstream_status, kind: 'number' },
  { name: 'metadata', value: (event) => json(event.metadata) },
  { name: 'violations', value: (event) => json(event.violations) },
  { name: 'redactions', value: (event) => json(event.redactions) },
  { name: 'payload', value: (event) => json(event.payload) },
];

/** What a spreadsheet takes for a formula: https://owasp.org/www-community/attacks/CSV_Injection */
const FORMULA = /^[\s\p{Cc}\p{Cf}]*[=+\-@\uff1d\uff0b\uff0d\uff20\t\r]/u;

/**
 * The events that match, newest first, as text. A reader that goes away ends it; what takes long is the reader.
 *
 * @param before the id of the last event that was had: where an export that broke off goes on, without a CSV header
 */
export async function* exportEvents(
  reader: EventReader,
  filters: EventFilters,
  format: ExportFormat,
  before?: string,
): AsyncGenerator<string> {
  if (format === 'csv' && before === undefined) yield csvLine(COLUMNS.map(({ name }) => name));
  let cursor: string | null | undefined = before === undefined ? undefined : encodeCursor(before);
  while (cursor !== null) {
    const page = await reader.list({ ...filters, limit: MAX_LIMIT }, cursor);
    cursor = page.nextCursor;
    if (page.data.length > 0) yield page.data.map(format === 'csv' ? csvRow : jsonLine).join('');
  }
}

function jsonLine(event: EventRecord): string {
  return `${JSON.stringify(event)}\n`;
}

function csvRow(event: EventRecord): string {
  return csvLine(
    COLUMNS.map(({ value, kind }) => {
      const text = String(value(event) ?? '');
      return kind === 'number' || !FORMULA.test(text) ? text : `'${text}`;
    }),
  );
}

/** RFC 4180. */
function csvLine(cells: readonly string[]): string {
  return `${cells.map((cell) => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)).join(',')}\r\n`;
}
