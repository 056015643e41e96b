/**
 * One event as the record of the API, exports and the dashboard. Only this file converts a row of the log to a record;
 * `fields/event-fields.ts` defines the fields.
 */
import { selectOf, type EventRow } from '../fields/event-columns.js';
import { FIELDS } from '../fields/event-fields.js';
import type { Field } from '../fields/field.js';

type Fields = typeof FIELDS;

export type EventRecord = {
  readonly [Name in keyof Fields]: Fields[Name] extends { readonly read: (row: EventRow) => infer Value }
    ? Value
    : Name extends keyof EventRow
      ? EventRow[Name]
      : never;
};

/** Names of fields that summaries leave out. */
type LargeName = 'payload' | 'facts' | 'detectors' | 'unread' | 'masks' | 'masks_left_out';

/** A record without its large fields. */
export type EventSummary = Omit<EventRecord, LargeName>;

const ALL = Object.entries<Field>(FIELDS);
const SMALL = ALL.filter(([, { large }]) => large === undefined);

/** The select list of a query on `events e LEFT JOIN apps a` that returns `EventRow`s. */
export const RECORD_COLUMNS = selectOf();

/** `RECORD_COLUMNS` without large columns, which are then not read. */
export const SUMMARY_COLUMNS = selectOf(ALL.flatMap(([, { large = [] }]) => large));

/** Makes the record of a row. */
export function eventRecord(row: EventRow): EventRecord {
  return recordOf(ALL, row) as EventRecord;
}

/** Makes the summary of a row of `SUMMARY_COLUMNS`. */
export function eventSummary(row: EventRow): EventSummary {
  return recordOf(SMALL, row) as EventSummary;
}

function recordOf(fields: readonly (readonly [string, Field])[], row: EventRow): object {
  const record: Record<string, unknown> = {};
  for (const [name, { read }] of fields) record[name] = read === undefined ? row[name] : read(row);
  return record;
}
