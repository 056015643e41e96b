import type { Argv } from 'yargs';
import { z } from 'zod';
import { serverOptions, type ServerFlags } from '../api/index.js';
import { APP, AppClient } from '../apps/app-client.js';
import type { Command, GlobalArgs } from '../command.js';
import { EXIT } from '../exit-code.js';
import { write } from '../io.js';

interface AppsCreateArgs extends GlobalArgs, ServerFlags {
  readonly name: string;
}

const OUTPUT = z.strictObject({ schemaVersion: z.literal(1), app: APP });

/** `weir apps create`: makes an app; its keys are made next. */
export const appsCreate: Command<AppsCreateArgs> = {
  output: OUTPUT,

  build: (parser) =>
    serverOptions(parser)
      .positional('name', { type: 'string', demandOption: true, describe: 'Name of the app in lists, logs and events' })
      .example('$0 apps create checkout', 'then: weir keys create --app checkout') as unknown as Argv<AppsCreateArgs>,

  async run(args, { io }) {
    const app = await (await AppClient.of(args, io)).create(args.name);
    if (args.json) await write(io.stdout, `${JSON.stringify({ schemaVersion: 1, app })}\n`);
    return { exit: EXIT.ok, words: `app ${app.id} is made; it has no keys yet: weir keys create --app ${app.id}` };
  },
};
