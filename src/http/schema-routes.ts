/** One zod schema per body, for validation and for the OpenAPI document. */
import type { ApiBodyOptions, ApiResponseOptions } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { plainWords, schemaProblems, type Steps } from '../core/index.js';
import { readingJsonBody, readJsonBody } from './json-body.js';
import { invalidRequest } from './weir-error.js';

/** A request body for `@ApiBody`. */
export function bodySchema(schema: z.ZodType): ApiBodyOptions {
  return { schema: openApiSchema(schema, 'input') };
}

/** An answer for `@ApiResponse`. */
export function answerSchema(status: number, description: string, schema: z.ZodType): ApiResponseOptions {
  return { status, description, schema: openApiSchema(schema) };
}

/**
 * Reads and validates the request's body.
 *
 * @throws {WeirError} 422 with one entry per wrong field or unknown key; no value is repeated
 */
export function readBody<T>(schema: z.ZodType<T>, request: FastifyRequest): T {
  return checked(schema, readJsonBody(request).value);
}

/** `readBody` in steps, for bodies that may be large. */
export function* readingBody<T>(schema: z.ZodType<T>, request: FastifyRequest): Steps<T> {
  const doc = yield* readingJsonBody(request);
  return checked(schema, yield* doc.readingWhole());
}

/**
 * Validates a query string, or any other value from outside.
 *
 * @param within the place of the value in the request, for the paths of errors
 * @throws {WeirError} 422
 */
export function checked<T>(schema: z.ZodType<T>, value: unknown, within?: readonly PropertyKey[]): T {
  const parsed = schema.safeParse(value, { error: plainWords });
  if (!parsed.success) throw invalidRequest(schemaProblems(parsed.error, within));
  return parsed.data;
}

/** Schemas with a name (`.meta({ id })`), for `components.schemas` of the document. */
const named = new Map<string, object>();

/** Every schema with a name that a route has used so far. */
export function namedSchemas(): Record<string, object> {
  return Object.fromEntries([...named].sort(([a], [b]) => (a < b ? -1 : 1)));
}

const COMPONENTS = '#/components/schemas/';

/**
 * Converts a schema for the OpenAPI document. Named schemas become references everywhere, even at the root, where zod would inline them.
 */
export function openApiSchema(schema: z.ZodType, io: 'input' | 'output' = 'output'): object {
  const made = z.toJSONSchema(z.strictObject({ root: schema }), {
    target: 'openapi-3.0',
    io,
  }) as unknown as { readonly properties: { readonly root: object }; readonly definitions?: Record<string, object> };
  for (const [name, definition] of Object.entries(made.definitions ?? {})) {
    named.set(name, withReferences(definition));
  }
  return withReferences(made.properties.root);
}

/** Converts references within the schema into references within the document. */
function withReferences(schema: object): object {
  return JSON.parse(JSON.stringify(schema), (key, value: unknown) => {
    if (key === '$ref' && typeof value === 'string') return value.replace('#/definitions/', COMPONENTS);
    return value;
  }) as object;
}
