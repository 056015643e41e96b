import { z } from 'zod';
import { SERVER_OPTIONS } from '../../../api/index.js';
import { APP, AppClient } from '../../../apps/app-client.js';
import { defineCommand } from '../../../command.js';
import { EXIT } from '../../../exit-code.js';
import { write } from '../../../io.js';

const OUTPUT = z.strictObject({ schemaVersion: z.literal(1), app: APP });

/** `weir apps create`: creates an app. Its keys are created separately, with `weir keys create`. */
export const appsCreate = defineCommand({
  usage: 'create <name>',
  summary: 'Create an app',
  positionals: {
    name: { type: 'string', demandOption: true, describe: 'Name of the app in lists, logs and events' },
  },
  options: {
    ...SERVER_OPTIONS,
  },
  examples: [['$0 apps create checkout', 'then: weir keys create --app checkout']],
  output: OUTPUT,

  async run(args, { io }) {
    const app = await (await AppClient.of(args, io)).create(args.name);
    if (args.json) await write(io.stdout, `${JSON.stringify({ schemaVersion: 1, app })}\n`);
    return {
      exit: EXIT.ok,
      words: `app ${app.id} is created; it has no keys yet; to create one: weir keys create --app ${app.id}`,
    };
  },
});
