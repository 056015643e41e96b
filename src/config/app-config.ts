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
  /** Which API the upstream speaks. */
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
      /** A standby for reads that may be a little old. */
      readonly replica?: { readonly databaseUrl: string; readonly maxLagMs: number };
    }
) & {
  /** How long a call waits for one answer of the database; absent: as long as suits that database. */
  readonly callTimeoutMs?: number;
};

/** A service that remote detectors may ask. */
export interface RemoteDetectorConfig {
  /** What policies call it. */
  readonly name: string;
  /** Origin and optional path prefix, without a trailing slash. */
  readonly baseUrl: string;
  /** Sent as a bearer token. */
  readonly token?: string;
}

/** What is set up of Stripe. */
export interface StripeConfig {
  readonly webhookSecret?: string;
  /** Given together or not at all. */
  readonly secretKey?: string;
  readonly priceId?: string;
  readonly baseUrl: string;
}

/** Where old weeks of the event log go. */
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
    /** Where users reach the service: used in links, never taken from the Host header. No trailing slash. */
    readonly baseUrl: string;
    /** Addresses and networks whose `X-Forwarded-*` headers count. Empty: none do. */
    readonly trustProxy: readonly string[];
    /** Time limit for a client to send one whole request. */
    readonly requestTimeoutMs: number;
    /** Between "not ready" and the end of listening. */
    readonly shutdownNoticeMs: number;
    /** How long running calls may go on after SIGTERM. */
    readonly drainTimeoutMs: number;
  };
  /** Processes that share the port; `number` is this one, from 1. */
  readonly workers: { readonly count: number; readonly number: number };
  /** Absolute. Holds the embedded database, the bootstrap file and the mail outbox. */
  readonly dataDir: string;
  /** The most that the journal takes on disk; 0 for no journal. */
  readonly journalBytes: number;
  readonly database: DatabaseConfig;
  readonly redisUrl?: string;
  /** How long a request waits for Redis. */
  readonly redisDeadlineMs: number;
  readonly policies: {
    /** Absolute; one folder per environment. */
    readonly dir: string;
    /** Reload when a file changes. */
    readonly watch: boolean;
    /** Keys whose signatures on bundles count. */
    readonly trustedKeys: readonly TrustedKey[];
    /** Only bundles with a signature of one of them are deployed and put in force. */
    readonly requireSignature: boolean;
  };
  /** What keys of redaction tokens are derived from; absent: each account has a random one in the database. */
  readonly tokenSecret?: string;
  /** For findings of texts that come again; 0: nothing is kept. */
  readonly scanCacheBytes: number;
  readonly scan: {
    /** Threads that scan long texts; 0: none do. */
    readonly threads: number;
    /** What one of them may hold. */
    readonly threadMemoryBytes: number;
    /** Texts of a call that have fewer UTF-16 units together are scanned on the service's own thread. */
    readonly inlineUnits: number;
  };
  readonly overload: {
    /** How late the event loop may be on average before fewer calls are worked on at once. */
    readonly targetDelayMs: number;
    /** Longest that a call waits for its turn. */
    readonly longestWaitMs: number;
    /** What large bodies of all requests may take at once; follows from the memory there is when absent. */
    readonly bodyBytes: number | undefined;
  };
  readonly remoteDetectors: readonly RemoteDetectorConfig[];
  readonly events: {
    readonly bodyLimitBytes: number;
  };
  readonly archive: {
    /** After the end of a week, until it is archived. */
    readonly afterMs: number;
    /** Absent: nothing is archived. */
    readonly place?: ArchiveConfig;
  };
  readonly exports: {
    /** How long the file of an export is kept. */
    readonly keepMs: number;
    /** What the kept files of one account may take in the database. */
    readonly storageBytes: number;
    /** Endpoints of buckets that may be in private networks, or without TLS. */
    readonly endpoints: readonly string[];
  };
  readonly proxy: {
    readonly bodyLimitBytes: number;
    /** Until the connection to the provider stands. */
    readonly connectTimeoutMs: number;
    /** Until the provider's response headers are there. */
    readonly headersTimeoutMs: number;
    /** Longest silence inside a provider's answer. */
    readonly idleTimeoutMs: number;
    /** For a whole call, from its arrival to the end of its answer. */
    readonly totalTimeoutMs: number;
    /** How long a client may leave what was sent to it unread. */
    readonly clientIdleTimeoutMs: number;
    /** For a provider's answer that is judged, unpacked. */
    readonly answerLimitBytes: number;
    /** A compressed body may unpack to so many times its size. */
    readonly maxCompressionRatio: number;
    /** Headers that pass to providers beside the known ones: lower-case names, with `*` at the end for a family. */
    readonly furtherHeaders: readonly string[];
    /** Whether a provider may be asked while the request is being stored. */
    readonly recordsBeside: boolean;
    /** Ask for the token counts of streams whose client did not. */
    readonly askForStreamUsage: boolean;
    /** Prompts that are token ids are 422. */
    readonly refuseTokenIds: boolean;
  };
  /** Reading documents: what cannot be read within these limits is unread. */
  readonly documents: {
    readonly threads: number;
    /** Processor time for one document. */
    readonly workMs: number;
    readonly memoryLimitMb: number;
    /** Documents that may wait for a thread. */
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
    /** Events that come in batches. */
    readonly batch?: RateLimit;
    readonly proxy?: RateLimit;
    /** Calls that are asked about with the provider's own body; their answers are not counted. */
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
    /** Address that mail comes from. */
    readonly from: string;
  };
  readonly log: { readonly level: LogLevel };
  readonly telemetry: {
    /** Share of the traces that begin here which are sent, 0 to 1; absent: the first of each second, and a small share of the others. */
    readonly sampled?: number;
    /** The OpenTelemetry collector, without a trailing slash; absent: nobody is told. */
    readonly endpoint?: string;
  };
}
