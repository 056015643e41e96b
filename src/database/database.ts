/**
 * The open database: a `SqlRunner` for the hot path and an EntityManager for the rest, on PostgreSQL or on the embedded PGlite. It
 * contains tables and migrations, and depends on no feature.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { EntityManager, MikroORM } from '@mikro-orm/core';
import type { Pool, PoolClient } from 'pg';
import { AnswerWatch, WatchedDriver } from './answer-watch.js';
import { DamageWatch } from './damage-watch.js';
import { DatabaseFigures, poolFigures } from './database-figures.js';
import { DatabaseClock } from './database-clock.js';
import { DatabaseUnusable, toDatabaseError } from './database-error.js';
import { DefaultDeadline } from './default-deadline.js';
import {
  EMBEDDED_CALL_TIMEOUT_MS,
  POSTGRES_DEFAULTS,
  type DatabaseOptions,
  type EmbeddedOptions,
  type PostgresPoolOptions,
} from './database-options.js';
import { folderFailure } from './embedded/check-files.js';
import { lockDataDir } from './embedded/data-dir-lock.js';
import { makeBackup, type Backup } from './embedded/backup.js';
import type { Answerer } from './embedded/backup-socket.js';
import { EmbeddedDatabase } from './embedded/embedded-database.js';
import { EmbeddedDriver } from './embedded/embedded-driver.js';
import { ACCOUNTS_SETTING, scopeParameters } from './isolation/scope.js';
import { openEmbeddedOrm, openPostgresOrm } from './orm.js';
import { closeConnections } from './postgres/close-connections.js';
import { assertSuitable, readPostgresSettings } from './postgres/postgres-checks.js';
import { ConnectionDeadlines } from './postgres/connection-deadlines.js';
import { ConnectionGate } from './postgres/connection-gate.js';
import { DeadConnections } from './postgres/dead-connections.js';
import { PostgresListener, type NoticeHandler } from './postgres/postgres-listener.js';
import { PostgresDriver } from './postgres/postgres-driver.js';
import { openReplica } from './replica/open-replica.js';
import type { ReadReplica } from './replica/read-replica.js';
import { sqlRunner } from './scoped-sessions.js';
import type { SqlRow, SqlRunner, TenantSql } from './sql-runner.js';

/** Receives notices of other processes, once there is a listener. */
type Listener = Pick<PostgresListener, 'listen' | 'isHearing' | 'close'>;

/** The embedded database belongs to one process: no other process can send a notice, so none is missed. */
const NOBODY_ELSE: Listener = { listen: () => undefined, isHearing: true, close: () => Promise.resolve() };

export class Database {
  /** Functions that answer commands on this machine, by the name of the question: a command cannot open an embedded database in use. */
  readonly answerers = new Map<string, Answerer>();
  private readonly finishers: (() => Promise<void>)[] = [];
  private closing?: Promise<void>;

  constructor(
    readonly kind: DatabaseOptions['kind'],
    readonly sql: SqlRunner,
    /** Like `sql`, for statements that a call depends on: each has a short deadline. */
    readonly callSql: SqlRunner,
    readonly orm: MikroORM,
    /** Closes the EntityManager and all connections. */
    private readonly shutDown: () => Promise<void>,
    private readonly listener: Listener,
    private readonly watch: AnswerWatch,
    /** The database's clock, from which ids and times of events are derived. */
    readonly clock: DatabaseClock,
    /** Figures of connections and statements. */
    readonly figures: DatabaseFigures,
    /** Runs work without a time limit: its statements have no deadline. */
    readonly unhurried: <T>(work: () => Promise<T>) => Promise<T> = (work) => work(),
    /** Copies the data directory of the embedded database, even while it is in use: see `embedded/backup.ts`. */
    readonly backup?: (to: string, version: string) => Promise<Backup>,
    /** A standby of this server, for reads of slightly old data; absent if none is configured. */
    readonly replica?: ReadReplica,
    private readonly damageWatch?: DamageWatch,
    /** Resolves if the embedded database has ended without having been closed: only a new process can open it again. */
    readonly lost: Promise<undefined> = new Promise(() => undefined),
  ) {}

  /** The SQLSTATE with which a statement of a call has failed recently because of damaged data; undefined if there was none. */
  get damage(): string | undefined {
    return this.damageWatch?.code;
  }

  /** For reads whose data may be as old as `WEIR_READ_MAX_LAG`: the read replica answers them while its lag is below that. */
  get readSql(): TenantSql {
    return this.replica?.sql ?? this.sql;
  }

  /** Like `readSql`, for several statements that must see consistent data: one server answers all of them. */
  readAtOnce<T>(work: (sql: TenantSql) => Promise<T>): Promise<T> {
    return this.replica?.atOnce(work) ?? work(this.sql);
  }

  /**
   * Like `readSql`, for reads that must see everything acknowledged before a time. Waits until the replica has it, at most as long as
   * the allowed lag; otherwise the primary is used.
   *
   * @param ms by the database's clock; may be now
   * @param signal ends the wait
   */
  async readsUpTo(ms: number, signal?: AbortSignal): Promise<TenantSql> {
    return (await this.replica?.holds(ms, signal)) === true ? this.readSql : this.sql;
  }

  /** A new EntityManager for one unit of work of one account: it cannot see rows of other accounts. */
  entities(accountId: string): EntityManager {
    const [role, accounts] = scopeParameters({ accounts: [accountId] });
    return this.orm.em.fork({ session: { role, variables: { [ACCOUNTS_SETTING]: accounts } } });
  }

  /** Runs `finish` before the connections close, latest registration first, so that queues can be drained. */
  beforeClose(finish: () => Promise<void>): void {
    this.finishers.push(finish);
  }

  /**
   * Calls `heard` with each notice of another process on the channel (`pg_notify`) until the database is closed, and without an
   * argument whenever notices may have been missed. Notices may be late or lost, so callers must poll from time to time.
   *
   * @param channel a plain identifier, never submitted text
   */
  listen(channel: string, heard: NoticeHandler): void {
    this.listener.listen(channel, heard);
  }

  /** Whether notices of other processes arrive at once, as far as is known. */
  get isHearing(): boolean {
    return this.listener.isHearing;
  }

  /** False from the first statement that missed its deadline or reached no server until the database answers again. */
  get isAnswering(): boolean {
    return this.watch.isThere;
  }

  /** @throws DatabaseUnavailable if the database does not answer. */
  async ping(): Promise<void> {
    await this.sql.query('SELECT 1 AS one');
  }

  /** Waits for work in progress, then closes. A second call waits for the same close. @throws the first error of a part, at the end */
  close(): Promise<void> {
    this.closing ??= this.finishAndShutDown();
    return this.closing;
  }

  private async finishAndShutDown(): Promise<void> {
    let failure: Error | undefined;
    // A part that cannot close must not keep the others from storing what they have accepted.
    for (const finish of this.finishers.toReversed()) {
      await finish().catch((error: unknown) => {
        failure ??= error instanceof Error ? error : new Error('a part of the service did not close');
      });
    }
    await this.replica?.close();
    this.watch.close();
    this.clock.stop();
    await this.listener.close();
    await this.shutDown();
    if (failure !== undefined) throw failure;
  }
}

/**
 * Opens the database of the options. Runs no migrations: see `migrate` and `prepareTables`.
 *
 * @throws DatabaseUnusable if the data directory is in use, or the PostgreSQL may lose acknowledged data.
 * @throws DatabaseUnavailable when it cannot be reached.
 */
export function openDatabase(options: DatabaseOptions): Promise<Database> {
  switch (options.kind) {
    case 'embedded':
      return openEmbedded(options);
    case 'postgres':
      return openPostgres(options.postgres);
  }
}

async function openEmbedded(options: EmbeddedOptions): Promise<Database> {
  const { dataDir } = options;
  const directory = join(dataDir, 'db');
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw folderFailure(dataDir, error);
  }
  const lock = lockDataDir(dataDir);
  try {
    const database = await EmbeddedDatabase.open(directory);
    const backup = (to: string, version: string): Promise<Backup> => makeBackup(dataDir, to, version, database);
    return await embedded(database, options, backup, () => lock.release());
  } catch (error) {
    lock.release();
    throw error instanceof DatabaseUnusable ? error : toDatabaseError(error);
  }
}

async function embedded(
  database: EmbeddedDatabase,
  {
    callTimeoutMs = EMBEDDED_CALL_TIMEOUT_MS,
    statementTimeoutMs = POSTGRES_DEFAULTS.statementTimeoutMs,
  }: EmbeddedOptions,
  backup: Database['backup'],
  release: () => void,
): Promise<Database> {
  try {
    const deadline = new DefaultDeadline(statementTimeoutMs);
    const orm = await openEmbeddedOrm(database, deadline);
    const shutDown = async (): Promise<void> => {
      await orm.close(true);
      await database.close();
      release();
    };
    const figures = new DatabaseFigures(() => database.connections);
    const driver = new EmbeddedDriver(database, figures, deadline);
    const watch = new AnswerWatch(() => driver.answers());
    const watched = new WatchedDriver(driver, watch);
    const damageWatch = new DamageWatch(watched);
    const [sql, callSql] = [sqlRunner(watched), sqlRunner(damageWatch, callTimeoutMs)];
    // The embedded database uses the clock of this machine.
    const clock = new DatabaseClock(() => Date.now());
    const unhurried: Database['unhurried'] = (work) => deadline.without(work);
    return new Database(
      'embedded',
      sql,
      callSql,
      orm,
      shutDown,
      NOBODY_ELSE,
      watch,
      clock,
      figures,
      unhurried,
      backup,
      undefined,
      damageWatch,
      database.lost,
    );
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** The client's deadline is this much later than the server's limit, because the server's error is more specific. */
const GRACE_MS = 2_000;

async function openPostgres(options: PostgresPoolOptions): Promise<Database> {
  const byDefault = new DefaultDeadline(options.statementTimeoutMs + GRACE_MS);
  let connections: Connections | undefined;
  let opened: MikroORM | undefined;
  try {
    const verify = async (client: PoolClient): Promise<void> => {
      const query = async <Row extends SqlRow>(sql: string) => (await client.query<Row>(sql)).rows;
      assertSuitable(await readPostgresSettings({ query }));
    };
    const orm = await openPostgresOrm(options, verify, (pool) => {
      connections = connectionsOf(pool, options, byDefault);
    });
    opened = orm;
    if (connections === undefined) throw new Error('the PostgreSQL driver created no pool');
    const { pool, deadlines, driver, figures, watch } = connections;
    const watched = new WatchedDriver(driver, watch);
    const damageWatch = new DamageWatch(watched);
    const callSql = sqlRunner(damageWatch, options.callTimeoutMs);
    const clock = new DatabaseClock();
    const primary = { driver: watched, callSql, clock, types: pool.options.types };
    const close = (): Promise<void> => orm.close(true);
    const database = new Database(
      'postgres',
      sqlRunner(watched),
      callSql,
      orm,
      () => closeConnections(close, () => deadlines.dropAll()),
      new PostgresListener(pool),
      watch,
      clock,
      figures,
      (work) => byDefault.without(work),
      undefined,
      options.replica === undefined ? undefined : openReplica(options, options.replica, primary),
      damageWatch,
    );
    assertSuitable(await readPostgresSettings(database.sql));
    await database.clock.keepComparing(database.callSql);
    return database;
  } catch (error) {
    connections?.watch.close();
    await opened?.close(true);
    throw error instanceof DatabaseUnusable ? error : toDatabaseError(error);
  }
}

/** The connections to a PostgreSQL, and what watches them. */
interface Connections {
  readonly pool: Pool;
  readonly deadlines: ConnectionDeadlines;
  readonly driver: PostgresDriver;
  readonly figures: DatabaseFigures;
  readonly watch: AnswerWatch;
}

/** @param pool without connections: one that is already open would have no deadlines */
function connectionsOf(pool: Pool, options: PostgresPoolOptions, byDefault: DefaultDeadline): Connections {
  const { callTimeoutMs, connectTimeoutMs } = options;
  const watch: AnswerWatch = new AnswerWatch(() => driver.answers(callTimeoutMs));
  const deadlines = ConnectionDeadlines.of(pool, {
    byDefault,
    longMs: callTimeoutMs,
    onLong: () => dead.check(),
    onMissed: (sentMs) => watch.missed(sentMs),
  });
  const dead = new DeadConnections(pool, deadlines, callTimeoutMs);
  const gate = ConnectionGate.of(pool.options.max, connectTimeoutMs);
  const figures = new DatabaseFigures(() => poolFigures(pool, gate.waiting));
  const driver = new PostgresDriver(pool, deadlines, figures, undefined, gate);
  return { pool, deadlines, driver, figures, watch };
}
