/** One event as a row of flat columns, as in CSV and Parquet files, in this order. */
import { FIELDS } from '../fields/event-fields.js';
import type { Cell, Field } from '../fields/field.js';
import type { CellType } from '../fields/same-field.js';
import type { EventRecord } from './event-record.js';

export type FileColumn = Cell<EventRecord>;
/** The data of a column that is needed to pack its values. */
export type PackedColumn = Pick<FileColumn, 'name' | 'type'>;

/** The columns that users look for first, and the long columns, which come last, in the order of files. */
const FIRST = ['id', 'received_at', 'type'];
const LAST = ['metadata', 'violations', 'redactions', 'payload'];

export const FILE_COLUMNS: readonly FileColumn[] = inOrder(
  Object.entries<Field>(FIELDS).flatMap(([name, field]) => columnsOf(name as keyof EventRecord, field)),
);

export const FILE_COLUMN_NAMES: readonly string[] = FILE_COLUMNS.map(({ name }) => name);

function columnsOf(field: keyof EventRecord, { file }: Field): readonly FileColumn[] {
  if (file === undefined) return [];
  if (file === 'json') return [{ name: field, type: 'text', value: (event) => json(event[field]) }];
  if (typeof file === 'string') {
    return [{ name: field, type: file satisfies CellType, value: (event) => event[field] as string | number | null }];
  }
  return file.map(({ name, type, value }) => ({ name, type, value: (event: EventRecord) => value(event[field]) }));
}

function json(value: unknown): string | null {
  return value === null || value === undefined ? null : JSON.stringify(value);
}

function inOrder(columns: readonly FileColumn[]): readonly FileColumn[] {
  const isFirst = ({ name }: FileColumn): boolean => FIRST.includes(name);
  const isLast = ({ name }: FileColumn): boolean => LAST.includes(name);
  const place = (order: readonly string[]) => (one: FileColumn, other: FileColumn) =>
    order.indexOf(one.name) - order.indexOf(other.name);
  return [
    ...columns.filter(isFirst).sort(place(FIRST)),
    ...columns.filter((column) => !isFirst(column) && !isLast(column)),
    ...columns.filter(isLast).sort(place(LAST)),
  ];
}

/** The columns with these names, in the order of the names; without names, all columns. */
export function columnsNamed(names: readonly string[] | undefined): readonly FileColumn[] {
  return names === undefined
    ? FILE_COLUMNS
    : names.flatMap((name) => FILE_COLUMNS.filter((column) => column.name === name));
}
