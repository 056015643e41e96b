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
    const { makePartitions, weeksOfLog } = await import('../../../../src/events/index.js');
    const tables = await refused(async () => {
      assertMade(config.dataDir);
      const source = await openDatabase({ kind: 'embedded', dataDir: config.dataDir });
      try {
        await migrate(source);
        const weeks = await weeksOfLog(source.sql);
        return await withDatabase(config, async (target) => {
          await migrate(target);
          // Without its partition, every moved event would be in the default partition, which retention and the archive do not read.
          return moveDatabase(source, target, (transaction) => makePartitions(transaction, weeks));
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
