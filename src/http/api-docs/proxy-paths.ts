import type { OpenAPIObject } from '@nestjs/swagger';
import { PROVIDERS, PROVIDER_STYLES } from '../../core/index.js';

type PathItem = OpenAPIObject['paths'][string];

/** Governed routes of a provider; every other path under it is forwarded, logged and scanned. */
const ROUTES = PROVIDER_STYLES.flatMap((provider) =>
  PROVIDERS[provider].apiRoutes.map(({ path, summary }) => ({ provider, path, summary })),
);

/**
 * The proxy's routes for the OpenAPI document, which is generated from controllers. These routes have none, and their bodies are those
 * of the providers.
 */
export function proxyPaths(): Record<string, PathItem> {
  const governed = ROUTES.map(({ provider, path, summary }): [string, PathItem] => [
    `/proxy/${provider}${path}`,
    {
      post: {
        operationId: operationIdOf(provider, path),
        tags: ['proxy'],
        summary: `${summary} The call is judged and recorded; request and answer have the provider's own format.`,
        security: [{ proxy_key: [] }],
        ...(path.includes('{model}') && { parameters: [MODEL] }),
        requestBody: { required: true, content: { 'application/json': { schema: {} } } },
        responses: responses(),
      },
    },
  ]);
  return {
    ...Object.fromEntries(governed),
    '/proxy/{provider}/v1/{path}': {
      post: {
        operationId: 'proxy_any',
        tags: ['proxy'],
        summary:
          'Any other route and method of a provider. The call is forwarded and recorded; the texts in its JSON are judged.',
        security: [{ proxy_key: [] }],
        parameters: [
          {
            name: 'provider',
            in: 'path',
            required: true,
            schema: { type: 'string' },
            description: `${PROVIDER_STYLES.map((id) => `\`${id}\``).join(', ')}, or a provider from the settings.`,
          },
          {
            name: 'path',
            in: 'path',
            required: true,
            schema: { type: 'string' },
            description: "The rest of the provider's path.",
          },
        ],
        responses: responses(),
      },
    },
  };
}

const MODEL = {
  name: 'model',
  in: 'path',
  required: true,
  schema: { type: 'string' },
  description: "The model's name.",
} as const;

/** For example `proxy_openai_chat_completions` for `/v1/chat/completions` of `openai`. */
function operationIdOf(provider: string, path: string): string {
  return `proxy_${provider}_${path.replace(/^\/v\d+[a-z]*\//, '').replaceAll(/\W+/g, '_')}`;
}

function responses(): NonNullable<PathItem['post']>['responses'] {
  const any = { 'application/json': { schema: { type: 'object' as const } } };
  return {
    200: { description: "The provider's answer, as a stream if requested.", content: any },
    400: { description: 'Refused by a rule, in the format of the route; `error.weir` names the rule.', content: any },
    401: { description: 'There is no valid service key, or the provider answered with this status.', content: any },
    402: { description: 'The subscription of the account has ended.', content: any },
    403: {
      description: 'This service does not allow the request, or the provider answered with this status.',
      content: any,
    },
    404: { description: 'The provider is unknown here, or it has no such route.', content: any },
    413: { description: 'The body is too large.', content: any },
    422: { description: 'The request cannot be read with certainty; `details` contains the reasons.', content: any },
    429: {
      description: 'Too many requests, or the rest of a budget is reserved by calls in flight: try again.',
      content: any,
    },
    500: { description: 'This service failed, or the provider answered with this status.', content: any },
    502: { description: 'The provider cannot be reached.', content: any },
    503: { description: 'A guardrail or the log is unavailable: try again.', content: any },
    504: { description: 'The provider did not answer in time.', content: any },
  };
}
