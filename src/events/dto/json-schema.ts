/** The JSON schema of an event class, read from the same declarations that OpenAPI is printed from. */
import { DECORATORS } from '@nestjs/swagger';
import type { SchemaObject } from 'ajv';
import { schemaRulesOf } from './schema-rule.js';

type DtoClass = new () => object;
type PropertyMetadata = Readonly<Record<string, unknown>> & {
  readonly required?: boolean;
  readonly nullable?: boolean;
};

/** Keywords of the declaration that a validator has no use for. */
const DOCUMENTATION = new Set(['required', 'nullable', 'description', 'example', 'type', 'isArray', 'enumName']);

/** Names of the declared fields, inherited ones included. */
export function fieldNamesOf(target: DtoClass): readonly string[] {
  const listed = Reflect.getMetadata(DECORATORS.API_MODEL_PROPERTIES_ARRAY, target.prototype as object) as
    string[] | undefined;
  return (listed ?? []).map((name) => name.slice(1));
}

/**
 * Builds the schema of a class. `closed` refuses keys that are not declared; nested classes stay open.
 * A field that is not required may also be null.
 */
export function jsonSchemaOf(target: DtoClass, closed = false): SchemaObject {
  const properties: Record<string, SchemaObject> = {};
  const required: string[] = [];
  for (const name of fieldNamesOf(target)) {
    const property = Reflect.getMetadata(
      DECORATORS.API_MODEL_PROPERTIES,
      target.prototype as object,
      name,
    ) as PropertyMetadata;
    properties[name] = fieldSchema(property);
    if (property.required === true) required.push(name);
  }
  const rules = schemaRulesOf(target);
  return {
    type: 'object',
    properties,
    required,
    ...(closed ? { additionalProperties: false } : {}),
    ...(rules.length === 0 ? {} : { allOf: rules }),
  };
}

function fieldSchema(property: PropertyMetadata): SchemaObject {
  const keywords = Object.fromEntries(Object.entries(property).filter(([keyword]) => !DOCUMENTATION.has(keyword)));
  const schema = typed(property, keywords);
  if (property.nullable !== true || Object.keys(schema).length === 0) return schema;
  return { anyOf: [schema, { type: 'null' }] };
}

function typed({ type, isArray }: PropertyMetadata, keywords: SchemaObject): SchemaObject {
  if (typeof type === 'string') return { type, ...keywords };
  // `Object` is what the compiler emits for a field of several types, or of any.
  if (typeof type !== 'function' || type === Object) return keywords;
  const given = (type as () => DtoClass | readonly DtoClass[])();
  const nested = Array.isArray(given) ? (given as readonly DtoClass[])[0] : (given as DtoClass);
  if (nested === undefined) return keywords;
  const schema = jsonSchemaOf(nested);
  return Array.isArray(given) || isArray === true
    ? { type: 'array', items: schema, ...keywords }
    : { ...schema, ...keywords };
}
