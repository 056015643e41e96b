/** Fields that are shown like the column with their name. */
import type { z } from 'zod';

/**
 * The type of a column in Parquet. In CSV only `text` and `list` cells can contain a formula, and are made safe for spreadsheets.
 */
export type CellType = 'text' | 'list' | 'time' | 'int' | 'double' | 'nano';

export interface SameField {
  /**
   * The schema of the field in the API, from which the schemas and types for other programs are
   * generated.
   */
  readonly shape: z.ZodType;
  /** Its type in files, if it is a column with its name there. */
  readonly file?: CellType;
  readonly read?: never;
  readonly large?: never;
}

/** A field that equals its column. */
export function same(shape: z.ZodType, more: Pick<SameField, 'file'> = {}): SameField {
  return { shape, ...more };
}
