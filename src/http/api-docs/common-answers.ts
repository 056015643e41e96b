import type { OpenAPIObject } from '@nestjs/swagger';
import { z } from 'zod';
import { ERROR_CATALOGUE, type ErrorType } from '../../core/index.js';
import { openApiSchema } from '../schema-routes.js';

type PathItem = OpenAPIObject['paths'][string];
type Operation = NonNullable<PathItem['get']>;
type Responses = Operation['responses'];
type Response = NonNullable<Responses[string]>;

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;

const ERROR = z
  .strictObject({
    error: z.strictObject({
      type: z.enum(Object.keys(ERROR_CATALOGUE) as [ErrorType, ...ErrorType[]]),
      message: z.string(),
      trace_id: z.string().describe('Id of the request, as in the logs of the service.'),
      details: z
        .array(z.strictObject({ path: z.string(), message: z.string() }))
        .optional()
        .describe('One entry per wrong field; the entries never contain submitted values.'),
      decision: z.literal('block').optional(),
      violations: z.array(z.record(z.string(), z.unknown())).optional(),
      event_id: z.string().optional(),
      docs: z.string().describe('URL of the explanation of the error type.'),
    }),
  })
  .meta({ id: 'Error' });

/** Answers that all routes of a kind have in common; a route's own description of a status takes precedence. */
const COMMON: readonly { status: number; description: string; when: (operation: Operation) => boolean }[] = [
  { status: 401, description: 'No valid credentials.', when: hasCredentials },
  {
    status: 403,
    description: 'The credentials do not permit the request, or a page of another site sent it.',
    when: () => true,
  },
  { status: 404, description: 'Not found in this account.', when: () => true },
  { status: 409, description: 'The object was changed by another request at the same time: try again.', when: hasBody },
  { status: 413, description: 'The body is too large.', when: hasBody },
  { status: 422, description: 'The request is malformed; `details` names the wrong fields.', when: () => true },
  { status: 429, description: 'Too many requests; `Retry-After` contains the waiting time.', when: () => true },
  { status: 431, description: 'The address and the headers of the request are over 16 KiB.', when: () => true },
  { status: 503, description: 'The service is unavailable or overloaded: try again.', when: () => true },
];

/** Adds the common answers of its kind to each operation, and a body to each error. */
export function withCommonAnswers(paths: OpenAPIObject['paths']): OpenAPIObject['paths'] {
  return Object.fromEntries(Object.entries(paths).map(([path, item]) => [path, completed(item)]));
}

function completed(item: PathItem): PathItem {
  const operations = METHODS.flatMap((method) => {
    const operation = item[method];
    return operation === undefined ? [] : [[method, { ...operation, responses: answersOf(operation) }] as const];
  });
  return { ...item, ...Object.fromEntries(operations) };
}

function answersOf(operation: Operation): Responses {
  const common = COMMON.filter(({ when }) => when(operation)).map(({ status, description }): [string, Response] => [
    String(status),
    { description },
  ]);
  const all = { ...Object.fromEntries(common), ...operation.responses };
  return Object.fromEntries(
    Object.entries(all).flatMap(([status, answer]) =>
      answer === undefined ? [] : [[status, Number(status) < 400 ? answer : withBody(answer)]],
    ),
  );
}

/** An error without a schema of its own has Weir's error format. */
function withBody(answer: Response): Response {
  if ('$ref' in answer || answer.content !== undefined) return answer;
  return { ...answer, content: { 'application/json': { schema: openApiSchema(ERROR) } } };
}

function hasCredentials({ security }: Operation): boolean {
  return security !== undefined && security.length > 0;
}

function hasBody({ requestBody }: Operation): boolean {
  return requestBody !== undefined;
}
