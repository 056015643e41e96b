import type { Argv } from 'yargs';
import { z } from 'zod';
import { serverOptions, type ServerFlags } from '../api/index.js';
import type { Command, GlobalArgs } from '../command.js';
import { confirm, confirmOption, type ConfirmArgs } from '../deploy/ask.js';
import { Views } from '../events/views.js';
import { EXIT } from '../exit-code.js';
import { write } from '../io.js';

interface ViewsDeleteArgs extends GlobalArgs, ServerFlags, ConfirmArgs {
  readonly view: string;
}

const OUTPUT = z.strictObject({ schemaVersion: z.literal(1), deleted: z.string().describe('Id of the view.') });

/** `weir views delete`: one's own; shared ones also for whoever administers the account. */
export const viewsDelete: Command<ViewsDeleteArgs> = {
  output: OUTPUT,

  build: (parser) =>
    confirmOption(serverOptions(parser)).positional('view', {
      type: 'string',
      demandOption: true,
      describe: 'View id or name',
    }) as unknown as Argv<ViewsDeleteArgs>,

  async run(args, { io }) {
    const views = await Views.of(args, io);
    const view = await views.named(args.view);
    await confirm(args, `the view "${view.name}" is gone for everybody who sees it`, view.name, io);
    await views.delete(view);
    if (args.json) await write(io.stdout, `${JSON.stringify({ schemaVersion: 1, deleted: view.id })}\n`);
    return { exit: EXIT.ok, words: `view ${view.id} is deleted` };
  },
};
