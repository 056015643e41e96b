import type { OPERATIONS } from './operations.js';
import type { operations } from './schema.js';

export type OperationId = keyof typeof OPERATIONS & keyof operations;

type Params<Id extends OperationId, Where extends 'path' | 'query'> =
  NonNullable<operations[Id]['parameters'][Where]> extends infer Found
    ? [Found] extends [never]
      ? unknown
      : Found
    : never;

type BodyOf<Operation> = Operation extends { requestBody: { content: infer Content } }
  ? { readonly body: JsonOf<Content> }
  : Operation extends { requestBody?: { content: infer Content } }
    ? { readonly body?: JsonOf<Content> }
    : unknown;

type JsonOf<Content> = Content extends { 'application/json': infer Json } ? Json : Content[keyof Content];

/** The parameters of path and query in one object, and the body as a separate property. */
export type Input<Id extends OperationId> = Params<Id, 'path'> & Params<Id, 'query'> & BodyOf<operations[Id]>;

type Responses<Id extends OperationId> = operations[Id]['responses'];
type Successes = 200 | 201 | 202 | 203;

type ContentOf<Answer> = Answer extends { content: infer Content } ? Content : undefined;

type Success<Id extends OperationId> =
  Extract<keyof Responses<Id>, Successes> extends never
    ? undefined
    : ContentOf<Responses<Id>[Extract<keyof Responses<Id>, Successes>]>;

/** The result of an operation: its JSON, nothing, or for files and streams the response itself. */
export type Output<Id extends OperationId> =
  Success<Id> extends infer Content
    ? Content extends { 'application/json': infer Json }
      ? Json
      : Content extends undefined
        ? void
        : Response
    : never;

type Optional<Value> =
  Record<never, never> extends Value ? [input?: Value, options?: CallOptions] : [input: Value, options?: CallOptions];

export interface CallOptions {
  readonly signal?: AbortSignal;
}

export type Method<Id extends OperationId> = (...args: Optional<Input<Id>>) => Promise<Output<Id>>;
