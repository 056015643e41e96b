import { Pool, type PoolConfig } from 'pg';
import type { PostgresPoolOptions } from '../database-options.js';
import type { DatabaseClock } from '../database-clock.js';
import { DatabaseFigures, poolFigures } from '../database-figures.js';
import { DefaultDeadline } from '../default-deadline.js';
import { ConnectionDeadlines } from '../postgres/connection-deadlines.js';
import { DeadConnections } from '../postgres/dead-connections.js';
import { poolConfig } from '../postgres/pool-config.js';
import { PostgresDriver } from '../postgres/postgres-driver.js';
import { sqlRunner, type SqlDriver } from '../scoped-sessions.js';
import type { TenantSql } from '../sql-runner.js';
import { ANOTHER_SERVER, ReadReplica, type ReplicaOptions } from './read-replica.js';

/** The same time limit as for its beats, so that an unreachable replica does not delay reads longer. */
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
    connectTimeoutMs: CONNECT_MS,
  };
  const server = new ServerBehind();
  const mayBeRead = (): boolean => opened.state === 'ok';
  const reads = connectionsTo(limits, primary.types, (name) => server.mustBe(name), mayBeRead);
  const watching = connectionsTo(limits, primary.types, (name) => {
    if (server.becomes(name)) opened.forget();
  });
  // Beats are looked for one after the other.
  watching.pool.options.max = 1;
  const opened: ReadReplica = new ReadReplica(replica, {
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
  return opened;
}

/**
 * Which server beats are looked for on. A name may stand for several, and for another one after a while: what one of them has says
 * nothing of what the others have.
 */
class ServerBehind {
  private name: string | undefined;

  /** @returns whether it was another one until now */
  becomes(name: string): boolean {
    const isOther = this.name !== undefined && this.name !== name;
    this.name = name;
    return isOther;
  }

  /** @throws for any other */
  mustBe(name: string): void {
    if (name !== this.name) throw Object.assign(new Error('another server answers'), { code: ANOTHER_SERVER });
  }
}

/** No two servers have the same, nor one server before and after it was started again. */
const SERVER = `concat_ws(' ', pg_postmaster_start_time(), inet_server_addr(), inet_server_port())`;

/** A pool of the replica's own. Nothing is checked of how durable it is: nothing is written there. */
function connectionsTo(
  options: PostgresPoolOptions,
  types: PoolConfig['types'],
  reached: (server: string) => void,
  mayBeAsked?: () => boolean,
) {
  const pool = new Pool({
    ...poolConfig(options, async (client) => {
      const statement = `SELECT set_config('jit', 'off', false), ${SERVER} AS server`;
      const { rows } = await client.query<{ readonly server: string }>(statement);
      reached(rows[0]?.server ?? '');
    }),
    ...(types === undefined ? {} : { types }),
    application_name: 'weir-reads',
  });
  // A connection that breaks says so to whoever uses it; nobody uses an idle one.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  const deadlines = ConnectionDeadlines.of(pool, {
    byDefault: new DefaultDeadline(options.statementTimeoutMs + GRACE_MS),
    longMs: options.callTimeoutMs,
    onLong: () => dead.check(),
    onMissed: () => undefined,
  });
  const dead = new DeadConnections(pool, deadlines, options.callTimeoutMs);
  return {
    pool,
    driver: new PostgresDriver(pool, deadlines, new DatabaseFigures(() => poolFigures(pool)), mayBeAsked),
    drop: () => deadlines.dropAll(),
    close: async (): Promise<void> => {
      // A server that says nothing would never say that it has closed its side.
      deadlines.dropAll();
      await pool.end();
    },
  };
}
