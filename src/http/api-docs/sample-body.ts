import type { OpenAPIObject } from '@nestjs/swagger';

export type Schemas = NonNullable<NonNullable<OpenAPIObject['components']>['schemas']>;
export type Schema = Schemas[string];
type SchemaObject = Exclude<Schema, { $ref: string }>;
export type SampleValue =
  string | number | boolean | null | readonly SampleValue[] | { readonly [key: string]: SampleValue };

const MAX_DEPTH = 6;

/**
 * The shortest value that a schema allows: the required parts, with the schema's own example if it has one. Of several variants, the
 * first.
 */
export function sampleOf(schema: Schema, schemas: Schemas, depth = 0): SampleValue {
  if ('$ref' in schema) return sampleOf(schemas[schema.$ref.split('/').at(-1) ?? ''] ?? {}, schemas, depth);
  const written = (schema.example ?? schema.default ?? schema.enum?.[0]) as SampleValue | undefined;
  if (written !== undefined) return written;
  const [variant] = schema.oneOf ?? schema.anyOf ?? schema.allOf ?? [];
  if (variant !== undefined) return sampleOf(variant, schemas, depth);
  switch (schema.type) {
    case 'object':
      return objectOf(schema, schemas, depth);
    case 'array':
      return schema.items === undefined || depth > MAX_DEPTH ? [] : [sampleOf(schema.items, schemas, depth + 1)];
    case 'integer':
    case 'number':
      return schema.minimum ?? 1;
    case 'boolean':
      return true;
    case 'string':
      return textOf(schema);
    default:
      return {};
  }
}

function objectOf({ required = [], properties = {} }: SchemaObject, schemas: Schemas, depth: number): SampleValue {
  if (depth > MAX_DEPTH) return {};
  const named = required.flatMap((name) => {
    const property = properties[name];
    return property === undefined ? [] : [[name, sampleOf(property, schemas, depth + 1)] as const];
  });
  return Object.fromEntries(named);
}

function textOf({ format, minLength = 0 }: SchemaObject): string {
  if (format === 'date-time') return '2026-12-31T23:59:59Z';
  if (format === 'uuid') return '00000000-0000-4000-8000-000000000000';
  if (format === 'email') return 'ada@example.com';
  return '…'.padEnd(minLength, '…');
}
