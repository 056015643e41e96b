/**
 * Many values as few parameters: the values of each column joined into one text by a boundary, which PostgreSQL takes
 * apart with `string_to_array`. Array literals would need every quote and backslash escaped; for a body of 32 MiB that
 * consists of quotes that took seconds and gigabytes.
 */
import { randomBytes } from 'node:crypto';

/** Random bits of a boundary: nobody can send a text that contains the next one. */
const BOUNDARY_BYTES = 16;

/** `$1` is the boundary, `$2` stands for null; columns follow. */
const FIRST_COLUMN = 3;

/**
 * The SQL expression for column `index` (from 0) of `joinedValues`: a `text[]`. A single empty text comes out as no
 * value at all, so empty texts must not go in.
 */
export function joinedColumn(index: number): string {
  return `string_to_array($${FIRST_COLUMN + index}, $1, $2)`;
}

/** The parameters of a statement whose columns are `joinedColumn(0)`, `joinedColumn(1)`, … */
export function joinedValues(columns: readonly (readonly (string | null)[])[]): string[] {
  const random = randomBytes(BOUNDARY_BYTES).toString('base64url');
  const boundary = `\u001e${random}`;
  const absent = `\u001f${random}`;
  return [boundary, absent, ...columns.map((values) => values.map((value) => value ?? absent).join(boundary))];
}
