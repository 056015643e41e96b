/** The commands `weir apps …`. Their shared code is in cli/apps. */
import { z } from 'zod';
import { SERVER_OPTIONS } from '../../../api/index.js';
import { APP_ARGUMENT } from '../../../apps/named-app.js';
import { AppClient } from '../../../apps/app-client.js';
import { defineCommand } from '../../../command.js';
import { confirm, CONFIRM_OPTION } from '../../../deploy/ask.js';
import { EXIT } from '../../../exit-code.js';
import { write } from '../../../io.js';

const OUTPUT = z.strictObject({ schemaVersion: z.literal(1), archived: z.string().describe('Id of the app.') });

/** `weir apps archive`: archives an app and revokes its keys; the events of the app stay readable. */
export const appsArchive = defineCommand({
  usage: 'archive <app>',
  summary: 'Archive an app and revoke its keys; the events are kept',
  positionals: APP_ARGUMENT,
  options: {
    ...SERVER_OPTIONS,
    ...CONFIRM_OPTION,
  },
  output: OUTPUT,

  async run(args, { io }) {
    const client = await AppClient.of(args, io);
    const app = await client.named(args.app);
    await confirm(args, `the keys of "${app.name}" stop working immediately and cannot be restored`, app.name, io);
    await client.archive(app);
    if (args.json) await write(io.stdout, `${JSON.stringify({ schemaVersion: 1, archived: app.id })}\n`);
    return { exit: EXIT.ok, words: `app ${app.id} is archived; its keys no longer work` };
  },
});
