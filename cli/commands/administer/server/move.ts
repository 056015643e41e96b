import { defineCommand } from '../../../command.js';
import { EXIT, usageError } from '../../../exit-code.js';
import { write } from '../../../io.js';
import { refused, serverConfig, withDatabase } from '../../../server/with-database.js';

/** `weir server move`: copies everything from the embedded database to the PostgreSQL of the settings, which must be empty. */
export const serverMove = defineCommand({
  usage: 'move',
  summary: 'Move everything from the embedded database to an empty PostgreSQL',

  async run({ json }, { io }) {
    const config = await serverConfig(io);
    if (config.database.kind !== 'postgres') {
      throw usageError('DATABASE_URL is not set: it must name the PostgreSQL database that receives the data');
    }
    const { assertMade, migrate, moveDatabase, openDatabase } = await import('../../../../src/database/index.js');
    const tables = await refused(async () => {
      assertMade(config.dataDir);
      const source = await openDatabase({ kind: 'embedded', dataDir: config.dataDir });
      try {
        await migrate(source);
        return await withDatabase(config, async (target) => {
          await migrate(target);
          return moveDatabase(source, target);
        });
      } finally {
        await source.close();
      }
    });
    const lines = tables.map(({ table, rows }) => `${table} ${rows}\n`).join('');
    await write(io.stdout, json ? `${JSON.stringify({ schemaVersion: 1, tables })}\n` : lines);
    return {
      exit: EXIT.ok,
      words: 'all data was moved and compared. Keep the data directory: its journal is still in use',
    };
  },
});
