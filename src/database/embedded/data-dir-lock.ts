/**
 * One process per data directory: two PGlite servers in one directory would destroy it. The lock is held by the operating system (an
 * exclusive SQLite transaction; Node has no `flock`), so it ends with its process, however that ends, and works across containers that
 * share a volume. The process id next to it is only for the message.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { DatabaseUnusable } from '../database-error.js';

/** https://www.sqlite.org/rescode.html: the lowest byte is the primary code. */
const PRIMARY_CODE = 0xff;
const SQLITE_BUSY = 5;

export interface DataDirLock {
  release(): void;
}

/**
 * Takes the lock of `dataDir`, which must exist.
 *
 * @throws DatabaseUnusable when another process, or this one, already uses the directory, or when it cannot be locked.
 */
export function lockDataDir(dataDir: string): DataDirLock {
  const owner = join(dataDir, 'weir.pid');
  const file = join(dataDir, 'weir.lock');
  let lock: DatabaseSync | undefined;
  try {
    lock = new DatabaseSync(file, { timeout: 0 });
    lock.exec('PRAGMA journal_mode = MEMORY');
    lock.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    lock?.close();
    const { errcode = 0, errstr = 'unknown error' } = error as { readonly errcode?: number; readonly errstr?: string };
    if ((errcode & PRIMARY_CODE) !== SQLITE_BUSY) {
      throw new DatabaseUnusable(
        `The data directory ${dataDir} cannot be locked: ${file} (${errstr}). Weir needs write access to this file, but writes nothing to it: ` +
          'check its owner and its disk, or delete it while no Weir server runs.',
      );
    }
    throw new DatabaseUnusable(
      `The data directory ${dataDir} is in use by another Weir server${processHint(owner)}. ` +
        'Stop it, choose another WEIR_DATA_DIR, or set DATABASE_URL to run several servers on one PostgreSQL.',
    );
  }
  const taken = lock;
  try {
    writeFileSync(owner, `${process.pid}\n`, { mode: 0o600 });
  } catch {
    // It is only for a message, and a full disk is reported by the database.
  }
  return {
    release() {
      taken.close();
    },
  };
}

function processHint(owner: string): string {
  try {
    const pid = readFileSync(owner, 'utf8').trim();
    return /^\d+$/.test(pid) ? ` (process ${pid})` : '';
  } catch {
    return '';
  }
}
