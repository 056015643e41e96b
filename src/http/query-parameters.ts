/** The parameters of a query string as one table: how each is parsed, and its description in the OpenAPI document. */
import { ApiQuery } from '@nestjs/swagger';
import { isNameLike, type ErrorDetail } from '../core/index.js';
import { invalidRequest } from './weir-error.js';

const MAX_VALUE_LENGTH = 1_000;
/** A time of RFC 3339 with its UTC offset. A date alone is its first moment in UTC. */
const INSTANT = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2}))?$/i;
/**
 * The range of times that statements may contain. PostgreSQL has no year 0, and reads no year of five digits, which an offset or a rounding
 * can result in. The end is a whole day, so that rounding to any step of a day stays within the range.
 */
const EARLIEST_MS = 0;
const LATEST_MS = Date.UTC(9999, 11, 31);
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** A JSON schema of the OpenAPI document, as far as parameters need it. */
export interface ParameterSchema {
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'array';
  readonly format?: string;
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly maxItems?: number;
  readonly default?: string | number | boolean;
  readonly items?: ParameterSchema;
}

export interface QueryParameter<T = unknown> {
  /** @throws {BadParameter} with the requirement for the value */
  readonly read: (value: string) => T;
  readonly schema: ParameterSchema;
  readonly about: string;
}

export type QueryTable = Readonly<Record<string, QueryParameter>>;
/** The values read by a table: every parameter may be absent. */
export type QueryOf<Table extends QueryTable> = {
  readonly [Name in keyof Table]?: Table[Name] extends QueryParameter<infer T> ? T : never;
};

/** The requirement that a value does not meet. It never contains the value. */
export class BadParameter extends Error {
  override readonly name = 'BadParameter';
}

function text(about: string, maxLength = MAX_VALUE_LENGTH): QueryParameter<string> {
  return {
    about,
    schema: { type: 'string', minLength: 1, maxLength },
    read: (value) => {
      if (value.length > maxLength) throw new BadParameter(`must be at most ${maxLength} characters`);
      // PostgreSQL cannot store a NUL character: the value could not match, and the statement would fail.
      if (value.includes('\0')) throw new BadParameter('must contain no NUL character');
      return value;
    },
  };
}

function oneOf<Word extends string>(words: readonly Word[], about: string): QueryParameter<Word> {
  return {
    about,
    schema: { type: 'string', enum: words },
    read: (value) => {
      const word = words.find((each) => each === value);
      if (word === undefined) throw new BadParameter(`must be one of ${words.join(', ')}`);
      return word;
    },
  };
}

/** `a,b,c`: each item read by `item`. */
function listOf<T>(item: QueryParameter<T>, maxItems = 50): QueryParameter<readonly T[]> {
  return {
    about: item.about,
    schema: { type: 'array', items: item.schema, maxItems },
    read: (value) => {
      const items = value.split(',');
      if (items.length > maxItems) throw new BadParameter(`must be at most ${maxItems} values`);
      if (items.includes('')) throw new BadParameter('must be values separated by single commas');
      return [...new Set(items)].map((each) => item.read(each));
    },
  };
}

/** A time before 1970 or after the year 9999 is read as the nearest time in this range: nothing was recorded outside of it. */
function instant(about: string): QueryParameter<Date> {
  return {
    about,
    schema: { type: 'string', format: 'date-time' },
    read: (value) => {
      const date = INSTANT.test(value) ? new Date(value) : undefined;
      if (date === undefined || Number.isNaN(date.getTime())) {
        throw new BadParameter('must be an RFC 3339 time with offset, such as 2026-01-31T08:00:00Z');
      }
      return new Date(Math.min(Math.max(date.getTime(), EARLIEST_MS), LATEST_MS));
    },
  };
}

function integer(minimum: number, maximum: number, about: string): QueryParameter<number> {
  return {
    about,
    schema: { type: 'integer', minimum, maximum },
    read: (value) => {
      const number = /^\d{1,15}$/.test(value) ? Number(value) : NaN;
      if (!(number >= minimum && number <= maximum)) {
        throw new BadParameter(`must be a whole number from ${minimum} to ${maximum}`);
      }
      return number;
    },
  };
}

/** A non-negative number without an exponent. */
function number(about: string): QueryParameter<number> {
  return {
    about,
    schema: { type: 'number', minimum: 0 },
    read: (value) => {
      if (!/^\d{1,12}(\.\d{1,9})?$/.test(value)) throw new BadParameter('must be a number such as 0.05');
      return Number(value);
    },
  };
}

function boolean(about: string): QueryParameter<boolean> {
  return {
    about,
    schema: { type: 'boolean' },
    read: (value) => {
      if (value !== 'true' && value !== 'false') throw new BadParameter('must be one of true, false');
      return value === 'true';
    },
  };
}

function uuid(about: string, mustBe = 'must be an id'): QueryParameter<string> {
  return {
    about,
    schema: { type: 'string', format: 'uuid' },
    read: (value) => {
      if (!UUID.test(value)) throw new BadParameter(mustBe);
      return value.toLowerCase();
    },
  };
}

export const parameter = { text, oneOf, listOf, instant, integer, number, boolean, uuid };

/**
 * Reads a query string by its table.
 *
 * @throws {WeirError} 422 naming each unknown, repeated or unreadable parameter; no value is repeated
 */
export function readQuery<Table extends QueryTable>(table: Table, query: unknown): QueryOf<Table> {
  const details: ErrorDetail[] = [];
  const found: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(query as Readonly<Record<string, unknown>>)) {
    try {
      const known = Object.hasOwn(table, name) ? table[name] : undefined;
      if (known === undefined) throw new BadParameter('is not a parameter here');
      found[name] = known.read(singleValue(value));
    } catch (error) {
      if (!(error instanceof BadParameter)) throw error;
      details.push({ path: shownName(name), message: error.message });
    }
  }
  if (details.length > 0) throw invalidRequest(details);
  return found as QueryOf<Table>;
}

/** Requires a parameter to occur once and not to be empty. @throws {BadParameter} */
export function singleValue(value: unknown): string {
  if (typeof value !== 'string') throw new BadParameter('may be given only once');
  if (value === '') throw new BadParameter('must not be empty');
  if (value.length > MAX_VALUE_LENGTH * 2) throw new BadParameter(`must be at most ${MAX_VALUE_LENGTH} characters`);
  return value;
}

/** A submitted name is only shown if it looks like a name: any other may be a secret. */
export function shownName(name: string): string {
  return isNameLike(name) ? name : '(a parameter)';
}

/** Describes every parameter of a table in the OpenAPI document. */
export function ApiQueries(table: QueryTable): MethodDecorator {
  const queries = Object.entries(table).map(([name, { about, schema }]) =>
    ApiQuery({
      name,
      required: false,
      description: about,
      schema: schema as object,
      // Lists are sent as `?name=a,b`, not as `?name=a&name=b`.
      ...(schema.type === 'array' ? { style: 'form' as const, explode: false } : {}),
    }),
  );
  return (target, key, descriptor) => {
    for (const query of queries) query(target, key, descriptor);
  };
}
