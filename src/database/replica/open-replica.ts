import { Pool, type PoolConfig } from 'pg';
import type { PostgresPoolOptions } from '../database-options.js';
import type { DatabaseClock } from '../database-clock.js';
import { DatabaseFigures, poolFigures } from '../database-figures.js';
import { DefaultDeadline } from '../default-deadline.js';
import { ConnectionDeadlines } from '../postgres/connection-deadlines.js';
import { DeadConnections } from '../postgres/dead-connections.js';
import { poolConfig } from '../postgres/pool-config.js';
import { SET_SESSION } from '../postgres/postgres-checks.js';
import { PostgresDriver } from '../postgres/postgres-driver.js';
import { sqlRunner, type SqlDriver } from '../scoped-sessions.js';
import type { TenantSql } from '../sql-runner.js';
import { ANOTHER_SERVER, ReadReplica, type ReplicaOptions } from './read-replica.js';

/** The time limit for connecting: an unreachable replica must not delay reads for longer. */
const CONNECT_MS = 2_000;
/** The client's deadline is this much later than the server's limit, because the server's error is more specific. */
const GRACE_MS = 2_000;

interface Primary {
  readonly driver: SqlDriver;
  readonly callSql: TenantSql;
  readonly clock: DatabaseClock;
  /** The parsers of the primary's pool, so that rows of both servers have the same types. */
  readonly types: PoolConfig['types'];
}

/** Creates the read replica without connecting to it, so that an unavailable replica does not prevent the start. */
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
  // Heartbeats are read one after the other.
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
 * The server from which heartbeats are read. A host name may resolve to several servers, or later to another one: the lag of one server does
 * not apply to the others.
 */
class ServerBehind {
  private name: string | undefined;

  /** @returns whether it was another server until now */
  becomes(name: string): boolean {
    const isOther = this.name !== undefined && this.name !== name;
    this.name = name;
    return isOther;
  }

  /** @throws if it is another server */
  mustBe(name: string): void {
    if (name !== this.name) throw Object.assign(new Error('another server answers'), { code: ANOTHER_SERVER });
  }
}

/** Identifies a server: it differs for every two servers, and after a restart. */
const SERVER = `concat_ws(' ', pg_postmaster_start_time(), inet_server_addr(), inet_server_port())`;

/** A separate pool for the replica. Its durability is not checked, because nothing is written there. */
function connectionsTo(
  options: PostgresPoolOptions,
  types: PoolConfig['types'],
  reached: (server: string) => void,
  mayBeAsked?: () => boolean,
) {
  const pool = new Pool({
    ...poolConfig(options, async (client) => {
      const statement = `SELECT ${SET_SESSION} AS session, ${SERVER} AS server`;
      const { rows } = await client.query<{ readonly server: string }>(statement);
      reached(rows[0]?.server ?? '');
    }),
    ...(types === undefined ? {} : { types }),
    application_name: 'weir-reads',
  });
  // A broken connection reports the error to its user; an idle connection has no user.
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
      // A silent server would never confirm the close.
      deadlines.dropAll();
      await pool.end();
    },
  };
}
