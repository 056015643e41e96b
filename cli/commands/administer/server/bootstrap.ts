import { defineCommand } from '../../../command.js';
import { EXIT } from '../../../exit-code.js';
import { write } from '../../../io.js';
import { serverConfig, withDatabase } from '../../../server/with-database.js';

/**
 * `weir server bootstrap`: on a database without accounts, creates the first account, app, keys and token, and writes them to the data
 * directory. It prints the path of the file, not the secrets.
 */
export const serverBootstrap = defineCommand({
  usage: 'bootstrap',
  summary: 'Create the first account, app, keys and token in an empty database',

  async run({ json }, { io }) {
    const config = await serverConfig(io);
    const { Bootstrap } = await import('../../../../src/access/index.js');
    const { prepareTables } = await import('../../../../src/database/index.js');
    const file = await withDatabase(config, async (database) => {
      await prepareTables(database);
      return new Bootstrap(database, config.dataDir).ensure(config.server.baseUrl);
    });
    if (json) await write(io.stdout, `${JSON.stringify({ schemaVersion: 1, created: file !== null, file })}\n`);
    if (file === null) return { exit: EXIT.ok, words: 'the database has accounts already: nothing was changed' };
    if (!json) await write(io.stdout, `${file}\n`);
    return { exit: EXIT.ok, words: 'the first account, its app, keys and token are in the file above' };
  },
});
