/**
 * A new embedded database is some thousand files. Nothing can be in it before they are all there, so what an interrupted first
 * start left is thrown away by the next one: a mark beside the folder says that it is not finished.
 */
import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

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

/** To be called when the database is open and all its files are on the disk. */
export function finishNew(directory: string): void {
  rmSync(markOf(directory), { force: true });
}
