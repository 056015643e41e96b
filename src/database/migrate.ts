/** Migrates the tables. The embedded database is migrated by the server at start, PostgreSQL by a command. */
import { DatabaseError, toDatabaseError, DatabaseUnusable } from './database-error.js';
import type { Database } from './database.js';
import { assertRoles, makeRoles } from './isolation/roles.js';

/** One number for everybody who migrates: `pg_advisory_xact_lock` lets one at a time in. */
const MIGRATION_LOCK = 7_365_412_001;

/** SQLSTATE of a table that is there already. */
const DUPLICATE_TABLE = '42P07';
const FOREIGN =
  'The database has tables that no migration of this version made: it was made by a version from before the first ' +
  'release, or by another program. Use an empty database, or an empty data directory.';

/**
 * Makes the roles that statements run as and runs every pending migration, all of them in one transaction. Two servers
 * that migrate at once take turns.
 *
 * @returns the names of the migrations that ran.
 * @throws DatabaseUnusable when the roles are missing and may not be made
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
    // However long somebody else migrates, or we do: neither the wait nor the idle holder of the lock times out.
    await lock.query(
      `SELECT set_config('lock_timeout', '0', true), set_config('statement_timeout', '0', true),
              set_config('idle_in_transaction_session_timeout', '0', true)`,
    );
    await lock.query(`SELECT pg_advisory_xact_lock(${MIGRATION_LOCK})`);
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
 * Makes sure that the tables are those that this version expects: migrates the embedded database, only checks a
 * PostgreSQL, whose owner decides when its tables change.
 *
 * @throws DatabaseUnusable when migrations are pending on a PostgreSQL; names them and the command to run. Also when
 * statements cannot run as the roles that they have to run as.
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
