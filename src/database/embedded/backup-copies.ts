/**
 * The copies of backups that are opened to verify them. A killed verification leaves its copy in the folder of its backup, as large as the
 * backup itself.
 */
import { existsSync, mkdtempSync, readdirSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { lockDataDir, type DataDirLock } from './data-dir-lock.js';

/** The file that is written last, and makes a folder a backup. */
export const MANIFEST = 'backup.json';
/** The beginning of the name of a copy. */
const COPY = '.verify-';

/**
 * Creates an empty folder in a backup for its copy.
 *
 * @returns the folder, and its lock, to be released before the copy is opened
 * @throws DatabaseUnusable if the folder cannot be locked
 */
export function newCopyFolder(backup: string): { readonly path: string; readonly lock: DataDirLock } {
  const path = mkdtempSync(join(backup, COPY));
  return { path, lock: lockDataDir(path) };
}

/**
 * Deletes the abandoned copies of a backup and of those beside it. A running verification holds the lock of its copy. Never rejects: a copy
 * that cannot be deleted stays.
 */
export async function deleteAbandonedCopies(backup: string): Promise<void> {
  for (const each of foldersIn(dirname(resolve(backup)))) {
    if (!existsSync(join(each, MANIFEST))) continue;
    for (const copy of foldersIn(each)) if (basename(copy).startsWith(COPY)) await deleteUnlessLocked(copy);
  }
}

function foldersIn(folder: string): string[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true });
    return entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(folder, name));
  } catch {
    return [];
  }
}

async function deleteUnlessLocked(copy: string): Promise<void> {
  try {
    lockDataDir(copy).release();
    await rm(copy, { recursive: true, force: true });
  } catch {
    // It is in use, or belongs to another user.
  }
}
