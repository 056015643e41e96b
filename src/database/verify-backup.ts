/** Verifies that a backup can be opened and read completely, by opening a copy of it. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openDatabase } from './database.js';
import { DatabaseUnusable } from './database-error.js';
import { checkBackup, copyContent, restoreBackup, type Backup } from './embedded/backup.js';
import { tableSums, type TableSum } from './table-sums.js';

/** What the copy had when it was opened: a restored database has to have the same. */
const SUMS = 'sums.json';

export interface Verified {
  readonly backup: Backup;
  readonly sums: readonly TableSum[];
}

/**
 * Reads all of a backup, in a copy within its folder, and keeps what it found beside the content.
 * @throws DatabaseUnusable when it is damaged or does not open
 */
export async function verifyBackup(folder: string): Promise<Verified> {
  const backup = await checkBackup(folder);
  const draft = mkdtempSync(join(folder, '.verify-'));
  try {
    copyContent(folder, draft);
    const sums = await sumsOf(draft);
    writeFileSync(join(folder, SUMS), `${JSON.stringify(sums)}\n`, { mode: 0o600, flush: true });
    return { backup, sums };
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

/**
 * Puts a backup into an empty data directory and compares what it is then with what it was when it was verified.
 * @throws DatabaseUnusable when it is damaged, the directory is in use, or something differs
 */
export async function restoreVerified(folder: string, dataDir: string): Promise<Verified> {
  const backup = await restoreBackup(folder, dataDir);
  const sums = await sumsOf(dataDir);
  const path = join(folder, SUMS);
  const expected = existsSync(path) ? readFileSync(path, 'utf8').trim() : undefined;
  if (expected !== undefined && expected !== JSON.stringify(sums)) {
    throw new DatabaseUnusable(`The database restored to ${dataDir} differs from the verified backup: do not use it.`);
  }
  return { backup, sums };
}

async function sumsOf(dataDir: string): Promise<TableSum[]> {
  const database = await openDatabase({ kind: 'embedded', dataDir });
  try {
    return await database.sql.forMaintenance().transaction(tableSums, { reads: 'one snapshot' });
  } finally {
    await database.close();
  }
}
