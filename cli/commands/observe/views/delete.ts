/** The commands `weir views …` for saved filters. Their shared code is in cli/events. */
import { z } from 'zod';
import { SERVER_OPTIONS } from '../../../api/index.js';
import { defineCommand } from '../../../command.js';
import { confirm, CONFIRM_OPTION } from '../../../deploy/ask.js';
import { Views } from '../../../events/views.js';
import { EXIT } from '../../../exit-code.js';
import { write } from '../../../io.js';

const OUTPUT = z.strictObject({ schemaVersion: z.literal(1), deleted: z.string().describe('Id of the view.') });

/** `weir views delete`: deletes one of your views; administrators of the account can also delete shared ones. */
export const viewsDelete = defineCommand({
  usage: 'delete <view>',
  summary: 'Delete saved filters',
  positionals: {
    view: {
      type: 'string',
      demandOption: true,
      describe: 'View id or name',
    },
  },
  options: {
    ...SERVER_OPTIONS,
    ...CONFIRM_OPTION,
  },
  output: OUTPUT,

  async run(args, { io }) {
    const views = await Views.of(args, io);
    const view = await views.named(args.view);
    await confirm(args, `the view "${view.name}" is deleted for everybody who sees it`, view.name, io);
    await views.delete(view);
    if (args.json) await write(io.stdout, `${JSON.stringify({ schemaVersion: 1, deleted: view.id })}\n`);
    return { exit: EXIT.ok, words: `view ${view.id} is deleted` };
  },
});
