/**
 * The requirements for a PostgreSQL before Weir acknowledges anything on it. Checked at start and on every new connection, because a
 * role's or database's default may change while the server runs.
 */
import { DatabaseUnusable } from '../database-error.js';
import type { SqlExecutor } from '../sql-runner.js';

/** The oldest accepted version: PostgreSQL 13 is out of support. */
const OLDEST_VERSION = 140_000;

/** The only encoding that can store every text of a call. */
const ENCODING = 'UTF8';

/**
 * With every value of `synchronous_commit` except `off`, a commit is answered after its record is flushed on this server;
 * `remote_write`, `on` and `remote_apply` also wait for standbys.
 * https://www.postgresql.org/docs/current/runtime-config-wal.html#GUC-SYNCHRONOUS-COMMIT
 */
const DURABLE_COMMITS: readonly string[] = ['local', 'remote_write', 'on', 'remote_apply'];

/**
 * Settings of every session, whatever the defaults of the server, the database or the role are: the forms in which values are read, and
 * properties of transactions on which statements rely. Just-in-time compilation is off because, with the fifty partitions of a year's log,
 * a listing of 20 ms would be compiled for seconds. There is no limit for a transaction because weeks are archived and deleted in
 * transactions that take as long as the week is large.
 */
const SESSION: Readonly<Record<string, string>> = {
  jit: 'off',
  DateStyle: 'ISO, MDY',
  TimeZone: 'UTC',
  extra_float_digits: '1',
  bytea_output: 'hex',
  default_transaction_isolation: 'read committed',
  row_security: 'on',
  // PostgreSQL 14 and newer.
  idle_session_timeout: '0',
  // PostgreSQL 17 and newer.
  transaction_timeout: '0',
};

/**
 * Sets the settings of a session that Weir relies on; an expression of one text, for the list of a SELECT. A server that lacks a setting
 * answers as well, so that a version that is too old is reported as that.
 */
export const SET_SESSION = `concat(${Object.entries(SESSION)
  .map(
    ([name, value]) =>
      `CASE WHEN current_setting('${name}', true) IS NOT NULL THEN set_config('${name}', '${value}', false) END`,
  )
  .join(', ')})`;

export interface PostgresSettings {
  readonly encoding: string;
  readonly synchronousCommit: string;
  readonly fsync: string;
  readonly fullPageWrites: string;
  readonly versionNumber: number;
}

/** Reads the active settings of this session, and sets those of `SET_SESSION`. */
export async function readPostgresSettings(session: SqlExecutor): Promise<PostgresSettings> {
  const [row] = await session.query<{
    encoding: string;
    commit: string;
    fsync: string;
    pages: string;
    version: number;
  }>(
    `SELECT current_setting('synchronous_commit') AS commit, current_setting('fsync') AS fsync,
            current_setting('full_page_writes') AS pages, current_setting('server_version_num')::integer AS version,
            current_setting('server_encoding') AS encoding, ${SET_SESSION} AS session`,
  );
  if (row === undefined) {
    throw new DatabaseUnusable('The database did not report its settings.');
  }
  const { encoding, commit, fsync, pages, version } = row;
  return { encoding, synchronousCommit: commit, fsync, fullPageWrites: pages, versionNumber: version };
}

/**
 * Refuses a server that may lose acknowledged data, and a database that cannot store every text.
 *
 * @throws DatabaseUnusable naming every setting to be changed.
 */
export function assertSuitable(settings: PostgresSettings): void {
  const problems: string[] = [];
  if (settings.versionNumber < OLDEST_VERSION) {
    problems.push(`version ${Math.floor(settings.versionNumber / 10_000)} is too old: 14 or newer is needed`);
  }
  if (settings.encoding !== ENCODING) {
    problems.push(
      `the encoding of this database is ${settings.encoding}, which cannot store all texts: create another database with ` +
        "ENCODING 'UTF8' TEMPLATE template0",
    );
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
