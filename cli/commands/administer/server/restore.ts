import { resolve } from 'node:path';
import { defineCommand } from '../../../command.js';
import { EXIT, usageError } from '../../../exit-code.js';
import { write } from '../../../io.js';
import { runUninterruptible } from '../../../server/uninterruptible.js';
import { refused, serverConfig } from '../../../server/with-database.js';
import { backupSummary } from './backup.js';

/** `weir server restore`: copies a backup to the data directory of the settings, which must be empty. */
export const serverRestore = defineCommand({
  usage: 'restore <folder>',
  summary: 'Restore a backup into an empty data directory',
  positionals: { folder: { type: 'string', demandOption: true, describe: 'A folder that `weir server backup` made' } },
  endsInOrder: true,

  async run({ folder, json }, { io }) {
    const config = await serverConfig(io);
    if (config.database.kind !== 'embedded') {
      throw usageError('DATABASE_URL is set: this command restores embedded databases only (docs/guides/backups.md)');
    }
    const { restoreVerified } = await import('../../../../src/database/index.js');
    const restored = await runUninterruptible('The restore', io, () =>
      refused(() => restoreVerified(resolve(io.cwd, folder), config.dataDir)),
    );
    await write(
      io.stdout,
      json ? `${JSON.stringify({ schemaVersion: 1, ...backupSummary(restored) })}\n` : `${config.dataDir}\n`,
    );
    return { exit: EXIT.ok, words: `restored the state of ${restored.backup.at} and verified all of it` };
  },
});
