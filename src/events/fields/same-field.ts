/** Fields that are shown like the column with their name. */
import type { z } from 'zod';

/**
 * What a column is in Parquet. In CSV only `text` and `list` cells can hold a formula, and are made safe for
 * spreadsheets.
 */
export type CellType = 'text' | 'list' | 'time' | 'int' | 'double' | 'nano';

export interface SameField {
  /** What the API says of it: schemas and types that other programs use are made from it. */
  readonly shape: z.ZodType;
  /** What files have of it: one column of its name. */
  readonly file?: CellType;
  readonly read?: never;
  readonly large?: never;
}

/** A field that is a column as it is. */
export function same(shape: z.ZodType, more: Pick<SameField, 'file'> = {}): SameField {
  return { shape, ...more };
}
