/**
 * The table of settings: every variable once, with its format, default and meaning. The loader reads it, and the reference page and
 * `.env.example` are generated from it.
 */
import { PROVIDERS, PROVIDER_STYLES, type ProviderStyle } from '../core/index.js';
import {
  archivePlace,
  baseUrl,
  byteSize,
  connectionUrl,
  days,
  duration,
  headerNames,
  hostName,
  mailAddress,
  identifier,
  namedTokens,
  namedUrls,
  networks,
  oneOf,
  onOff,
  origins,
  packageNames,
  path,
  publicKeys,
  rate,
  secretText,
  share,
  upstreamUrl,
  wholeNumber,
  wholeNumberOrAuto,
  type ValueType,
} from './value-parsers.js';

export interface Setting<T> {
  /** The environment variable. */
  readonly name: string;
  /** The key in the file that `WEIR_CONFIG` names; absent for a setting that only the environment can set. */
  readonly key?: string;
  /** The default, written like a value; absent for "none". */
  readonly fallback?: string;
  /** The default in words, if it depends on other settings. */
  readonly fallbackNote?: string;
  readonly summary: string;
  /** True when the value may hold a password. */
  readonly secret: boolean;
  readonly type: ValueType<T>;
}

interface Described {
  readonly summary: string;
  readonly secret?: boolean;
  readonly fallbackNote?: string;
}

/** The key of a setting in the YAML file: the variable in lower case, without `WEIR_`. */
const keyOf = (name: string): string => name.replace(/^WEIR_/, '').toLowerCase();

/** A setting with a default. */
function withDefault<T>(
  name: string,
  type: ValueType<T>,
  fallback: string,
  about: Described,
): Setting<T> & { fallback: string } {
  return { name, key: keyOf(name), type, fallback, secret: false, ...about };
}

/** `WEIR_<ID>_BASE_URL` of each provider that is built in. */
function providerBaseUrls(): Record<`${ProviderStyle}BaseUrl`, Setting<string> & { fallback: string }> {
  const settings = PROVIDER_STYLES.map((id) => [
    `${id}BaseUrl`,
    withDefault(`WEIR_${id.toUpperCase()}_BASE_URL`, upstreamUrl(), PROVIDERS[id].baseUrl, {
      summary: `Base URL of the provider to which \`/proxy/${id}\` forwards calls.`,
    }),
  ]);
  return Object.fromEntries(settings) as ReturnType<typeof providerBaseUrls>;
}

/** A setting that may stay unset. */
function optional<T>(name: string, type: ValueType<T>, about: Described): Setting<T> & { fallback?: undefined } {
  return { name, key: keyOf(name), type, secret: false, ...about };
}

const MIB = 1024 * 1024;
const HOUR_MS = 3_600_000;

export const SETTINGS = {
  port: withDefault('PORT', wholeNumber(1, 65535), '8080', { summary: 'Port to listen on.' }),
  host: withDefault('HOST', hostName(), '127.0.0.1', {
    summary: 'Address to listen on; `0.0.0.0` stands for all interfaces, which a container needs.',
  }),
  workers: withDefault('WEIR_WORKERS', wholeNumberOrAuto(1, 64), '1', {
    summary:
      'Number of processes that share the port; `auto` starts one per core. More than one process needs Linux and DATABASE_URL. Settings of connections, threads, caches and memory apply to each process.',
  }),
  databaseUrl: optional('DATABASE_URL', connectionUrl('postgres', 'postgresql'), {
    summary:
      'PostgreSQL database that stores all data. Without it, an embedded database in the data directory is used.',
    secret: true,
  }),
  databasePool: withDefault('WEIR_DATABASE_POOL', wholeNumber(1, 1000), '10', {
    summary: 'Maximum number of connections to PostgreSQL per process.',
  }),
  databaseReadUrl: optional('DATABASE_READ_URL', connectionUrl('postgres', 'postgresql'), {
    summary:
      'PostgreSQL standby of DATABASE_URL; it answers lists, statistics and exports. Without a standby, or while it is unavailable or lags too far behind, the primary is used.',
    secret: true,
  }),
  readMaxLag: withDefault('WEIR_READ_MAX_LAG', duration(500, 600_000), '5s', {
    summary:
      'Maximum lag of the standby of DATABASE_READ_URL behind the primary; with a larger lag, the standby is not used for reads.',
  }),
  databaseCallTimeout: optional('WEIR_DATABASE_CALL_TIMEOUT', duration(100, 60_000), {
    summary: 'Maximum time that a call waits for the database before it is refused with 503 `unavailable`.',
    fallbackNote: '`1500ms` with DATABASE_URL, `5s` with the embedded database',
  }),
  redisUrl: optional('REDIS_URL', connectionUrl('redis', 'rediss'), {
    summary:
      'Redis for rate limits shared by several replicas. Without Redis, each server counts separately, over all of its WEIR_WORKERS processes.',
    secret: true,
  }),
  redisDeadline: withDefault('WEIR_REDIS_DEADLINE', duration(5, 10_000), '50ms', {
    summary: 'Maximum time that a request waits for Redis; afterwards, the replica counts the request on its own.',
  }),
  dataDir: withDefault('WEIR_DATA_DIR', path(), '.weir', {
    summary: 'Folder of the embedded database, the bootstrap file and the mail outbox.',
  }),
  journalSize: withDefault('WEIR_JOURNAL_SIZE', byteSize(0, 4096 * MIB), '64MiB', {
    summary:
      'Size limit of the journal in the data directory. While the database is unavailable, the journal stores how calls ended. `0` disables it.',
  }),
  baseUrl: optional('WEIR_BASE_URL', baseUrl(), {
    summary:
      "Public URL of the service, used in links and in place of the provider's URL in headers of its answers; it is never taken from the Host header.",
    fallbackNote: 'http://localhost:PORT',
  }),
  policiesDir: withDefault('WEIR_POLICIES_DIR', path(), 'policies', {
    summary:
      'Folder with the default policies, which apply to accounts that have deployed none. It contains one folder per environment.',
  }),
  policiesWatch: optional('WEIR_POLICIES_WATCH', onOff(), {
    summary:
      'Reload the default policies when a file changes; if the new files do not compile, the last valid ones stay active.',
    fallbackNote: '`on` with the embedded database, `off` with DATABASE_URL',
  }),
  policyKeys: optional('WEIR_POLICY_KEYS', publicKeys(), {
    summary: 'Trusted Ed25519 public keys for signatures of policy bundles: the base64 text of a PEM file.',
  }),
  policySignatures: withDefault('WEIR_POLICY_SIGNATURES', oneOf(['optional', 'required']), 'optional', {
    summary:
      '`required`: a bundle is deployed and activated only if it has a valid signature by one of the keys in WEIR_POLICY_KEYS.',
  }),
  plugins: optional('WEIR_PLUGINS', packageNames(), {
    summary:
      'Installed npm packages with additional plugins. They run inside the service: list only packages that you trust.',
  }),
  remoteDetectors: optional('WEIR_REMOTE_DETECTORS', namedUrls(), {
    summary: 'Services that remote detectors may use, by their names in policies. The services receive complete texts.',
  }),
  remoteDetectorTokens: optional('WEIR_REMOTE_DETECTOR_TOKENS', namedTokens(), {
    summary: 'Bearer tokens for the services of WEIR_REMOTE_DETECTORS.',
    secret: true,
  }),
  tokenSecret: optional('WEIR_TOKEN_SECRET', secretText(32), {
    summary: 'Secret from which stable redaction tokens are derived. Changing it changes every token.',
    fallbackNote: 'a random secret per account, stored in the database',
    secret: true,
  }),
  scanCache: withDefault('WEIR_SCAN_CACHE', byteSize(0, 4096 * MIB), '32MiB', {
    summary:
      'Size of the cache of scan results, so that repeated texts such as earlier messages are not scanned again. `0` disables it.',
  }),
  scanThreads: withDefault('WEIR_SCAN_THREADS', wholeNumber(0, 64), '2', {
    summary:
      'Number of threads that scan long texts; use two or more, so that one text never delays all calls. With `0`, the main thread scans everything.',
  }),
  scanThreadMemory: withDefault('WEIR_SCAN_THREAD_MEMORY', byteSize(128 * MIB, 16_384 * MIB), '512MiB', {
    summary: 'Memory limit of one scanning thread. A scan that needs more fails.',
  }),
  scanInline: withDefault('WEIR_SCAN_INLINE', wholeNumber(0, 16_777_216), '16384', {
    summary: 'Calls with more characters of new text than this threshold are scanned by the scanning threads.',
  }),
  overloadDelay: withDefault('WEIR_OVERLOAD_DELAY', duration(1, 10_000), '20ms', {
    summary:
      'Threshold of the average event loop delay. Above this threshold, fewer calls are processed at the same time and further calls are queued.',
  }),
  overloadWait: withDefault('WEIR_OVERLOAD_WAIT', duration(10, HOUR_MS), '2s', {
    summary:
      'Maximum time that a call waits in the queue under overload. A call that would wait longer is refused with 503 `overloaded`.',
  }),
  bodyMemory: optional('WEIR_BODY_MEMORY', byteSize(MIB, 1_048_576 * MIB), {
    summary: 'Limit of total memory for request bodies over 16 KiB; further bodies are refused with 503 `overloaded`.',
    fallbackNote: '1/48 of the memory that the server may use, divided by WEIR_WORKERS',
  }),
  ...providerBaseUrls(),
  smtpUrl: optional('SMTP_URL', connectionUrl('smtp', 'smtps'), {
    summary: 'Mail server. Without it, mail is written to `<data dir>/outbox`, and the log shows the path.',
    secret: true,
  }),
  mailFrom: optional('WEIR_MAIL_FROM', mailAddress(), {
    summary: 'Sender address of mail; the mail server must accept it.',
    fallbackNote: '`weir@` followed by the host of WEIR_BASE_URL',
  }),
  rateEvents: withDefault('WEIR_RATE_EVENTS', rate(), '120/60', {
    summary: 'Rate limit of `POST /v1/events`, per app.',
  }),
  rateBatch: withDefault('WEIR_RATE_BATCH', rate(), '1200/60', {
    summary: 'Rate limit of `POST /v1/events:batch`, in events, per app.',
  }),
  rateProxy: withDefault('WEIR_RATE_PROXY', rate(), '60/60', {
    summary: 'Rate limit of `/proxy/*`, per app.',
  }),
  rateCalls: withDefault('WEIR_RATE_CALLS', rate(), '60/60', {
    summary: 'Rate limit of `POST /v1/calls/{provider}/…`, per app; reports of answers are not counted.',
  }),
  rateManagement: withDefault('WEIR_RATE_MANAGEMENT', rate(), '600/60', {
    summary: 'Rate limit of reads and management, per account.',
  }),
  rateAuth: withDefault('WEIR_RATE_AUTH', rate(), '20/60', {
    summary:
      'Rate limits of sign-ups, sign-ins, requested mails and password resets, each per client address. `off` also disables the corresponding limits per account.',
  }),
  rateAddress: withDefault('WEIR_RATE_ADDRESS', rate(), '3000/60', {
    summary: 'Rate limit of all requests, per client address and server, applied before any other work.',
  }),
  trialEvents: withDefault('WEIR_TRIAL_EVENTS', wholeNumber(0, 1_000_000_000), '10000', {
    summary: 'Number of events in a trial.',
  }),
  trialDays: withDefault('WEIR_TRIAL_DAYS', wholeNumber(0, 36_500), '14', {
    summary: 'Length of a trial in days.',
  }),
  billing: withDefault('WEIR_BILLING', onOff(), 'on', {
    summary: 'Whether an account needs a subscription. With `off`, every account counts as active.',
  }),
  stripeWebhookSecret: optional('STRIPE_WEBHOOK_SECRET', secretText(8), {
    summary: 'Signing secret of the Stripe webhook for `/webhooks/stripe`. Without it, the route does not exist.',
    secret: true,
  }),
  stripeSecretKey: optional('STRIPE_SECRET_KEY', secretText(8), {
    summary: 'Secret key of the Stripe account, for links to its payment pages. Needs STRIPE_PRICE_ID.',
    secret: true,
  }),
  stripePriceId: optional('STRIPE_PRICE_ID', identifier(), {
    summary: 'Stripe price of a subscription. Needs STRIPE_SECRET_KEY.',
  }),
  stripeBaseUrl: withDefault('WEIR_STRIPE_BASE_URL', baseUrl(), 'https://api.stripe.com', {
    summary: 'Base URL of the Stripe API.',
  }),
  eventsBodyLimit: withDefault('WEIR_EVENTS_BODY_LIMIT', byteSize(1024, 64 * MIB), '1MiB', {
    summary: 'Maximum body size of `POST /v1/events`.',
  }),
  exportKeep: withDefault('WEIR_EXPORT_KEEP', duration(1_000, 720 * HOUR_MS), '24h', {
    summary: 'Time for which export files are kept; afterwards, they are deleted from the database.',
  }),
  exportStorage: withDefault('WEIR_EXPORT_STORAGE', byteSize(MIB, 1_048_576 * MIB), '10240MiB', {
    summary: "Limit of the total compressed size of one account's export files in the database.",
  }),
  exportEndpoints: optional('WEIR_EXPORT_ENDPOINTS', origins(), {
    summary:
      'S3-compatible services in private networks, or without TLS, that exports may use. All other services must have a public address and https.',
  }),
  archive: optional('WEIR_ARCHIVE', archivePlace(), {
    summary:
      'Destination of old weeks of the event log as Parquet files: a bucket, or a directory that all replicas share. Without a destination, nothing is archived.',
  }),
  archiveAfter: withDefault('WEIR_ARCHIVE_AFTER', days(14, 36_500), '90d', {
    summary: 'Time from the end of a week until its events are moved from the database to the archive.',
  }),
  archiveRegion: withDefault('WEIR_ARCHIVE_REGION', hostName(), 'us-east-1', {
    summary: 'Region of the bucket that WEIR_ARCHIVE names.',
  }),
  archiveEndpoint: optional('WEIR_ARCHIVE_ENDPOINT', baseUrl(), {
    summary:
      'URL of the S3-compatible service of WEIR_ARCHIVE; it may be in a private network. Default: Amazon S3 in WEIR_ARCHIVE_REGION.',
  }),
  archiveAccessKeyId: optional('WEIR_ARCHIVE_ACCESS_KEY_ID', secretText(1), {
    summary: 'Id of the access key for the bucket of WEIR_ARCHIVE. Needs WEIR_ARCHIVE_SECRET_ACCESS_KEY.',
    secret: true,
  }),
  archiveSecretAccessKey: optional('WEIR_ARCHIVE_SECRET_ACCESS_KEY', secretText(1), {
    summary: 'Secret of the access key WEIR_ARCHIVE_ACCESS_KEY_ID.',
    secret: true,
  }),
  proxyBodyLimit: withDefault('WEIR_PROXY_BODY_LIMIT', byteSize(1024, 512 * MIB), '32MiB', {
    summary: 'Maximum body size of a proxied call, after decompression.',
  }),
  proxyAnswerLimit: withDefault('WEIR_PROXY_ANSWER_LIMIT', byteSize(1024, 512 * MIB), '32MiB', {
    summary: 'Maximum size of a provider answer that is judged, after decompression; larger answers are refused.',
  }),
  proxyRatioLimit: withDefault('WEIR_PROXY_RATIO_LIMIT', wholeNumber(2, 10_000), '100', {
    summary: 'Maximum compression ratio of a body after its first MiB, for requests and answers.',
  }),
  documentThreads: withDefault('WEIR_DOCUMENT_THREADS', wholeNumber(1, 64), '2', {
    summary:
      'Number of documents (PDF, Office files, archives) that are read at the same time, each in its own thread.',
  }),
  documentWork: withDefault('WEIR_DOCUMENT_WORK', duration(10, 600_000), '10s', {
    summary:
      'Limit of the CPU time for reading one document; exceeding it counts as an outage of the reader. The documents of one call together may take four times as long; further documents stay unread.',
  }),
  documentMemory: withDefault('WEIR_DOCUMENT_MEMORY', byteSize(64 * 1_048_576, 16_384 * 1_048_576), '512MiB', {
    summary: 'Memory limit for reading one document; a document that needs more counts as an outage of the reader.',
  }),
  documentQueue: withDefault('WEIR_DOCUMENT_QUEUE', wholeNumber(2, 100_000), '64', {
    summary:
      'Maximum number of queued documents; one account can use half of it. Requests with further documents are refused with 503 `overloaded`.',
  }),
  documentPages: withDefault('WEIR_DOCUMENT_PAGES', wholeNumber(1, 100_000), '1000', {
    summary: 'Maximum number of pages read from a PDF file; further pages stay unread.',
  }),
  documentFiles: withDefault('WEIR_DOCUMENT_FILES', wholeNumber(1, 1_000_000), '5000', {
    summary:
      'Maximum number of files in the documents of one call; Office files are archives of files, and each document also counts as a file. Further files stay unread.',
  }),
  documentUnpacked: withDefault('WEIR_DOCUMENT_UNPACKED_LIMIT', byteSize(65_536, 4_096 * 1_048_576), '128MiB', {
    summary:
      'Limit of the total unpacked size of the archives in the documents of one call; larger archives stay unread.',
  }),
  documentRatio: withDefault('WEIR_DOCUMENT_RATIO_LIMIT', wholeNumber(2, 10_000), '200', {
    summary:
      'Maximum compression ratio of a document after its first 64 KiB; a document with a higher ratio stays unread.',
  }),
  documentText: withDefault('WEIR_DOCUMENT_TEXT_LIMIT', wholeNumber(1_000, 1_000_000_000), '10000000', {
    summary: 'Limit of the characters read from the documents of one call; further text stays unread.',
  }),
  proxyHeaders: optional('WEIR_PROXY_HEADERS', headerNames(), {
    summary: 'Request headers to forward to providers, in addition to the known headers of AI calls.',
  }),
  record: withDefault('WEIR_RECORD', oneOf(['before', 'beside']), 'before', {
    summary:
      'When a proxied request is stored in the log: before it is sent to its provider (`before`), or concurrently (`beside`). With both values, the client receives no part of the answer until the request is stored.',
  }),
  proxyStreamUsage: withDefault('WEIR_PROXY_STREAM_USAGE', onOff(), 'off', {
    summary:
      'Request token counts from OpenAI-style providers for streams that would have none; the added counts are not sent to the client.',
  }),
  proxyTokenIds: withDefault('WEIR_PROXY_TOKEN_IDS', oneOf(['pass', 'refuse']), 'pass', {
    summary:
      'Handling of prompts that consist of token ids, which no rule can read, also in files for batches: `pass` forwards them, `refuse` answers with 422.',
  }),
  requestTimeout: withDefault('WEIR_REQUEST_TIMEOUT', duration(1000, HOUR_MS), '60s', {
    summary: 'Time limit for a client to send one whole request.',
  }),
  shutdownNotice: withDefault('WEIR_SHUTDOWN_NOTICE', duration(0, HOUR_MS), '5s', {
    summary:
      'Time after SIGTERM in which `/readyz` reports the shutdown while calls are still accepted, so that load balancers can notice.',
  }),
  drainTimeout: withDefault('WEIR_DRAIN_TIMEOUT', duration(0, HOUR_MS), '30s', {
    summary: 'Time after SIGTERM in which running calls may end, including WEIR_SHUTDOWN_NOTICE.',
  }),
  upstreamConnectTimeout: withDefault('WEIR_UPSTREAM_CONNECT_TIMEOUT', duration(10, HOUR_MS), '10s', {
    summary:
      'Time limit for connecting to a provider. If its host name has several addresses, each attempt except the last ends after 2.5 s, or after half of the limit if that is shorter.',
  }),
  upstreamHeadersTimeout: withDefault('WEIR_UPSTREAM_HEADERS_TIMEOUT', duration(10, HOUR_MS), '10m', {
    summary: 'Time limit until an answer of a provider begins.',
  }),
  upstreamIdleTimeout: withDefault('WEIR_UPSTREAM_IDLE_TIMEOUT', duration(10, HOUR_MS), '5m', {
    summary: "Maximum pause within a provider's answer.",
  }),
  upstreamTotalTimeout: withDefault('WEIR_UPSTREAM_TOTAL_TIMEOUT', duration(10, 24 * HOUR_MS), '1h', {
    summary: 'Time limit of a whole proxied call, even if its answer keeps arriving.',
  }),
  clientIdleTimeout: withDefault('WEIR_CLIENT_IDLE_TIMEOUT', duration(10, HOUR_MS), '5m', {
    summary: 'Time after which the connection of a client that does not read its answer is closed.',
  }),
  trustProxy: optional('WEIR_TRUST_PROXY', networks(), {
    summary: 'Networks of trusted reverse proxies. `X-Forwarded-*` headers of other clients are ignored.',
  }),
  otlpEndpoint: optional('OTEL_EXPORTER_OTLP_ENDPOINT', baseUrl(), {
    summary:
      'OpenTelemetry collector (OTLP over HTTP) that receives spans, metrics and log lines; without it, nothing is sent. `OTEL_EXPORTER_OTLP_HEADERS` and `OTEL_EXPORTER_OTLP_TIMEOUT` also apply.',
  }),
  otlpSampling: optional('OTEL_TRACES_SAMPLER_ARG', share(), {
    summary:
      'Share of calls (0 to 1) for which spans and log lines are sent (`parentbased_traceidratio`); lines of the level `warn` and above are always sent. Default: the first 5 calls of each second, and 2 % of the other calls. For a call with `traceparent`, the flag in this header decides.',
  }),
  logLevel: withDefault(
    'WEIR_LOG_LEVEL',
    oneOf(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']),
    'info',
    {
      summary: 'Lowest severity of log lines that are written.',
    },
  ),
} as const satisfies Record<string, Setting<unknown>>;

/** The one setting that names the file for all others. */
export const CONFIG_FILE_VARIABLE = 'WEIR_CONFIG';
export const CONFIG_FILE_SUMMARY =
  'YAML file with these settings, each under its key, and with `providers`. Environment variables take precedence over the file.';

/** `WEIR_*` variables that belong to the command line tool or the SDKs; the server ignores them. */
export const CLIENT_VARIABLES: readonly string[] = [
  'WEIR_TOKEN',
  'WEIR_URL',
  'WEIR_CONTEXT',
  'WEIR_SERVER',
  'WEIR_API_KEY',
];

/**
 * Variables that Kubernetes sets in every pod next to a Service called `weir` (service links), e.g. `WEIR_PORT_8080_TCP`.
 * https://kubernetes.io/docs/concepts/services-networking/service/#environment-variables
 */
export const SERVICE_LINK_VARIABLE =
  /^WEIR_(SERVICE_HOST|SERVICE_PORT(_[A-Z0-9_]+)?|PORT|PORT_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)$/;

export type SettingId = keyof typeof SETTINGS;
type ValueOf<S> = S extends Setting<infer T> ? T : never;

/** Every setting's value: `undefined` only if there is no default. */
export type SettingValues = {
  readonly [Id in SettingId]: (typeof SETTINGS)[Id]['fallback'] extends string
    ? ValueOf<(typeof SETTINGS)[Id]>
    : ValueOf<(typeof SETTINGS)[Id]> | undefined;
};
