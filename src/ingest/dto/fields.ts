/**
 * Decorators for the fields of an event. Each declares one field twice: for the JSON schema (OpenAPI, hot path) and for class-validator
 * (details of a refusal). A property test checks that both agree.
 */
import { applyDecorators } from '@nestjs/common';
import { ApiExtraModels, ApiProperty, getSchemaPath, type ApiPropertyOptions } from '@nestjs/swagger';
import {
  IsArray,
  IsBoolean,
  IsIn,
  IsInt,
  IsNumber,
  IsObject,
  IsOptional,
  Matches,
  Max,
  Min,
  ValidateBy,
  ValidateIf,
  ValidateNested,
} from 'class-validator';
import { noteNestedOrText } from './nested-or-text.js';

interface FieldOptions {
  readonly description: string;
  readonly required?: boolean;
  readonly example?: unknown;
}

/** Declares a field for both sides. `null` counts as absent if the field is optional. */
function field(schema: ApiPropertyOptions, options: FieldOptions, checks: PropertyDecorator[]): PropertyDecorator {
  const { required = false, ...about } = options;
  const property = { ...schema, ...about, required, ...(required ? {} : { nullable: true }) } as ApiPropertyOptions;
  return applyDecorators(ApiProperty(property), ...(required ? [] : [IsOptional()]), ...checks);
}

/** A string that matches `pattern` as a whole; `rule` finishes the sentence "must be …". */
export function PatternField(pattern: string, rule: string, options: FieldOptions): PropertyDecorator {
  const message = `must be ${rule}`;
  return field({ type: 'string', pattern }, options, [Matches(new RegExp(pattern, 'u'), { message })]);
}

/** A name or id: one line, no control characters, no half surrogate pairs. Such text goes into indexes and log lines. */
export function IdentifierField(maxLength: number, options: FieldOptions): PropertyDecorator {
  const pattern = `^[^\\p{Cc}\\p{Cs}]{1,${maxLength}}$`;
  return PatternField(pattern, `a string of 1 to ${maxLength} characters without control characters`, options);
}

/** Any text. */
export function TextField(options: FieldOptions): PropertyDecorator {
  return field({ type: 'string' }, options, [kindOf('string', (value) => typeof value === 'string')]);
}

/** One of a closed list of words. */
export function WordField(words: readonly string[], options: FieldOptions): PropertyDecorator {
  const message = `must be ${words.length === 1 ? '' : 'one of '}${words.join(', ')}`;
  // `nullable` only adds a type; the list of values has to contain null itself.
  const values = options.required === true ? [...words] : [...words, null];
  return field({ type: 'string', enum: values as string[] }, options, [IsIn(words, { message })]);
}

export function BooleanField(options: FieldOptions): PropertyDecorator {
  return field({ type: 'boolean' }, options, [IsBoolean({ message: 'must be true or false' })]);
}

/** An integer from `minimum` to `maximum`, both included. */
export function IntegerField(minimum: number, maximum: number, options: FieldOptions): PropertyDecorator {
  const message = `must be a whole number from ${minimum} to ${maximum}`;
  const checks = [IsInt({ message }), Min(minimum, { message }), Max(maximum, { message })];
  return field({ type: 'integer', minimum, maximum }, options, checks);
}

/** A finite number from `minimum` to `maximum`, both included. */
export function NumberField(minimum: number, maximum: number, options: FieldOptions): PropertyDecorator {
  const message = `must be a number from ${minimum} to ${maximum}`;
  const checks = [IsNumber({}, { message }), Min(minimum, { message }), Max(maximum, { message })];
  return field({ type: 'number', minimum, maximum }, options, checks);
}

/** An object with any keys. */
export function OpenObjectField(options: FieldOptions): PropertyDecorator {
  const schema: ApiPropertyOptions = { type: 'object', additionalProperties: true };
  return field(schema, options, [IsObject({ message: 'must be an object' })]);
}

/** An object of one of our DTO classes. */
export function NestedField(type: () => new () => object, options: FieldOptions): PropertyDecorator {
  // The wrapper is necessary: Swagger treats a function as a reference to a class only if the function is named `type`.
  return field({ type: () => type() }, options, [IsObject({ message: 'must be an object' }), ValidateNested()]);
}

/** A string, or an object of one of our DTO classes. */
export function NestedOrTextField(type: () => new () => object, options: FieldOptions): PropertyDecorator {
  return (target, key) => {
    const schema: ApiPropertyOptions = { oneOf: [{ type: 'string' }, { $ref: getSchemaPath(type()) }] };
    const isNested = (_object: object, value: unknown): boolean => value !== null && typeof value !== 'string';
    const message = 'must be a string or an object';
    const checks = [ValidateIf(isNested), IsObject({ message }), ValidateNested()];
    field(schema, options, checks)(target, key);
    ApiExtraModels(type())(target.constructor);
    noteNestedOrText(target, String(key), type);
  };
}

/** A list with at least one object of one of our DTO classes. */
export function NestedListField(type: () => new () => object, options: FieldOptions): PropertyDecorator {
  const message = 'must be a list with at least one object';
  const filled = kindOf('list with at least one object', (value) => Array.isArray(value) && value.length > 0);
  return field({ type: () => [type()], minItems: 1 }, options, [
    IsArray({ message }),
    filled,
    IsObject({ each: true, message: 'must be a list of objects' }),
    ValidateNested({ each: true }),
  ]);
}

/** A list of objects with any keys. */
export function OpenListField(options: FieldOptions): PropertyDecorator {
  const schema: ApiPropertyOptions = { type: 'array', items: { type: 'object', additionalProperties: true } };
  return field(schema, options, [kindOf('list of objects', isObjectList)]);
}

/** A string, or the provider's list of parts. */
export function ContentField(options: FieldOptions): PropertyDecorator {
  const schema: ApiPropertyOptions = {
    oneOf: [{ type: 'string' }, { type: 'array', items: { type: 'object', additionalProperties: true } }],
  };
  const accepts = (value: unknown): boolean => typeof value === 'string' || isObjectList(value);
  return field(schema, options, [kindOf('string or a list of parts', accepts)]);
}

/** A string, a list of parts, or an object with any keys. */
export function OutputField(options: FieldOptions): PropertyDecorator {
  const object = { type: 'object', additionalProperties: true };
  const schema: ApiPropertyOptions = { oneOf: [{ type: 'string' }, { type: 'array', items: object }, object] };
  const accepts = (value: unknown): boolean => typeof value === 'string' || isObjectList(value) || isObject(value);
  return field(schema, options, [kindOf('string, a list of parts or an object', accepts)]);
}

/**
 * A text, a list of texts, of token ids or of lists of token ids, or an object that names a stored prompt and its variables:
 * https://platform.openai.com/docs/api-reference/responses/create#responses-create-prompt
 */
export function PromptField(options: FieldOptions): PropertyDecorator {
  const ids = { type: 'array', items: { type: 'number' } };
  const items = { oneOf: [{ type: 'string' }, { type: 'number' }, ids] };
  const object = { type: 'object', additionalProperties: true };
  const accepts = (value: unknown): boolean =>
    typeof value === 'string' || isObject(value) || (Array.isArray(value) && value.every((item) => isPromptItem(item)));
  return field({ oneOf: [{ type: 'string' }, { type: 'array', items }, object] }, options, [
    kindOf('string, a list of texts or token ids, or an object', accepts),
  ]);
}

function isPromptItem(item: unknown): boolean {
  return typeof item === 'string' || isNumber(item) || (Array.isArray(item) && item.every(isNumber));
}

function isNumber(value: unknown): boolean {
  return typeof value === 'number';
}

/** An object with any keys, or the same as JSON in a string. */
export function ArgumentsField(options: FieldOptions): PropertyDecorator {
  const schema: ApiPropertyOptions = { oneOf: [{ type: 'object', additionalProperties: true }, { type: 'string' }] };
  return field(schema, options, [
    kindOf('object, or JSON in a string', (value) => typeof value === 'string' || isObject(value)),
  ]);
}

/** Any JSON value. */
export function AnyField(options: FieldOptions): PropertyDecorator {
  // Without explicit types, the OpenAPI document would declare an object.
  const oneOf = [
    ...['string', 'number', 'boolean'].map((type) => ({ type })),
    { type: 'object', additionalProperties: true },
    { type: 'array', items: {} },
  ];
  return applyDecorators(ApiProperty({ ...options, oneOf, required: false, nullable: true }), IsOptional());
}

function kindOf(kind: string, accepts: (value: unknown) => boolean): PropertyDecorator {
  const article = /^[aeiou]/.test(kind) ? 'an' : 'a';
  return ValidateBy({
    name: kind.replaceAll(' ', '-'),
    validator: { validate: accepts, defaultMessage: () => `must be ${article} ${kind}` },
  });
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isObjectList(value: unknown): boolean {
  return Array.isArray(value) && value.every(isObject);
}
