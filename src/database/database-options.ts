import type { AppConfig } from '../config/index.js';

/** How to reach a PostgreSQL, and how long anything on it may take. */
export interface PostgresPoolOptions {
  readonly databaseUrl: string;
  readonly poolSize: number;
  readonly connectTimeoutMs: number;
  readonly idleTimeoutMs: number;
  /** Longest run of one statement. */
  readonly statementTimeoutMs: number;
  /** Longest wait for somebody else's lock; an in-flight duplicate of an event is answered 409 after it. */
  readonly lockTimeoutMs: number;
  readonly idleInTransactionTimeoutMs: number;
}

export type DatabaseOptions =
  | { readonly kind: 'postgres'; readonly postgres: PostgresPoolOptions }
  /** `dataDir` is made when it is missing. */
  | { readonly kind: 'embedded'; readonly dataDir: string };

/** Limits that are no settings: the defaults of every PostgreSQL connection. */
export const POSTGRES_DEFAULTS = {
  poolSize: 10,
  connectTimeoutMs: 5_000,
  idleTimeoutMs: 30_000,
  statementTimeoutMs: 30_000,
  lockTimeoutMs: 2_000,
  idleInTransactionTimeoutMs: 10_000,
} as const;

/** What the settings say about the database. */
export function databaseOptions(config: AppConfig): DatabaseOptions {
  switch (config.database.kind) {
    case 'embedded':
      return { kind: 'embedded', dataDir: config.dataDir };
    case 'postgres':
      return {
        kind: 'postgres',
        postgres: { ...POSTGRES_DEFAULTS, databaseUrl: config.database.url, poolSize: config.database.poolSize },
      };
  }
}
