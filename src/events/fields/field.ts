/** Fields of the record of an event: for the API, exports and the dashboard. */
import type { z } from 'zod';
import type { EventRow } from './event-columns.js';
import type { CellType } from './same-field.js';

/** A column of CSV and Parquet files. */
export interface Cell<Value> {
  readonly name: string;
  readonly type: CellType;
  value(value: Value): string | number | readonly string[] | null | undefined;
}

export interface Field<Value = unknown> {
  /** What the API says of it: schemas and types that other programs use are made from it. */
  readonly shape: z.ZodType;
  /** Absent where the field is the column of its name as it is. */
  readonly read?: (row: EventRow) => Value;
  /** The columns of the log without which it is not to be had; summaries leave it out, and these are not read. */
  readonly large?: readonly (keyof EventRow)[];
  /** What files have of it: one column of its name, or these. */
  readonly file?: CellType | 'json' | readonly Cell<Value>[];
}

/** A field that is made of a row. */
export function made<Value>(
  shape: z.ZodType,
  read: (row: EventRow) => Value,
  more: Omit<Field<Value>, 'shape' | 'read'> = {},
): Field<Value> & { readonly read: (row: EventRow) => Value } {
  return { shape, read, ...more };
}
