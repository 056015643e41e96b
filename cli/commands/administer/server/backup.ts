/**
 * The commands `weir server …`, which run on the machine of the service. They open its database and start its process.
 */
import { resolve } from 'node:path';
import type { Verified } from '../../../../src/database/index.js';
import { defineCommand } from '../../../command.js';
import { EXIT, usageError } from '../../../exit-code.js';
import { write } from '../../../io.js';
import { runUninterruptible } from '../../../server/uninterruptible.js';
import { refused, serverConfig, withDatabase } from '../../../server/with-database.js';

const MEBIBYTE = 1_048_576;
const MS_PER_S = 1_000;

/**
 * `weir server backup`: copies the data directory with a consistent snapshot of the embedded database, even while a server uses it. The
 * copy is opened and read completely to verify it.
 */
export const serverBackup = defineCommand({
  usage: 'backup <folder>',
  summary: 'Back up the embedded database, also while the service runs',
  endsInOrder: true,
  positionals: {
    folder: { type: 'string', demandOption: true, describe: 'Folder for the backup; must be empty or not exist' },
  },

  async run({ folder, json }, { io }) {
    const config = await serverConfig(io);
    if (config.database.kind !== 'embedded') {
      throw usageError('DATABASE_URL is set: PostgreSQL has tools for backups (docs/guides/backups.md)');
    }
    const { askForBackup, assertMade, verifyBackup } = await import('../../../../src/database/index.js');
    const { VERSION } = await import('../../../../src/version.js');
    const to = resolve(io.cwd, folder);
    const verified = await runUninterruptible('The backup', io, () =>
      refused(async () => {
        assertMade(config.dataDir);
        const made = await askForBackup(config.dataDir, to);
        if (made === undefined) await withDatabase(config, async (database) => database.backup?.(to, VERSION));
        return verifyBackup(to);
      }),
    );
    await write(io.stdout, json ? `${JSON.stringify({ schemaVersion: 1, ...backupSummary(verified) })}\n` : `${to}\n`);
    const { bytes, heldMs } = verified.backup;
    const size = `${(bytes / MEBIBYTE).toFixed(1)} MiB`;
    const held = `${(heldMs / MS_PER_S).toFixed(2)} s`;
    return {
      exit: EXIT.ok,
      words: `the backup (${size}) was opened and verified; making it blocked statements for ${held}. The backup contains credentials and keys`,
    };
  },
});

/** The JSON output for a backup, without its list of files. */
export function backupSummary({ backup, sums }: Verified): object {
  const { weir, at, bytes, heldMs, files } = backup;
  return { weir, at, bytes, heldMs, files: files.length, tables: sums };
}
