import { z } from 'zod';
import { SERVER_OPTIONS } from '../../../api/index.js';
import { defineCommand, textOption } from '../../../command.js';
import { FILTER_OPTIONS, filterQuery } from '../../../events/filter-flags.js';
import { VIEW, Views } from '../../../events/views.js';
import { EXIT, usageError } from '../../../exit-code.js';
import { write } from '../../../io.js';

const OUTPUT = z.strictObject({ schemaVersion: z.literal(1), view: VIEW });

/** `weir views update`: renames, shares or filters a view; omitted flags change nothing. */
export const viewsUpdate = defineCommand({
  usage: 'update <view>',
  summary: 'Change the name, the filters or the sharing of saved filters',
  positionals: {
    view: { type: 'string', demandOption: true, describe: 'View id or name' },
  },
  options: {
    ...SERVER_OPTIONS,
    ...FILTER_OPTIONS,
    name: textOption('Name; the new name of the view'),
    shared: { type: 'boolean', describe: 'Share the view with everybody in the account; --no-shared makes it private' },
  },
  examples: [
    ['$0 views update "To judge" --outcome blocked', 'filter flags replace all filters of the view'],
    ['$0 views update "To judge" --name Refused --shared', 'the filters stay'],
  ],
  output: OUTPUT,

  async run(args, { io }) {
    const { name, shared } = args;
    const filters = filterQuery(args, Date.now());
    const change = {
      ...(name === undefined ? {} : { name }),
      ...(filters.size === 0 ? {} : { query: filters.toString() }),
      ...(shared === undefined ? {} : { shared }),
    };
    if (Object.keys(change).length === 0) throw usageError('name at least one change, such as --name or --shared');
    const views = await Views.of(args, io);
    const view = await views.change(await views.named(args.view), change);
    if (args.json) await write(io.stdout, `${JSON.stringify({ schemaVersion: 1, view })}\n`);
    return { exit: EXIT.ok, words: `view ${view.id} is changed` };
  },
});
