/**
 * The settings of one server process as a typed tree. Created once by `loadConfig` and passed on as `APP_CONFIG`; nothing outside this
 * folder reads the environment. Paths are absolute, durations milliseconds, sizes bytes.
 */
import type { ProviderStyle } from '../core/index.js';
import type { TrustedKey } from '../bundles/index.js';

/** An upstream that `/proxy/{id}/…` forwards to. */
export interface ProviderConfig {
  /** The path segment after `/proxy/`. */
  readonly id: string;
  /** The API that the upstream implements. */
  readonly style: ProviderStyle;
  /** Origin and optional path prefix, without a trailing slash; the client's `/v1/…` path is appended. */
  readonly baseUrl: string;
}

/** At most `limit` requests in any window of `windowSeconds`. */
export interface RateLimit {
  readonly limit: number;
  readonly windowSeconds: number;
}

export type DatabaseConfig = (
  | { readonly kind: 'embedded' }
  | {
      readonly kind: 'postgres';
      readonly url: string;
      readonly poolSize: number;
      /** A standby for reads that may be slightly stale. */
      readonly replica?: { readonly databaseUrl: string; readonly maxLagMs: number };
    }
) & {
  /** The time that a call waits for one answer of the database; absent: the default for that database. */
  readonly callTimeoutMs?: number;
};

/** A service that remote detectors may call. */
export interface RemoteDetectorConfig {
  /** The name in policies. */
  readonly name: string;
  /** Origin and optional path prefix, without a trailing slash. */
  readonly baseUrl: string;
  /** Sent as a bearer token. */
  readonly token?: string;
}

/** The settings of Stripe. */
export interface StripeConfig {
  readonly webhookSecret?: string;
  /** Set together or not at all. */
  readonly secretKey?: string;
  readonly priceId?: string;
  readonly baseUrl: string;
}

/** The destination of old weeks of the event log. */
export type ArchiveConfig =
  | { readonly kind: 'directory'; readonly path: string }
  | {
      readonly kind: 's3';
      readonly bucket: string;
      /** Empty, or ends with `/`. */
      readonly prefix: string;
      readonly region: string;
      /** Absent: Amazon S3 in the region. */
      readonly endpoint?: string;
      readonly credentials: { readonly access_key_id: string; readonly secret_access_key: string };
    };

export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent';

export interface AppConfig {
  readonly server: {
    readonly host: string;
    readonly port: number;
    /** The public URL of the service: used in links, never taken from the Host header. No trailing slash. */
    readonly baseUrl: string;
    /** Addresses and networks whose `X-Forwarded-*` headers are trusted. Empty: none. */
    readonly trustProxy: readonly string[];
    /** Time limit for a client to send one whole request. */
    readonly requestTimeoutMs: number;
    /** The time between "not ready" and the end of listening. */
    readonly shutdownNoticeMs: number;
    /** The time for which running calls may continue after SIGTERM. */
    readonly drainTimeoutMs: number;
  };
  /** Processes that share the port; `number` is this one, from 1. */
  readonly workers: { readonly count: number; readonly number: number };
  /** Absolute. Holds the embedded database, the bootstrap file and the mail outbox. */
  readonly dataDir: string;
  /** The maximum size of the journal on disk; 0 for no journal. */
  readonly journalBytes: number;
  readonly database: DatabaseConfig;
  readonly redisUrl?: string;
  /** The time that a request waits for Redis. */
  readonly redisDeadlineMs: number;
  readonly policies: {
    /** Absolute; one folder per environment. */
    readonly dir: string;
    /** Whether policies are reloaded when a file changes. */
    readonly watch: boolean;
    /** Keys whose signatures on bundles are accepted. */
    readonly trustedKeys: readonly TrustedKey[];
    /** Whether only bundles with a signature by one of `trustedKeys` are deployed and activated. */
    readonly requireSignature: boolean;
  };
  /** The secret from which the keys of redaction tokens are derived; absent: each account has a random one in the database. */
  readonly tokenSecret?: string;
  /** The size of the cache of findings in repeated texts; 0: nothing is cached. */
  readonly scanCacheBytes: number;
  readonly scan: {
    /** The number of threads that scan long texts; 0: none. */
    readonly threads: number;
    /** The memory limit of one thread. */
    readonly threadMemoryBytes: number;
    /** Texts of a call that have fewer UTF-16 units together are scanned on the main thread. */
    readonly inlineUnits: number;
  };
  readonly overload: {
    /** The average event loop delay above which fewer calls are processed at the same time. */
    readonly targetDelayMs: number;
    /** The maximum time that a call waits in the queue. */
    readonly longestWaitMs: number;
    /** The memory limit of the large bodies of all requests; derived from the available memory when absent. */
    readonly bodyBytes: number | undefined;
  };
  readonly remoteDetectors: readonly RemoteDetectorConfig[];
  readonly events: {
    readonly bodyLimitBytes: number;
  };
  readonly archive: {
    /** The time between the end of a week and its archiving. */
    readonly afterMs: number;
    /** Absent: nothing is archived. */
    readonly place?: ArchiveConfig;
  };
  readonly exports: {
    /** The retention time of the file of an export. */
    readonly keepMs: number;
    /** The size limit of the stored files of one account in the database. */
    readonly storageBytes: number;
    /** Endpoints of buckets that may be in private networks, or without TLS. */
    readonly endpoints: readonly string[];
  };
  readonly proxy: {
    readonly bodyLimitBytes: number;
    /** The time limit for connecting to the provider. */
    readonly connectTimeoutMs: number;
    /** The time limit until the provider's response headers arrive. */
    readonly headersTimeoutMs: number;
    /** The maximum pause within a provider's answer. */
    readonly idleTimeoutMs: number;
    /** The time limit of a whole call, from its arrival to the end of its answer. */
    readonly totalTimeoutMs: number;
    /** The time for which a client may leave sent data unread. */
    readonly clientIdleTimeoutMs: number;
    /** The maximum size of a judged provider answer, after decompression. */
    readonly answerLimitBytes: number;
    /** The maximum ratio of the decompressed size of a body to its compressed size. */
    readonly maxCompressionRatio: number;
    /** Headers that are forwarded to providers in addition to the known ones: lower-case names, with `*` at the end for a family. */
    readonly furtherHeaders: readonly string[];
    /** Whether a call may be sent to its provider while its request is being stored. */
    readonly recordsConcurrently: boolean;
    /** Whether to request token counts for streams whose client did not request them. */
    readonly askForStreamUsage: boolean;
    /** Whether prompts that are token ids are refused with 422. */
    readonly refuseTokenIds: boolean;
  };
  /** The limits of reading documents: content beyond them counts as unread. */
  readonly documents: {
    readonly threads: number;
    /** CPU time for one document. */
    readonly workMs: number;
    readonly memoryLimitMb: number;
    /** The maximum number of documents that wait for a thread. */
    readonly queue: number;
    readonly limits: {
      readonly pages: number;
      readonly files: number;
      readonly unpackedBytes: number;
      readonly ratio: number;
      readonly textChars: number;
    };
  };
  /** npm names of packages with plugins, besides those that come with Weir. */
  readonly plugins: readonly string[];
  /** The built-in ones first, then those of the configuration file. */
  readonly providers: readonly ProviderConfig[];
  /** Absent means no limit. */
  readonly rates: {
    readonly events?: RateLimit;
    /** The limit of events in batches. */
    readonly batch?: RateLimit;
    readonly proxy?: RateLimit;
    /** The limit of calls judged through `/v1/calls`; their answers are not counted. */
    readonly calls?: RateLimit;
    /** Reads and management, per account. */
    readonly management?: RateLimit;
    /** Routes that take passwords, addresses or links, per client address. */
    readonly auth?: RateLimit;
    /** Everything, per client address. */
    readonly address?: RateLimit;
  };
  readonly billing: { readonly enabled: boolean; readonly trialEvents: number; readonly trialDays: number };
  readonly stripe: StripeConfig;
  readonly mail: {
    /** Absent: mail is written to files. */
    readonly smtpUrl?: string;
    /** The sender address of mail. */
    readonly from: string;
  };
  readonly log: { readonly level: LogLevel };
  readonly telemetry: {
    /**
     * The share, from 0 to 1, of the traces beginning in this service that are sent; absent: the first ones of each second and a small
     * share of the others.
     */
    readonly sampled?: number;
    /** The OpenTelemetry collector, without a trailing slash; absent: nothing is sent. */
    readonly endpoint?: string;
  };
}
