import type { AppConfig } from '../config/index.js';
import type { ReplicaOptions } from './replica/read-replica.js';

/** The connection to a PostgreSQL, and its time limits. */
export interface PostgresPoolOptions {
  readonly databaseUrl: string;
  readonly poolSize: number;
  readonly connectTimeoutMs: number;
  /** How long the client waits for each statement that a call waits for. */
  readonly callTimeoutMs: number;
  readonly idleTimeoutMs: number;
  /** Longest run of one statement. */
  readonly statementTimeoutMs: number;
  /** Longest wait for somebody else's lock; an in-flight duplicate of an event is answered 409 after it. */
  readonly lockTimeoutMs: number;
  readonly idleInTransactionTimeoutMs: number;
  /** A server that follows this one and is asked for reads that may be a little old. */
  readonly replica?: ReplicaOptions;
}

export interface EmbeddedOptions {
  readonly kind: 'embedded';
  /** Made when it is missing. */
  readonly dataDir: string;
  /** As on PostgreSQL; absent: `EMBEDDED_CALL_TIMEOUT_MS`. */
  readonly callTimeoutMs?: number;
  /** How long all other statements may wait for their turn and run; absent: as on PostgreSQL. */
  readonly statementTimeoutMs?: number;
}

export type DatabaseOptions = { readonly kind: 'postgres'; readonly postgres: PostgresPoolOptions } | EmbeddedOptions;

/** The embedded database has one session, so a call may wait for a statement of somebody else. */
export const EMBEDDED_CALL_TIMEOUT_MS = 5_000;

/** Limits that are no settings: the defaults of every PostgreSQL connection. */
export const POSTGRES_DEFAULTS = {
  poolSize: 10,
  connectTimeoutMs: 5_000,
  idleTimeoutMs: 30_000,
  statementTimeoutMs: 30_000,
  callTimeoutMs: 1_500,
  /** Below `callTimeoutMs`: somebody else's lock is no silence of the database. */
  lockTimeoutMs: 1_000,
  idleInTransactionTimeoutMs: 10_000,
} as const;

/**
 * What the settings say about the database.
 *
 * @param report told when reads change over between the read replica and the primary; without it, as for commands, there is no replica
 */
export function databaseOptions(config: AppConfig, report?: ReplicaOptions['report']): DatabaseOptions {
  const { callTimeoutMs } = config.database;
  const callTimeout = callTimeoutMs === undefined ? {} : { callTimeoutMs };
  switch (config.database.kind) {
    case 'embedded':
      return { kind: 'embedded', dataDir: config.dataDir, ...callTimeout };
    case 'postgres': {
      const { replica } = config.database;
      return {
        kind: 'postgres',
        postgres: {
          ...POSTGRES_DEFAULTS,
          ...callTimeout,
          databaseUrl: config.database.url,
          poolSize: config.database.poolSize,
          ...(replica === undefined || report === undefined ? {} : { replica: { ...replica, report } }),
        },
      };
    }
  }
}
