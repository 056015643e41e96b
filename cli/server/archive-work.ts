import type { ArchiveWork } from '../../src/events/archive/index.js';
import { CliError, EXIT, usageError } from '../exit-code.js';
import type { Io } from '../io.js';
import { serverConfig, withDatabase } from './with-database.js';

/**
 * Runs a function with the archive and the database of the server's settings.
 *
 * @throws CliError exit 2 if no archive is configured; 4 if the archive or the database is unreachable or unusable
 */
export async function withArchive<Result>(io: Io, work: (archive: ArchiveWork) => Promise<Result>): Promise<Result> {
  const config = await serverConfig(io);
  if (config.archive.place === undefined) {
    throw usageError('no archive is set up: set WEIR_ARCHIVE to s3://bucket/prefix or to a directory');
  }
  const { ArchiveWork, isArchiveFailure } = await import('../../src/events/archive/index.js');
  return withDatabase(config, async (database) => {
    const archive = new ArchiveWork(config.archive, database);
    try {
      return await work(archive);
    } catch (error) {
      if (isArchiveFailure(error)) throw new CliError(EXIT.unavailable, error.message);
      throw error;
    } finally {
      await archive.close();
    }
  });
}
