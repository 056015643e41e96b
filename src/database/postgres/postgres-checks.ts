/**
 * The requirements for a PostgreSQL before Weir acknowledges anything on it. Checked at start and on every new connection, because a
 * role's or database's default may change while the server runs.
 */
import { DatabaseUnusable } from '../database-error.js';
import type { SqlExecutor } from '../sql-runner.js';

/** The oldest accepted version: PostgreSQL 13 is out of support. */
const OLDEST_VERSION = 140_000;

/**
 * With every value of `synchronous_commit` except `off`, a commit is answered after its record is flushed on this server;
 * `remote_write`, `on` and `remote_apply` also wait for standbys.
 * https://www.postgresql.org/docs/current/runtime-config-wal.html#GUC-SYNCHRONOUS-COMMIT
 */
const DURABLE_COMMITS: readonly string[] = ['local', 'remote_write', 'on', 'remote_apply'];

export interface PostgresSettings {
  readonly synchronousCommit: string;
  readonly fsync: string;
  readonly fullPageWrites: string;
  readonly versionNumber: number;
}

/**
 * Reads the active settings of this session, and disables just-in-time compilation: with the fifty partitions of a year's log, a
 * listing of 20 ms would be compiled for seconds.
 */
export async function readPostgresSettings(session: SqlExecutor): Promise<PostgresSettings> {
  const [row] = await session.query<{ commit: string; fsync: string; pages: string; version: number }>(
    `SELECT current_setting('synchronous_commit') AS commit, current_setting('fsync') AS fsync,
            current_setting('full_page_writes') AS pages, current_setting('server_version_num')::integer AS version,
            set_config('jit', 'off', false) AS jit`,
  );
  if (row === undefined) {
    throw new DatabaseUnusable('The database did not report its settings.');
  }
  return { synchronousCommit: row.commit, fsync: row.fsync, fullPageWrites: row.pages, versionNumber: row.version };
}

/**
 * Refuses a server that may lose acknowledged data.
 *
 * @throws DatabaseUnusable naming every setting to be changed.
 */
export function assertDurable(settings: PostgresSettings): void {
  const problems: string[] = [];
  if (settings.versionNumber < OLDEST_VERSION) {
    problems.push(`version ${Math.floor(settings.versionNumber / 10_000)} is too old: 14 or newer is needed`);
  }
  if (!DURABLE_COMMITS.includes(settings.synchronousCommit)) {
    problems.push(
      'synchronous_commit is off, so an acknowledged event could be lost in a crash: set it to on for this server, database and role',
    );
  }
  if (settings.fsync !== 'on') {
    problems.push('fsync is off, so a power cut could destroy the database: set it to on');
  }
  if (settings.fullPageWrites !== 'on') {
    problems.push('full_page_writes is off, so a power cut could destroy pages: set it to on');
  }
  if (problems.length > 0) {
    throw new DatabaseUnusable(`Weir does not run on this PostgreSQL: ${problems.join('; ')}.`);
  }
}
