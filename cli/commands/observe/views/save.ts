import { z } from 'zod';
import { SERVER_OPTIONS } from '../../../api/index.js';
import { defineCommand } from '../../../command.js';
import { FILTER_OPTIONS, filterQuery } from '../../../events/filter-flags.js';
import { VIEW, Views } from '../../../events/views.js';
import { EXIT, usageError } from '../../../exit-code.js';
import { write } from '../../../io.js';

const OUTPUT = z.strictObject({ schemaVersion: z.literal(1), view: VIEW });

/** `weir views save`: saves filters of events under a name, for the dashboard and `weir events list --view`. */
export const viewsSave = defineCommand({
  usage: 'save <name>',
  summary: 'Save filters under a name',
  positionals: {
    name: { type: 'string', demandOption: true, describe: 'Name of the view' },
  },
  options: {
    ...SERVER_OPTIONS,
    ...FILTER_OPTIONS,
    shared: { type: 'boolean', default: false, describe: 'Share the view with everybody in the account' },
  },
  examples: [
    [
      '$0 views save "To judge" --outcome blocked,redacted --mark none --shared',
      'then: weir events list --view "To judge" --calls',
    ],
  ],
  output: OUTPUT,

  async run(args, { io }) {
    const query = filterQuery(args, Date.now());
    if (query.size === 0) throw usageError('a view has at least one filter');
    const view = await (
      await Views.of(args, io)
    ).save({ name: args.name, query: query.toString(), shared: args.shared });
    if (args.json) await write(io.stdout, `${JSON.stringify({ schemaVersion: 1, view })}\n`);
    return { exit: EXIT.ok, words: `view ${view.id} is saved` };
  },
});
