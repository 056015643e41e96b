import { Pool, type PoolConfig } from 'pg';
import type { PostgresPoolOptions } from '../database-options.js';
import type { DatabaseClock } from '../database-clock.js';
import { DatabaseFigures, poolFigures } from '../database-figures.js';
import { ConnectionDeadlines } from '../postgres/connection-deadlines.js';
import { poolConfig } from '../postgres/pool-config.js';
import { PostgresDriver } from '../postgres/postgres-driver.js';
import { sqlRunner, type SqlDriver } from '../scoped-sessions.js';
import type { TenantSql } from '../sql-runner.js';
import { ReadReplica, type ReplicaOptions } from './read-replica.js';

/** A read that takes longer on the replica is asked of the primary, which has its own limit. */
const LONGEST_READ_MS = 10_000;
/** As its beats: a replica that cannot be reached costs a read no more. */
const CONNECT_MS = 2_000;
/** The server's answer to a statement that takes too long says more than silence. */
const GRACE_MS = 2_000;

interface Primary {
  readonly driver: SqlDriver;
  readonly callSql: TenantSql;
  readonly clock: DatabaseClock;
  /** How its pool reads values: rows of both look the same. */
  readonly types: PoolConfig['types'];
}

/** Connects to nothing yet: a replica that is away keeps no server from starting. */
export function openReplica(options: PostgresPoolOptions, replica: ReplicaOptions, primary: Primary): ReadReplica {
  const limits: PostgresPoolOptions = {
    ...options,
    databaseUrl: replica.databaseUrl,
    statementTimeoutMs: LONGEST_READ_MS,
    connectTimeoutMs: CONNECT_MS,
  };
  const reads = connectionsTo(limits, primary.types);
  const watching = connectionsTo({ ...limits, poolSize: 1 }, primary.types);
  return new ReadReplica(replica, {
    primary: primary.callSql,
    primaryDriver: primary.driver,
    driver: reads.driver,
    watching: sqlRunner(watching.driver, Math.min(options.callTimeoutMs, replica.maxLagMs)),
    nowMs: () => primary.clock.nowMs(),
    drop: () => reads.drop(),
    close: async () => {
      await reads.close();
      await watching.close();
    },
  });
}

/** A pool of the replica's own. Nothing is checked of how durable it is: nothing is written there. */
function connectionsTo(options: PostgresPoolOptions, types: PoolConfig['types']) {
  const pool = new Pool({
    ...poolConfig(options, async (client) => {
      await client.query(`SELECT set_config('jit', 'off', false)`);
    }),
    ...(types === undefined ? {} : { types }),
    application_name: 'weir-reads',
  });
  // A connection that breaks says so to whoever uses it; nobody uses an idle one.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  const deadlines = ConnectionDeadlines.of(pool, options.statementTimeoutMs + GRACE_MS, () => undefined);
  return {
    driver: new PostgresDriver(pool, deadlines, new DatabaseFigures(() => poolFigures(pool))),
    drop: () => deadlines.dropAll(),
    close: async (): Promise<void> => {
      // A server that says nothing would never say that it has closed its side.
      deadlines.dropAll();
      await pool.end();
    },
  };
}
