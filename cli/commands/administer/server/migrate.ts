import { defineCommand } from '../../../command.js';
import { EXIT } from '../../../exit-code.js';
import { write } from '../../../io.js';
import { serverConfig, withDatabase } from '../../../server/with-database.js';

/** `weir server migrate`: runs the pending migrations of the database that the settings name. */
export const serverMigrate = defineCommand({
  usage: 'migrate',
  summary: 'Apply database migrations',
  options: {
    'dry-run': {
      type: 'boolean',
      default: false,
      describe: 'List pending migrations; exit 5 if there are any',
    },
  },

  async run({ dryRun, json }, { io }) {
    const config = await serverConfig(io);
    const { migrate, pendingMigrations } = await import('../../../../src/database/index.js');
    const names = await withDatabase(config, dryRun ? pendingMigrations : migrate);
    const lines = names.map((name) => `${name}\n`).join('');
    await write(io.stdout, json ? `${JSON.stringify({ schemaVersion: 1, dryRun, migrations: names })}\n` : lines);
    if (dryRun && names.length > 0) return { exit: EXIT.pending, words: `${names.length} migrations are pending` };
    return { exit: EXIT.ok, words: names.length === 0 ? 'nothing to migrate' : `${names.length} migrations were run` };
  },
});
