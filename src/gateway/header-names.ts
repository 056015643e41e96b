import { PROVIDERS } from '../core/index.js';

/** Headers that concern an AI call and may pass the proxy. All others are removed. */

/** A closed list of header names and of beginnings of names, all in lower case. */
export class HeaderNames {
  private readonly names: ReadonlySet<string>;
  private readonly families: readonly string[];

  /** @param entries names; one that ends with `*` stands for all that begin like it */
  constructor(entries: readonly string[]) {
    this.names = new Set(entries.filter((entry) => !entry.endsWith('*')));
    this.families = entries.filter((entry) => entry.endsWith('*')).map((entry) => entry.slice(0, -1));
  }

  has(lowerName: string): boolean {
    return this.names.has(lowerName) || this.families.some((family) => lowerName.startsWith(family));
  }
}

/** What providers that are built in call their own. */
const OF_BUILT_IN = Object.values(PROVIDERS).flatMap(({ headers }) => headers);

/** What SDKs and agents of the providers send: https://docs.anthropic.com/en/api/overview, https://platform.openai.com/docs/api-reference/authentication, Azure's and gateways' own. */
export const TO_PROVIDERS: readonly string[] = [
  'authorization',
  'api-key',
  'x-*',
  'accept',
  'accept-language',
  'content-*',
  'user-agent',
  'idempotency-key',
  'prefer',
  'range',
  'if-match',
  'if-none-match',
  ...OF_BUILT_IN,
  'azureml-*',
  'ocp-apim-*',
  'apim-*',
  'helicone-*',
  'cf-aig-*',
  'portkey-*',
  // OpenRouter ranks applications by it: https://openrouter.ai/docs/api-reference/overview#headers
  'http-referer',
  'traceparent',
  'tracestate',
  'baggage',
  // Codex: https://github.com/openai/codex
  'chatgpt-account-id',
  'originator',
  'session_id',
  'conversation_id',
  'version',
  'digest',
  'repr-digest',
  'want-repr-digest',
  'signature',
  'signature-input',
];

/** What only Weir and its clients say to each other. */
export const WEIRS_OWN = new HeaderNames(['x-service-*', 'x-weir-*']);

/** What says who a client is to proxies on its own side, although it begins like what may pass. */
export const OF_THE_CLIENTS_NETWORK = new HeaderNames([
  'x-forwarded-*',
  'x-forwarded',
  'x-real-ip',
  'x-client-ip',
  'x-cluster-client-ip',
  'x-original-*',
  'x-envoy-*',
  'x-auth-request-*',
  'x-amzn-oidc-*',
  'x-amzn-mtls-*',
  'x-goog-iap-*',
  'x-goog-authenticated-user-*',
  'x-ms-client-principal*',
  'x-ms-token-*',
  'x-remote-user',
  'x-csrf-token',
  'x-xsrf-token',
]);

/** What has lenient servers take a request for another one than was judged: another method, path or host. */
export const REWRITES = new HeaderNames(['x-http-*', 'x-method-*', 'x-rewrite-*', 'x-host', 'x-override-*']);

/** What providers say about an answer: its form, its limits, its request. */
export const FROM_PROVIDERS: readonly string[] = [
  'x-*',
  'content-*',
  'accept-ranges',
  'age',
  'allow',
  'cache-control',
  'date',
  'deprecation',
  'digest',
  'etag',
  'expires',
  'last-modified',
  'link',
  'location',
  'ratelimit*',
  'repr-digest',
  'request-id',
  'server',
  'retry-after*',
  'server-timing',
  'sunset',
  'vary',
  'via',
  'warning',
  'www-authenticate',
  ...OF_BUILT_IN,
  'azureml-*',
  'ocp-apim-*',
  'apim-*',
  'helicone-*',
  'cf-ray',
  'cf-cache-status',
  'cf-aig-*',
  'portkey-*',
  'traceparent',
  'tracestate',
];

/** What tells a browser about the provider's own origin, and the length of a body that goes on in other pieces. */
export const OF_THE_PROVIDERS_ORIGIN = new HeaderNames([
  'content-length',
  'content-security-policy*',
  'x-frame-options',
  'x-xss-protection',
  'x-content-type-options',
  'x-powered-by',
]);
