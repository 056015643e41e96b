import { z } from 'zod';
import { SERVER_OPTIONS } from '../../../api/index.js';
import { APP_DETAIL, AppClient } from '../../../apps/app-client.js';
import { defineCommand } from '../../../command.js';
import { EXIT } from '../../../exit-code.js';
import { write } from '../../../io.js';

const OUTPUT = z.strictObject({ schemaVersion: z.literal(1), app: APP_DETAIL });

/** `weir apps rename`: renames an app; it keeps its keys and events. */
export const appsRename = defineCommand({
  usage: 'rename <app> <name>',
  summary: 'Rename an app',
  positionals: {
    app: { type: 'string', demandOption: true, describe: 'App id or name' },
    name: {
      type: 'string',
      demandOption: true,
      describe: 'New name of the app',
    },
  },
  options: {
    ...SERVER_OPTIONS,
  },
  output: OUTPUT,

  async run(args, { io }) {
    const client = await AppClient.of(args, io);
    const app = await client.change(await client.named(args.app), { name: args.name });
    if (args.json) await write(io.stdout, `${JSON.stringify({ schemaVersion: 1, app })}\n`);
    return { exit: EXIT.ok, words: `app ${app.id} is renamed` };
  },
});
