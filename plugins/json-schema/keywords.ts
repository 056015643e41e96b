import type { JsonValue } from '../../src/core/plugin-api.js';

/** The required type of a keyword's value. */
export type KeywordValue =
  | 'schema'
  | 'schemas'
  | 'schema_or_schemas'
  | 'schema_map'
  | 'schema_or_strings_map'
  | 'strings_map'
  | 'strings'
  | 'types'
  | 'list'
  | 'anything'
  | 'number'
  | 'positive'
  | 'count'
  | 'text'
  | 'flag';

/**
 * The keywords of JSON Schema that constrain a value, drafts 6 to 2020-12
 * (https://json-schema.org/draft/2020-12/json-schema-validation). Other keywords (titles, formats, defaults) are annotations without
 * effect.
 */
export const KEYWORDS: Readonly<Record<string, KeywordValue>> = {
  $ref: 'text',
  $defs: 'schema_map',
  definitions: 'schema_map',
  type: 'types',
  enum: 'list',
  const: 'anything',
  multipleOf: 'positive',
  minimum: 'number',
  maximum: 'number',
  exclusiveMinimum: 'number',
  exclusiveMaximum: 'number',
  minLength: 'count',
  maxLength: 'count',
  pattern: 'text',
  items: 'schema_or_schemas',
  prefixItems: 'schemas',
  additionalItems: 'schema',
  contains: 'schema',
  minContains: 'count',
  maxContains: 'count',
  minItems: 'count',
  maxItems: 'count',
  uniqueItems: 'flag',
  required: 'strings',
  properties: 'schema_map',
  patternProperties: 'schema_map',
  additionalProperties: 'schema',
  propertyNames: 'schema',
  minProperties: 'count',
  maxProperties: 'count',
  dependentRequired: 'strings_map',
  dependentSchemas: 'schema_map',
  dependencies: 'schema_or_strings_map',
  allOf: 'schemas',
  anyOf: 'schemas',
  oneOf: 'schemas',
  not: 'schema',
  if: 'schema',
  then: 'schema',
  else: 'schema',
};

/** Keywords that affect validity but are not supported: a schema with one of them is unusable. */
export const NOT_EVALUATED: ReadonlySet<string> = new Set([
  '$anchor',
  '$dynamicRef',
  '$dynamicAnchor',
  '$recursiveRef',
  '$recursiveAnchor',
  'unevaluatedProperties',
  'unevaluatedItems',
]);

export const TYPES: ReadonlySet<string> = new Set([
  'null',
  'boolean',
  'object',
  'array',
  'number',
  'integer',
  'string',
]);

export type JsonObject = { readonly [key: string]: JsonValue };

export function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isList(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value);
}

/** Reads own members only, so that `constructor` and `__proto__` in a schema are ordinary names. */
export function member(object: JsonObject, key: string): JsonValue | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}
