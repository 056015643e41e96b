import type { AppConfig } from '../config/index.js';
import type { ReplicaOptions } from './replica/read-replica.js';

/** The connection to a PostgreSQL, and its time limits. */
export interface PostgresPoolOptions {
  readonly databaseUrl: string;
  readonly poolSize: number;
  readonly connectTimeoutMs: number;
  /** The client's deadline for each statement that a call depends on. */
  readonly callTimeoutMs: number;
  readonly idleTimeoutMs: number;
  /** The maximum run time of a statement. */
  readonly statementTimeoutMs: number;
  /** The maximum wait for the lock of another session; after it, a duplicate of an event in flight is answered with 409. */
  readonly lockTimeoutMs: number;
  readonly idleInTransactionTimeoutMs: number;
  /** A standby of this server, used for reads of slightly old data. */
  readonly replica?: ReplicaOptions;
}

export interface EmbeddedOptions {
  readonly kind: 'embedded';
  /** Created if it is missing. */
  readonly dataDir: string;
  /** As for PostgreSQL; default: `EMBEDDED_CALL_TIMEOUT_MS`. */
  readonly callTimeoutMs?: number;
  /** The deadline of all other statements, including the wait for their turn; default: as for PostgreSQL. */
  readonly statementTimeoutMs?: number;
}

export type DatabaseOptions = { readonly kind: 'postgres'; readonly postgres: PostgresPoolOptions } | EmbeddedOptions;

/** The embedded database has one session, so a call may have to wait for other statements. */
export const EMBEDDED_CALL_TIMEOUT_MS = 5_000;

/** Limits without a setting: the defaults of every PostgreSQL connection. */
export const POSTGRES_DEFAULTS = {
  poolSize: 10,
  connectTimeoutMs: 5_000,
  idleTimeoutMs: 30_000,
  statementTimeoutMs: 30_000,
  callTimeoutMs: 1_500,
  /** Below `callTimeoutMs`, so that a wait for a lock does not count as a database that does not answer. */
  lockTimeoutMs: 1_000,
  idleInTransactionTimeoutMs: 10_000,
} as const;

/** The time that a call waits for one answer of the database. */
export function callTimeoutMsOf({ database }: Pick<AppConfig, 'database'>): number {
  const { kind, callTimeoutMs } = database;
  return callTimeoutMs ?? (kind === 'embedded' ? EMBEDDED_CALL_TIMEOUT_MS : POSTGRES_DEFAULTS.callTimeoutMs);
}

/** Two thirds of the call timeout at most: a wait for a lock must not count as a database that does not answer. */
function lockTimeoutMs(callTimeoutMs: number): number {
  return Math.min(POSTGRES_DEFAULTS.lockTimeoutMs, Math.floor((callTimeoutMs * 2) / 3));
}

/**
 * The database options from the settings.
 *
 * @param report called when reads switch between the read replica and the primary; without it, as in commands, no replica is used
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
          lockTimeoutMs: lockTimeoutMs(callTimeoutMsOf(config)),
          databaseUrl: config.database.url,
          poolSize: config.database.poolSize,
          ...(replica === undefined || report === undefined ? {} : { replica: { ...replica, report } }),
        },
      };
    }
  }
}
