/** The JSON schema of an event class, derived from the same declarations as the OpenAPI document. */
import { DECORATORS } from '@nestjs/swagger';
import type { SchemaObject } from 'ajv';
import { nestedOrText } from './nested-or-text.js';
import { memoizeByObject } from '../../core/index.js';

export type DtoClass = new () => object;

/** A declared field. `nested` is the class of its value, or of its items when `list` is set. */
export interface DtoField {
  readonly name: string;
  readonly required: boolean;
  readonly nested?: DtoClass;
  readonly list: boolean;
  /** The value may be a string instead of a `nested` object. */
  readonly orText?: true;
  /** The keywords of its JSON schema, without those of a nested class. */
  readonly schema: SchemaObject;
}

type PropertyMetadata = Readonly<Record<string, unknown>> & { readonly required?: boolean };

/** Keywords of the declaration that do not describe the value itself. */
const NOT_SCHEMA = new Set(['required', 'nullable', 'description', 'example', 'type', 'isArray', 'enumName']);

/** The declared fields of a class, inherited ones included. */
export const fieldsOf = memoizeByObject(readFields);

/**
 * Builds the schema of a class. `closed` refuses keys that are not declared; nested classes stay open.
 * A field that is not required may also be null.
 */
export function jsonSchemaOf(target: DtoClass, closed = false): SchemaObject {
  const fields = fieldsOf(target);
  return {
    type: 'object',
    properties: Object.fromEntries(fields.map((field) => [field.name, fieldSchema(field)])),
    required: fields.filter(({ required }) => required).map(({ name }) => name),
    ...(closed ? { additionalProperties: false } : {}),
  };
}

function readFields(target: DtoClass): DtoField[] {
  const prototype = target.prototype as object;
  const listed = Reflect.getMetadata(DECORATORS.API_MODEL_PROPERTIES_ARRAY, prototype) as string[] | undefined;
  return (listed ?? []).map((marked) => {
    const name = marked.slice(1);
    const property = Reflect.getMetadata(DECORATORS.API_MODEL_PROPERTIES, prototype, name) as PropertyMetadata;
    const keywords = Object.fromEntries(Object.entries(property).filter(([keyword]) => !NOT_SCHEMA.has(keyword)));
    const { type } = property;
    const base = { name, required: property.required === true };
    const nestedIn = nestedOrText(prototype, name);
    if (nestedIn !== undefined) return { ...base, nested: nestedIn, list: false, orText: true, schema: {} };
    if (typeof type === 'string') return { ...base, list: false, schema: { type, ...keywords } };
    // The compiler emits `Object` for a field of several types, or of any type.
    if (typeof type !== 'function' || type === Object) return { ...base, list: false, schema: keywords };
    const given = (type as () => DtoClass | readonly [DtoClass])();
    const [nested, list] = typeof given === 'function' ? [given, false] : [given[0], true];
    return { ...base, nested, list, schema: keywords };
  });
}

function fieldSchema({ required, nested, list, orText, schema: keywords }: DtoField): SchemaObject {
  const object = nested === undefined ? {} : jsonSchemaOf(nested);
  const inner = orText === true ? { anyOf: [{ type: 'string' }, object] } : object;
  const schema = list ? { type: 'array', items: inner, ...keywords } : { ...inner, ...keywords };
  return required || Object.keys(schema).length === 0 ? schema : { anyOf: [schema, { type: 'null' }] };
}
