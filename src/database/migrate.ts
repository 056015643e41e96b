/** Migrates the tables. The embedded database is migrated by the server at start, PostgreSQL by a command. */
import { ADVISORY_LOCKS } from './advisory-locks.js';
import { DatabaseError, toDatabaseError, DatabaseUnusable } from './database-error.js';
import type { Database } from './database.js';
import { assertRoles, makeRoles } from './isolation/roles.js';

/** SQLSTATE of a table that already exists. */
const DUPLICATE_TABLE = '42P07';
const FOREIGN =
  'The database has tables that no migration of this version created: it was created by a version before the first ' +
  'release, or by another program. Use an empty database, or an empty data directory.';

/**
 * Creates the roles that statements run as, and runs all pending migrations in one transaction. Servers that migrate at the same time
 * take turns.
 *
 * @returns the names of the migrations that ran.
 * @throws DatabaseUnusable if roles are missing and may not be created
 */
export async function migrate(database: Database): Promise<string[]> {
  const run = async (): Promise<string[]> => {
    try {
      return (await database.orm.migrator.up()).map(({ name }) => name);
    } catch (thrown) {
      const error = toDatabaseError(thrown);
      if (error instanceof DatabaseError && error.sqlState === DUPLICATE_TABLE) throw new DatabaseUnusable(FOREIGN);
      throw error;
    }
  };
  await database.sql.transaction(makeRoles);
  if (database.kind === 'embedded') {
    return run();
  }
  return database.unhurried(() => inTurn(database, run));
}

/** Runs `work` while no other server migrates the same database. */
function inTurn<T>(database: Database, work: () => Promise<T>): Promise<T> {
  return database.sql.transaction(async (lock) => {
    // Neither the wait for the lock nor its idle holder may time out, however long a migration takes.
    await lock.query(
      `SELECT set_config('lock_timeout', '0', true), set_config('statement_timeout', '0', true),
              set_config('idle_in_transaction_session_timeout', '0', true)`,
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
