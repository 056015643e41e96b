import type { OpenAPIObject } from '@nestjs/swagger';
import { PROVIDER_STYLES } from '../../core/index.js';

type PathItem = OpenAPIObject['paths'][string];
type Operation = NonNullable<PathItem['post']>;

const text = (description: string) => ({ description, schema: { type: 'string' as const } });
const DECISION_HEADERS = {
  'x-weir-call': text('Id of the call, for reporting its answer.'),
  'x-weir-event-id': text('Id of the event that was recorded.'),
  'x-weir-decision': text('`allow`, `redact` or `block`.'),
  'x-weir-governed': text('`false`: the route is not governed; only the texts in its JSON were judged.'),
  'x-weir-redactions': text('Number of replacements by type, such as `EMAIL=2`.'),
  'idempotent-replayed': text('`true` if this is the stored answer to an earlier submission of the same request.'),
};
const DIALECT = { 'application/json': { schema: { type: 'object' as const } } };

/**
 * The route for judging a call on request, for the OpenAPI document, which is generated from controllers. This route has none, because
 * its path and body are those of a provider.
 */
export function callPaths(): Record<string, PathItem> {
  const post: Operation = {
    operationId: 'askCall',
    tags: ['calls'],
    summary:
      'Submit a call before its client sends it: the answer contains the decision, and the changed body to send if there is one.',
    description:
      'For clients that call their provider directly. The call is judged and recorded, and its cost reserved in budgets, as in the proxy; the client reports the end of the call afterwards. The status of the answer shows the decision.',
    security: [{ service_key: [] }],
    parameters: [
      inPath('provider', `${PROVIDER_STYLES.map((id) => `\`${id}\``).join(', ')}, or a provider from the settings.`),
      inPath('path', "The provider's path with its query, without credentials."),
      inHeader('x-weir-method', "Method of the provider's route.", {
        type: 'string',
        enum: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'],
        default: 'POST',
      }),
      inHeader(
        'idempotency-key',
        'Idempotency key: a repeated request with the same key gets the same answer and is counted once.',
        {
          type: 'string',
          pattern: '^[A-Za-z0-9_.:-]{1,128}$',
        },
      ),
      inHeader('x-service-metadata', 'A JSON object that is recorded with the call.', { type: 'string' }),
      inHeader('x-service-session', 'Session that the call belongs to.', {
        type: 'string',
        pattern: '^[!-~]{1,256}$',
      }),
    ],
    requestBody: {
      description:
        'The body that the client would send to the provider, of any content type, optionally compressed with `gzip`, `deflate`, `br` or `zstd`.',
      content: { '*/*': { schema: { type: 'string', format: 'binary' } } },
    },
    responses: {
      200: {
        description:
          'The call may be sent with this uncompressed body in place of its own. Every compressed body is answered in this way.',
        headers: DECISION_HEADERS,
        content: { '*/*': { schema: { type: 'string', format: 'binary' } } },
      },
      204: { description: 'The call may be sent unchanged.', headers: DECISION_HEADERS },
      ...Object.fromEntries(REFUSALS.map(([status, description]) => [status, { description, content: DIALECT }])),
    },
  };
  return { '/v1/calls/{provider}/{path}': { post } };
}

/** Refusals in the dialect of the provider, to be passed to its client unchanged. */
const REFUSALS: readonly (readonly [number, string])[] = [
  [400, 'Refused by a rule, or by a budget that blocks.'],
  [401, 'No valid service key.'],
  [402, 'The subscription of the account has ended.'],
  [403, 'A page of another site sent the request, which is not allowed.'],
  [404, 'There is no such provider here.'],
  [409, 'The same request is being processed: try again.'],
  [413, 'The body is too large.'],
  [
    422,
    'The request cannot be read with certainty, or its idempotency key was used for another request; `details` contains the reasons.',
  ],
  [429, 'Too many requests, or the rest of a budget is reserved by calls in flight: try again.'],
  [500, 'A fault of this service.'],
  [503, 'A guardrail or the log is unavailable, or the service is overloaded: try again.'],
];

function inPath(name: string, description: string) {
  return { name, in: 'path' as const, required: true, schema: { type: 'string' as const }, description };
}

function inHeader(name: string, description: string, schema: object) {
  return { name, in: 'header' as const, required: false, schema, description };
}
