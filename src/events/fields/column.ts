/** Columns of the log: how a value gets in, and what a query gets back. Values travel as text, the database casts them. */
import type { NewEvent } from '../event.js';
import { storable } from '../search-index.js';

/** Says what a query gets of a column; there is never a value. */
declare const READ: unique symbol;

export interface Column<Read = unknown> {
  /** The column's type. */
  readonly type: string;
  readonly write: (event: NewEvent) => string | null;
  /** How it is selected: as it is, as text, as a number; absent where no record is made of it. */
  readonly select?: 'as is' | 'text' | 'number';
  readonly [READ]?: Read;
}

export type ReadOf<C> = C extends Column<infer Read> ? Read : never;

/** Of names and texts that clients wrote: what PostgreSQL cannot store in a text is replaced. */
export function text<Read extends string | null = string | null>(
  read: (event: NewEvent) => string | undefined,
): Column<Read> {
  return {
    type: 'text',
    select: 'as is',
    write: (event) => {
      const value = read(event);
      return value === undefined ? null : orNone(storable(value));
    },
  };
}

type Value = string | number | boolean | null | undefined;

/** A column that comes back as its type. */
export function plain<Read>(type: string, read: (event: NewEvent) => Value): Column<Read> {
  return { type, select: 'as is', write: writing(read) };
}

/** A column that comes back as text: ids, money of any size, JSON. */
export function asText<Read extends string | null = string | null>(
  type: string,
  read: (event: NewEvent) => Value,
): Column<Read> {
  return { type, select: 'text', write: writing(read) };
}

export function count(read: (event: NewEvent) => number | undefined): Column<number | null> {
  return { type: 'bigint', select: 'number', write: writing(read) };
}

/** A column for filters and sums, of which no record is made. */
export function hidden(type: string, read: (event: NewEvent) => Value): Column<never> {
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

/** PostgreSQL's text form of an array; null for an empty one, which no filter looks for. */
export function arrayLiteral(items: readonly string[]): string | null {
  if (items.length === 0) return null;
  const quoted = [...new Set(items)].map((item) => `"${storable(item).replace(/["\\]/g, '\\$&')}"`);
  return `{${quoted.join(',')}}`;
}
