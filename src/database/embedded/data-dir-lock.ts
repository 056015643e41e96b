/**
 * One process per data directory: two PGlite servers in one directory would destroy it. The lock is the operating
 * system's (an exclusive SQLite transaction; Node has no `flock`), so it ends with its process, however that dies, and
 * holds across containers that share a volume. The process id beside it only serves the message.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { DatabaseUnusable } from '../database-error.js';

export interface DataDirLock {
  release(): void;
}

/**
 * Takes the lock of `dataDir`, which must exist.
 *
 * @throws DatabaseUnusable when another process, or this one, already uses the directory.
 */
export function lockDataDir(dataDir: string): DataDirLock {
  const owner = join(dataDir, 'weir.pid');
  const lock = new DatabaseSync(join(dataDir, 'weir.lock'), { timeout: 0 });
  try {
    lock.exec('PRAGMA journal_mode = MEMORY');
    lock.exec('BEGIN EXCLUSIVE');
  } catch {
    lock.close();
    throw new DatabaseUnusable(
      `The data directory ${dataDir} is in use by another Weir server${processHint(owner)}. ` +
        'Stop it, choose another WEIR_DATA_DIR, or set DATABASE_URL to run several servers on one PostgreSQL.',
    );
  }
  writeFileSync(owner, `${process.pid}\n`, { mode: 0o600 });
  return {
    release() {
      lock.close();
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
