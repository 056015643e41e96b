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
  /**
   * The schema of the field in the API, from which the schemas and types for other programs are
   * generated.
   */
  readonly shape: z.ZodType;
  /** Absent if the field is the unchanged column with its name. */
  readonly read?: (row: EventRow) => Value;
  /** Large columns that the field needs; summaries omit the field and do not read these columns. */
  readonly large?: readonly (keyof EventRow)[];
  /** Its columns in files: one column with its name, or the listed ones. */
  readonly file?: CellType | 'json' | readonly Cell<Value>[];
}

/** A field that is computed from a row. */
export function made<Value>(
  shape: z.ZodType,
  read: (row: EventRow) => Value,
  more: Omit<Field<Value>, 'shape' | 'read'> = {},
): Field<Value> & { readonly read: (row: EventRow) => Value } {
  return { shape, read, ...more };
}
