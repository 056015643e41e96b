/** Migrates the tables. The embedded database is migrated by the server at start, PostgreSQL by a command. */
import { setTimeout as delay } from 'node:timers/promises';
import { ADVISORY_LOCKS } from './advisory-locks.js';
import { DatabaseError, toDatabaseError, DatabaseUnusable } from './database-error.js';
import type { Database } from './database.js';
import { assertRoles, makeRoles } from './isolation/roles.js';

/** SQLSTATE of a table that already exists. */
const DUPLICATE_TABLE = '42P07';
const FOREIGN =
  'The database has tables that no migration of this version created: it was created by a version before the first ' +
  'release, or by another program. Use an empty database, or an empty data directory.';

/** The number of attempts to run the migrations while a table is locked. */
const ATTEMPTS = 15;
const SHORT_ATTEMPTS = 10;
/** Calls queue behind a migration that waits for a lock: a short attempt ends before the calls give up. */
const SHORT_WAIT_MS = 800;
/** Longer than PostgreSQL's `deadlock_timeout` (1 s by default), after which PostgreSQL ends an autovacuum that holds the lock. */
const LONG_WAIT_MS = 2_500;
const PAUSE_MS = 2_000;
const LOCKED =
  'A migration could not lock a table, because long statements or open transactions use it. Nothing was changed. End them (see ' +
  'pg_stat_activity), or run `weir server migrate` again when the database is less busy.';

/**
 * Creates the roles that statements run as, and runs all pending migrations in one transaction, without a time limit. Servers that migrate
 * at the same time take turns.
 *
 * @param pause waits between two attempts to lock the tables
 * @returns the names of the migrations that ran.
 * @throws DatabaseUnusable if roles are missing and may not be created, or if a table stays locked
 */
export async function migrate(database: Database, pause: (ms: number) => Promise<unknown> = delay): Promise<string[]> {
  await database.sql.transaction(makeRoles);
  const run = (): Promise<string[]> => inAttempts((lockWaitMs) => runPending(database, lockWaitMs), pause);
  return database.unhurried(() => (database.kind === 'embedded' ? run() : inTurn(database, run)));
}

/** Runs all pending migrations in one transaction. @param lockWaitMs the time limit of PostgreSQL for each wait for a lock */
async function runPending(database: Database, lockWaitMs: number): Promise<string[]> {
  const { migrator, em } = database.orm;
  try {
    // The first question to the migrator creates its table, on another connection than that of the transaction.
    if ((await migrator.getPending()).length === 0) return [];
    const connection = em.getConnection();
    return await connection.transactional(async (transaction: object) => {
      // The limits of the pool apply to every connection, and building an index of a large table takes longer.
      await connection.execute(
        `SELECT set_config('statement_timeout', '0', true), set_config('lock_timeout', '${lockWaitMs}ms', true)`,
        [],
        'all',
        transaction,
      );
      return (await migrator.up({ transaction })).map(({ name }) => name);
    });
  } catch (thrown) {
    const error = toDatabaseError(thrown);
    if (error instanceof DatabaseError && error.sqlState === DUPLICATE_TABLE) throw new DatabaseUnusable(FOREIGN);
    throw error;
  }
}

/** Repeats `attempt` while it fails because a table is locked. @throws DatabaseUnusable after the last attempt */
async function inAttempts<T>(
  attempt: (lockWaitMs: number) => Promise<T>,
  pause: (ms: number) => Promise<unknown>,
): Promise<T> {
  for (let made = 0; made < ATTEMPTS; made += 1) {
    if (made > 0) await pause(PAUSE_MS);
    try {
      return await attempt(made < SHORT_ATTEMPTS ? SHORT_WAIT_MS : LONG_WAIT_MS);
    } catch (error) {
      if (!(error instanceof DatabaseError && error.isLockTimeout)) throw error;
    }
  }
  throw new DatabaseUnusable(LOCKED);
}

/** Runs `work` while no other server migrates the same database. */
function inTurn<T>(database: Database, work: () => Promise<T>): Promise<T> {
  return database.sql.transaction(async (lock) => {
    // Neither the wait for the lock nor its idle holder may time out, however long a migration takes. So PostgreSQL has to notice if the
    // machine of the holder is gone: by default it does after two hours, during which no other server could migrate.
    await lock.query(
      `SELECT set_config('lock_timeout', '0', true), set_config('statement_timeout', '0', true),
              set_config('idle_in_transaction_session_timeout', '0', true), set_config('tcp_keepalives_idle', '30', true),
              set_config('tcp_keepalives_interval', '10', true), set_config('tcp_keepalives_count', '3', true)`,
    );
    await lock.query(`SELECT pg_advisory_xact_lock(${ADVISORY_LOCKS.migrations})`);
    return work();
  });
}

/** The names of the migrations that have not run yet, oldest first. Changes nothing. */
export async function pendingMigrations(database: Database): Promise<string[]> {
  try {
    return (await database.orm.migrator.getPending()).map(({ name }) => name);
  } catch (error) {
    throw toDatabaseError(error);
  }
}

/**
 * Makes sure that the tables are those of this version: migrates the embedded database, but only checks a PostgreSQL, whose operator
 * decides when to migrate.
 *
 * @throws DatabaseUnusable if migrations are pending on a PostgreSQL, naming them and the command to run; or if statements cannot run
 * as the required roles.
 */
export async function prepareTables(database: Database): Promise<void> {
  if (database.kind === 'embedded') {
    await migrate(database);
    return;
  }
  const pending = await pendingMigrations(database);
  if (pending.length > 0) {
    throw new DatabaseUnusable(
      `The database is not up to date: ${pending.length} pending (${pending.join(', ')}). Run: weir server migrate`,
    );
  }
  await assertRoles(database.sql);
}
