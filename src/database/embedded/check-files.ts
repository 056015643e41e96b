import { accessSync, constants, existsSync, readdirSync, readFileSync, statSync, type Stats } from 'node:fs';
import { join } from 'node:path';
import { DatabaseUnusable } from '../database-error.js';

/** The file has exactly this size, regardless of its content. https://www.postgresql.org/docs/current/storage-file-layout.html */
const CONTROL_FILE_BYTES = 8192;
/** A segment of the write-ahead log always has this size, regardless of its content. */
const LOG_FILE_BYTES = 16 * 1024 * 1024;
const LOG_FILE = /^[0-9A-F]{24}$/;
/** The major version of the included PostgreSQL, as in its `PG_VERSION` files. */
const MAJOR_VERSION = '18';

const NOT_ALLOWED = /\b(?:EACCES|EPERM|EROFS)\b/;

const NEXT_STEP = 'Restore the folder from a backup, or start with another one (WEIR_DATA_DIR).';

/**
 * Checks that the files of a database are complete: otherwise it would stop with a message about memory. An empty folder is accepted,
 * because a new database is created in it.
 *
 * @throws DatabaseUnusable naming the file and what to do
 */
export function checkFiles(directory: string): void {
  const found = readdirSync(directory);
  if (found.length === 0) return;
  for (const name of ['PG_VERSION', 'global', 'base', 'pg_wal', 'pg_xact']) {
    if (!found.includes(name)) throw damaged(join(directory, name), 'is missing');
  }
  checkVersion(join(directory, 'PG_VERSION'));
  const control = join(directory, 'global', 'pg_control');
  const stats = look(control);
  if (stats === undefined) throw damaged(control, 'is missing');
  if (stats.size !== CONTROL_FILE_BYTES) {
    throw damaged(control, `has ${stats.size} bytes instead of ${CONTROL_FILE_BYTES}`);
  }
  // A file of another owner, as after a copy by root, would be reported as damage by the database.
  accessSync(control, constants.R_OK | constants.W_OK);
  const log = readdirSync(join(directory, 'pg_wal')).filter((name) => LOG_FILE.test(name));
  if (log.length === 0) throw damaged(join(directory, 'pg_wal'), 'contains no file of the write-ahead log');
  for (const name of log) {
    const file = join(directory, 'pg_wal', name);
    accessSync(file, constants.R_OK | constants.W_OK);
    const { size } = statSync(file);
    if (size !== LOG_FILE_BYTES) throw damaged(file, `has ${size} bytes instead of ${LOG_FILE_BYTES}`);
  }
}

function checkVersion(file: string): void {
  const version = readFileSync(file, 'utf8').trim();
  if (version === MAJOR_VERSION) return;
  if (!/^\d+$/.test(version)) throw damaged(file, 'contains no version');
  throw new DatabaseUnusable(
    `The embedded database cannot be read: ${file} names PostgreSQL ${version}, and this Weir contains PostgreSQL ${MAJOR_VERSION}. ` +
      'Start the version of Weir that wrote it, or start with another folder (WEIR_DATA_DIR).',
  );
}

/**
 * Checks that there is a database before it is read: opening a missing one would create it.
 *
 * @throws DatabaseUnusable if the data directory contains no database
 */
export function assertMade(dataDir: string): void {
  const directory = join(dataDir, 'db');
  if (existsSync(directory) && readdirSync(directory).length > 0) return;
  throw new DatabaseUnusable(`There is no embedded database in ${dataDir}: set WEIR_DATA_DIR as for the service.`);
}

/** Creates the error for a database that fails to open, because the database's own message does not mention the files. */
export function openingFailure(directory: string, error: unknown): DatabaseUnusable {
  if (error instanceof DatabaseUnusable) return error;
  const {
    message = 'unknown error',
    code,
    path = directory,
  } = error instanceof Error ? (error as NodeJS.ErrnoException) : {};
  if (NOT_ALLOWED.test(code ?? message)) return notAllowed(path);
  if (code === 'EMFILE' || /EMFILE|too many open files/i.test(message)) {
    return new DatabaseUnusable(
      'The embedded database cannot be opened: the limit of open files of this process is too low. Raise the limit (`ulimit -n 4096`).',
    );
  }
  if (/ENOSPC|no space left/i.test(message)) {
    return new DatabaseUnusable(
      `The embedded database cannot be opened: the disk of ${directory} is full. Free some space.`,
    );
  }
  // Messages for developers of the database do not help its operators.
  const reason = /assert|failed to initialize/i.test(message) ? '' : ` (${message})`;
  return new DatabaseUnusable(
    `The embedded database in ${directory} cannot be opened${reason}: its files are damaged, or another version wrote them. ${NEXT_STEP}`,
  );
}

/** The error if the data directory does not exist and cannot be created. */
export function folderFailure(folder: string, error: unknown): unknown {
  const { code = '', path = folder } = error as NodeJS.ErrnoException;
  if (code === 'ENOTDIR' || code === 'EEXIST') {
    return new DatabaseUnusable(
      `The data directory ${folder} cannot be used: ${path} is not a folder (WEIR_DATA_DIR).`,
    );
  }
  return NOT_ALLOWED.test(code) ? notAllowed(path) : error;
}

function notAllowed(path: string): DatabaseUnusable {
  const user = process.getuid?.();
  const who = user === undefined ? 'this process' : `this process (user ${user})`;
  return new DatabaseUnusable(
    `The embedded database cannot be opened: ${who} has no permission to read and write ${path}. Grant access, or use another folder (WEIR_DATA_DIR).`,
  );
}

function damaged(path: string, what: string): DatabaseUnusable {
  return new DatabaseUnusable(`The embedded database is damaged: ${path} ${what}. ${NEXT_STEP}`);
}

function look(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}
