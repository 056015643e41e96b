import { migrate, openDatabase, POSTGRES_DEFAULTS, type Database } from '../src/database/index.js';
import { TestPostgres } from '../test/support/postgres.js';
import { postgresBinaries } from './package-of-tests.js';

/**
 * Starts a PostgreSQL server for one bench and opens a migrated database on it.
 * @throws {Error} when this machine has no PostgreSQL binaries
 */
export async function openBenchDatabase(): Promise<{
  readonly postgres: TestPostgres;
  readonly databaseUrl: string;
  readonly database: Database;
}> {
  const binaries = await postgresBinaries();
  if (binaries === undefined) throw new Error('there are no PostgreSQL binaries on this machine');
  const postgres = await TestPostgres.start(binaries);
  const databaseUrl = await postgres.newDatabase();
  const database = await openDatabase({ kind: 'postgres', postgres: { ...POSTGRES_DEFAULTS, databaseUrl } });
  await migrate(database);
  return { postgres, databaseUrl, database };
}
