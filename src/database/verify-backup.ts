/** Verifies that a backup can be opened and read completely, by opening a copy of it. */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openDatabase } from './database.js';
import { DatabaseUnusable } from './database-error.js';
import type { EmbeddedOptions } from './database-options.js';
import { checkBackup, copyContent, restoreBackup, type Backup } from './embedded/backup.js';
import { deleteAbandonedCopies, newCopyFolder } from './embedded/backup-copies.js';
import { tableSums, type TableSum } from './table-sums.js';

/** The file with the sums of the opened copy, which a restored database must match. */
const SUMS = 'sums.json';

export interface Verified {
  readonly backup: Backup;
  readonly sums: readonly TableSum[];
}

/** The time limits of the opened database. They do not apply to the sums, which read all rows of the largest tables. */
type Limits = Pick<EmbeddedOptions, 'statementTimeoutMs'>;

/**
 * Reads a backup completely, in a copy within its folder, and stores the sums next to the content.
 * @throws DatabaseUnusable if it is damaged or cannot be opened
 */
export async function verifyBackup(folder: string, limits: Limits = {}): Promise<Verified> {
  const backup = await checkBackup(folder);
  await deleteAbandonedCopies(folder);
  const { path: draft, lock } = newCopyFolder(folder);
  try {
    try {
      copyContent(folder, draft);
    } finally {
      // Opening the copy takes the lock again.
      lock.release();
    }
    const sums = await sumsOf(draft, limits);
    writeFileSync(join(folder, SUMS), `${JSON.stringify(sums)}\n`, { mode: 0o600, flush: true });
    return { backup, sums };
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

/**
 * Restores a backup to an empty data directory, and compares the database with the sums from the verification.
 * @throws DatabaseUnusable if the backup is damaged, the directory is in use, or a table differs
 */
export async function restoreVerified(folder: string, dataDir: string, limits: Limits = {}): Promise<Verified> {
  const backup = await restoreBackup(folder, dataDir);
  const sums = await sumsOf(dataDir, limits);
  const path = join(folder, SUMS);
  const expected = existsSync(path) ? readFileSync(path, 'utf8').trim() : undefined;
  if (expected !== undefined && expected !== JSON.stringify(sums)) {
    throw new DatabaseUnusable(`The database restored to ${dataDir} differs from the verified backup: do not use it.`);
  }
  return { backup, sums };
}

async function sumsOf(dataDir: string, limits: Limits): Promise<TableSum[]> {
  const database = await openDatabase({ kind: 'embedded', dataDir, ...limits });
  try {
    const maintenance = database.sql.forMaintenance();
    return await database.unhurried(() => maintenance.transaction(tableSums, { reads: 'one snapshot' }));
  } finally {
    await database.close();
  }
}
