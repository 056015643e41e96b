import type { PoolClient, PoolConfig } from 'pg';
import type { PostgresPoolOptions } from '../database-options.js';
import { DatabaseSocket } from './database-socket.js';

/** Migrating needs one connection for the lock and one for the work. */
const SMALLEST_POOL = 2;

/** @param verify runs on every new connection before it is used; its error refuses the connection */
export function poolConfig(options: PostgresPoolOptions, verify: (client: PoolClient) => Promise<void>): PoolConfig {
  return {
    connectionString: options.databaseUrl,
    application_name: 'weir',
    max: Math.max(options.poolSize, SMALLEST_POOL),
    connectionTimeoutMillis: options.connectTimeoutMs,
    idleTimeoutMillis: options.idleTimeoutMs,
    statement_timeout: options.statementTimeoutMs,
    lock_timeout: options.lockTimeoutMs,
    idle_in_transaction_session_timeout: options.idleInTransactionTimeoutMs,
    keepAlive: true,
    stream: () => new DatabaseSocket(options.connectTimeoutMs),
    verify: (client, done) => {
      verify(client).then(
        () => done(),
        (error: unknown) => done(error instanceof Error ? error : new Error('the connection was refused')),
      );
    },
  };
}
