import { z } from 'zod';
import { SERVER_OPTIONS } from '../../../api/index.js';
import { APP_ARGUMENT } from '../../../apps/named-app.js';
import { APP_DETAIL, AppClient } from '../../../apps/app-client.js';
import { appText } from '../../../apps/app-text.js';
import { defineCommand } from '../../../command.js';
import { EXIT } from '../../../exit-code.js';
import { write } from '../../../io.js';

const OUTPUT = z.strictObject({ schemaVersion: z.literal(1), app: APP_DETAIL });

/** `weir apps show`: one app with its limits and their current use. */
export const appsShow = defineCommand({
  usage: 'show <app>',
  summary: 'Show one app with its limits and their current use',
  positionals: APP_ARGUMENT,
  options: {
    ...SERVER_OPTIONS,
  },
  output: OUTPUT,

  async run(args, { io }) {
    const client = await AppClient.of(args, io);
    const app = await client.detail(await client.named(args.app));
    const report: z.infer<typeof OUTPUT> = { schemaVersion: 1, app };
    await write(io.stdout, args.json ? `${JSON.stringify(report)}\n` : appText(app));
    return { exit: EXIT.ok, words: `app ${app.id}` };
  },
});
