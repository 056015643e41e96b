import { RE2JS } from 're2js';
import { expressionCost, type JsonValue } from '../../src/core/plugin-api.js';
import {
  isList,
  isObject,
  KEYWORDS,
  member,
  NOT_EVALUATED,
  TYPES,
  type JsonObject,
  type KeywordValue,
} from './keywords.js';

const MAX_SCHEMAS = 5_000;
const MAX_DEPTH = 64;
const MAX_PATTERN_UNITS = 1_000;
const MAX_PATTERN_PROGRAM = 5_000;
/** The maximum time to compile all patterns of a schema, in microseconds. */
const MAX_COST = 50_000;
const INSTRUCTION_MICROS = 3;

/** A schema that cannot be used: it is malformed, too large, or uses unsupported keywords. */
export class SchemaUnusable extends Error {
  override readonly name = 'SchemaUnusable';
}

/** A schema whose form is fully checked. */
export interface PreparedSchema {
  readonly root: JsonValue;
  /** Its compiled patterns, by source. */
  readonly patterns: ReadonlyMap<string, RE2JS>;
  /** The estimated time to compile the patterns, in microseconds. */
  readonly cost: number;
}

/**
 * Checks the form of a schema before use: keywords have valid values, references resolve inside the schema, patterns are valid for a
 * linear-time engine. The schema can be untrusted.
 *
 * @throws SchemaUnusable with the keyword and the reason, never a value of the schema
 */
export function prepareSchema(root: JsonValue): PreparedSchema {
  const walk = new Walk(root);
  walk.schema(root, 0);
  return { root, patterns: walk.patterns, cost: walk.cost };
}

class Walk {
  readonly patterns = new Map<string, RE2JS>();
  cost = 0;
  private schemas = 0;

  constructor(private readonly root: JsonValue) {}

  schema(schema: JsonValue, depth: number): void {
    if (typeof schema === 'boolean') return;
    if (!isObject(schema)) throw new SchemaUnusable('a schema must be an object, true or false');
    if (++this.schemas > MAX_SCHEMAS) throw new SchemaUnusable(`the schema has more than ${MAX_SCHEMAS} parts`);
    if (depth > MAX_DEPTH) throw new SchemaUnusable(`the schema is nested deeper than ${MAX_DEPTH} levels`);
    for (const [keyword, value] of Object.entries(schema)) {
      if (NOT_EVALUATED.has(keyword)) throw new SchemaUnusable(`"${keyword}" is not supported`);
      if (keyword === '$id' && depth > 0) throw new SchemaUnusable('"$id" is not supported inside a schema');
      const kind = Object.hasOwn(KEYWORDS, keyword) ? KEYWORDS[keyword] : undefined;
      if (kind !== undefined) this.value(keyword, kind, value, depth);
    }
  }

  private value(keyword: string, kind: KeywordValue, value: JsonValue, depth: number): void {
    if (kind === 'schema') return this.schema(value, depth + 1);
    if (kind === 'schemas') return this.list(keyword, value, depth);
    if (kind === 'schema_or_schemas')
      return isList(value) ? this.list(keyword, value, depth) : this.schema(value, depth + 1);
    if (kind === 'schema_map' || kind === 'schema_or_strings_map') {
      if (!isObject(value)) throw wrong(keyword, 'an object');
      for (const [name, inner] of Object.entries(value)) {
        if (keyword === 'patternProperties') this.pattern(keyword, name);
        if (kind === 'schema_or_strings_map' && isStrings(inner)) continue;
        this.schema(inner, depth + 1);
      }
      return;
    }
    const expected = checkPlain(kind, value);
    if (expected !== undefined) throw wrong(keyword, expected);
    if (keyword === 'pattern') this.pattern(keyword, value as string);
    if (keyword === '$ref') followReference(this.root, value as string);
  }

  private list(keyword: string, value: JsonValue, depth: number): void {
    if (!isList(value)) throw wrong(keyword, 'a list of schemas');
    for (const inner of value) this.schema(inner, depth + 1);
  }

  private pattern(keyword: string, source: string): void {
    if (this.patterns.has(source)) return;
    if (source.length > MAX_PATTERN_UNITS)
      throw new SchemaUnusable(`a pattern has more than ${MAX_PATTERN_UNITS} characters`);
    this.spend(expressionCost(source, false));
    let program: RE2JS;
    try {
      program = RE2JS.compile(source);
    } catch {
      throw new SchemaUnusable(`"${keyword}" has a pattern that is not valid RE2`);
    }
    if (program.programSize() > MAX_PATTERN_PROGRAM)
      throw new SchemaUnusable(`"${keyword}" has a pattern that is too large`);
    this.spend(program.programSize() * INSTRUCTION_MICROS);
    this.patterns.set(source, program);
  }

  private spend(micros: number): void {
    this.cost += micros;
    if (this.cost > MAX_COST) throw new SchemaUnusable('the patterns of the schema take too long to compile');
  }
}

/** The expected kind of value; undefined if the value is valid. */
function checkPlain(kind: KeywordValue, value: JsonValue): string | undefined {
  const right = (is: boolean, expected: string): string | undefined => (is ? undefined : expected);
  switch (kind) {
    case 'strings_map':
      return right(isObject(value) && Object.values(value).every(isStrings), 'an object of lists of names');
    case 'strings':
      return right(isStrings(value), 'a list of names');
    case 'types':
      return right(
        (isList(value) ? value : [value]).every((type) => TYPES.has(type as string)),
        'a type, or a list of types',
      );
    case 'list':
      return right(isList(value), 'a list');
    case 'number':
      return right(typeof value === 'number', 'a number');
    case 'positive':
      return right(typeof value === 'number' && value > 0, 'a number above 0');
    case 'count':
      return right(Number.isInteger(value) && (value as number) >= 0, 'a whole number');
    case 'text':
      return right(typeof value === 'string', 'a text');
    case 'flag':
      return right(typeof value === 'boolean', 'true or false');
    case 'anything':
      return undefined;
    case 'schema':
    case 'schemas':
    case 'schema_or_schemas':
    case 'schema_map':
    case 'schema_or_strings_map':
      throw new RangeError('schemas are checked recursively, not as plain values');
  }
}

function isStrings(value: JsonValue): boolean {
  return isList(value) && value.every((item) => typeof item === 'string');
}

function wrong(keyword: string, expected: string): SchemaUnusable {
  return new SchemaUnusable(`"${keyword}" needs ${expected}`);
}

/**
 * Resolves a reference inside the same schema (RFC 6901 pointers: `#`, `#/$defs/name`).
 *
 * @throws SchemaUnusable if it points outside or to nothing
 */
export function followReference(root: JsonValue, reference: string): JsonObject | boolean {
  if (!/^#(?:\/.*)?$/s.test(reference)) throw new SchemaUnusable('"$ref" points outside the schema');
  let at: JsonValue | undefined = root;
  for (const step of reference.slice(1).split('/').slice(1)) {
    const key = decodePointer(step);
    at = isList(at) ? at[/^\d+$/.test(key) ? Number(key) : -1] : isObject(at) ? member(at, key) : undefined;
  }
  if (typeof at === 'boolean' || isObject(at)) return at;
  throw new SchemaUnusable('"$ref" points to nothing');
}

function decodePointer(step: string): string {
  try {
    return decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~');
  } catch {
    throw new SchemaUnusable('"$ref" is not a valid JSON pointer');
  }
}
