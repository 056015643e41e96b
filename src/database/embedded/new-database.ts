/**
 * A new embedded database consists of thousands of files. It cannot contain data before all of them exist, so the result of an interrupted
 * first start is renamed by the next one: a mark next to the folder shows that it is unfinished. It is not deleted, because a database may
 * have been copied there since.
 */
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname } from 'node:path';

const markOf = (directory: string): string => `${directory}.unfinished`;

/** Puts a folder aside whose database was never finished, as `db.interrupted-<ms>`, and marks an empty one as unfinished. */
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
 * To be called when the database is open and all its files are on the disk. Returns when the mark is gone there as well: one that
 * came back after a power failure would have the next start put aside what was acknowledged since.
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
