import { readFileSync } from 'node:fs';
import type { AppConfig } from '../../src/config/index.js';
import type { Database } from '../../src/database/index.js';
import { CliError, EXIT, usageError } from '../exit-code.js';
import { write, type Io } from '../io.js';

/**
 * Reads the settings of the server as the server does.
 *
 * @throws CliError (exit 2) after naming every invalid setting on stderr
 */
export async function serverConfig(io: Io): Promise<AppConfig> {
  const { ConfigError, loadConfig } = await import('../../src/config/index.js');
  try {
    return loadConfig(io.env, (path) => readFileSync(path, 'utf8'), io.cwd);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    await write(io.stderr, `${error.message}\n`);
    const { length } = error.problems;
    throw usageError(length === 1 ? 'one setting is invalid' : `${length} settings are invalid`);
  }
}

/**
 * Opens the configured database, runs `work` and closes the database.
 *
 * @throws CliError (exit 4) when it cannot be reached or used
 */
export async function withDatabase<Result>(
  config: AppConfig,
  work: (database: Database) => Promise<Result>,
): Promise<Result> {
  const { databaseOptions, openDatabase } = await import('../../src/database/index.js');
  return refused(async () => {
    const database = await openDatabase(databaseOptions(config));
    try {
      return await work(database);
    } finally {
      await database.close();
    }
  });
}

/** Runs work that uses databases. @throws CliError (exit 4) if a database is unreachable or unusable */
export async function refused<Result>(work: () => Promise<Result>): Promise<Result> {
  const { DatabaseError, DatabaseUnavailable, DatabaseUnusable } = await import('../../src/database/index.js');
  try {
    return await work();
  } catch (error) {
    const known = [DatabaseError, DatabaseUnavailable, DatabaseUnusable].some((kind) => error instanceof kind);
    if (known) throw new CliError(EXIT.unavailable, (error as Error).message);
    throw error;
  }
}
