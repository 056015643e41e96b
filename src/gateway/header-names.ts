import { PROVIDERS } from '../core/index.js';

/** A closed list of header names and name prefixes, all in lower case. Headers outside of the proxy's lists are removed. */
export class HeaderNames {
  private readonly names: ReadonlySet<string>;
  private readonly families: readonly string[];

  /** @param entries names; a trailing `*` makes an entry a prefix */
  constructor(entries: readonly string[]) {
    this.names = new Set(entries.filter((entry) => !entry.endsWith('*')));
    this.families = entries.filter((entry) => entry.endsWith('*')).map((entry) => entry.slice(0, -1));
  }

  has(lowerName: string): boolean {
    return this.names.has(lowerName) || this.families.some((family) => lowerName.startsWith(family));
  }
}

/** Headers of the built-in providers. */
const OF_BUILT_IN = Object.values(PROVIDERS).flatMap(({ headers }) => headers);

/**
 * Headers that the providers' SDKs and agents send: https://docs.anthropic.com/en/api/overview,
 * https://platform.openai.com/docs/api-reference/authentication, Azure's and gateways' own.
 */
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

/** Headers between Weir and its clients only. */
export const WEIR_HEADERS = new HeaderNames(['x-service-*', 'x-weir-*']);

/**
 * Headers that identify a client to proxies in its own network, or that tracing in this network adds to each request, although their prefix
 * would let them pass. The random decimal ids of traces also look like card numbers.
 */
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
  'x-datadog-*',
  'x-b3-*',
  'x-ot-span-context',
  'x-cloud-trace-context',
  'x-amzn-trace-id',
  'x-client-trace-id',
  'x-dynatrace*',
  'x-honeycomb-trace',
  'x-instana-*',
  'x-newrelic-*',
  'x-queue-start',
  'x-request-start',
]);

/**
 * Headers with which lenient servers replace the method, path or host of a request, so that they handle a request other
 * than the judged one.
 */
export const REWRITES = new HeaderNames(['x-http-*', 'x-method-*', 'x-rewrite-*', 'x-host', 'x-override-*']);

/** Headers with which providers describe an answer: its format, limits and request. */
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
  'operation-location',
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

/**
 * Headers that tell a browser about the provider's own origin, and the length of a body that is forwarded in different
 * pieces.
 */
export const OF_THE_PROVIDERS_ORIGIN = new HeaderNames([
  'content-length',
  'content-security-policy*',
  'x-frame-options',
  'x-xss-protection',
  'x-content-type-options',
  'x-powered-by',
]);

/** Headers by which an answer gives orders to the web server in front of a service, such as to send one of its own files instead. */
export const ORDERS_TO_WEB_SERVERS = new HeaderNames([
  'x-accel-charset',
  'x-accel-expires',
  'x-accel-limit-rate',
  'x-accel-redirect',
  'x-lighttpd-*',
  'x-litespeed-*',
  'x-reproxy-*',
  'x-sendfile*',
]);
