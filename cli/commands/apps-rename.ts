import type { Argv } from 'yargs';
import { z } from 'zod';
import { serverOptions, type ServerFlags } from '../api/index.js';
import { APP_DETAIL, AppClient } from '../apps/app-client.js';
import type { Command, GlobalArgs } from '../command.js';
import { EXIT } from '../exit-code.js';
import { write } from '../io.js';

interface AppsRenameArgs extends GlobalArgs, ServerFlags {
  readonly app: string;
  readonly name: string;
}

const OUTPUT = z.strictObject({ schemaVersion: z.literal(1), app: APP_DETAIL });

/** `weir apps rename`: gives an app another name; keys and events stay with it. */
export const appsRename: Command<AppsRenameArgs> = {
  output: OUTPUT,

  build: (parser) =>
    serverOptions(parser)
      .positional('app', { type: 'string', demandOption: true, describe: 'App id or name' })
      .positional('name', {
        type: 'string',
        demandOption: true,
        describe: 'New name of the app',
      }) as unknown as Argv<AppsRenameArgs>,

  async run(args, { io }) {
    const client = await AppClient.of(args, io);
    const app = await client.change(await client.named(args.app), { name: args.name });
    if (args.json) await write(io.stdout, `${JSON.stringify({ schemaVersion: 1, app })}\n`);
    return { exit: EXIT.ok, words: `app ${app.id} has its new name` };
  },
};
