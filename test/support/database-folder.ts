import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * A new folder for the files of a database. `npm test` sets `WEIR_TEST_MEMORY` to a folder in memory if there is enough: there, a database is
 * copied and deleted in a third of the time, and no test waits for the disk. Tests end processes but never the machine, so files in
 * memory outlive them as files on the disk do.
 */
export function newDatabaseFolder(prefix: string): string {
  return mkdtempSync(join(process.env['WEIR_TEST_MEMORY'] ?? tmpdir(), prefix));
}
