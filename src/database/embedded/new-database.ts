/**
 * A new embedded database is some thousand files. Nothing can be in it before they are all there, so what an interrupted first
 * start left is thrown away by the next one: a mark beside the folder says that it is not finished.
 */
import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname, join } from 'node:path';

const markOf = (directory: string): string => `${directory}.unfinished`;

/** Empties a folder whose database was never finished, and marks an empty one as unfinished. */
export function beginNew(directory: string): void {
  const mark = markOf(directory);
  const found = readdirSync(directory);
  if (existsSync(mark)) {
    for (const name of found) rmSync(join(directory, name), { recursive: true, force: true });
  } else if (found.length === 0) {
    writeFileSync(mark, '', { flush: true, mode: 0o600 });
  }
}

/**
 * To be called when the database is open and all its files are on the disk. Returns when the mark is gone there as well: one that
 * came back after a power failure would have the next start throw away what was acknowledged since.
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
