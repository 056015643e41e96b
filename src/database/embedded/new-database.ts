/**
 * A new embedded database consists of thousands of files. It cannot contain data before all of them exist, so the next start renames
 * the result of an interrupted first start: a mark file next to the folder shows that it is unfinished. It is not deleted, because a
 * database may have been copied there since.
 */
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname } from 'node:path';

const markOf = (directory: string): string => `${directory}.unfinished`;

/** Renames the folder of an unfinished database to `db.interrupted-<ms>`, and marks an empty folder as unfinished. */
export function beginNew(directory: string): void {
  const mark = markOf(directory);
  const isEmpty = readdirSync(directory).length === 0;
  if (isEmpty) {
    writeFileSync(mark, '', { flush: true, mode: 0o600 });
  } else if (existsSync(mark)) {
    renameSync(directory, `${directory}.interrupted-${Date.now()}`);
    mkdirSync(directory, { mode: 0o700 });
  }
}

/**
 * Call this when the database is open and all its files are on the disk. Returns when the removal of the mark is on the disk: if it
 * reappeared after a power failure, the next start would rename a database with acknowledged data.
 */
export async function finishNew(directory: string): Promise<void> {
  const mark = markOf(directory);
  if (!existsSync(mark)) return;
  rmSync(mark);
  const folder = await open(dirname(mark), 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
