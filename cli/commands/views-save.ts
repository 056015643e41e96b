import type { Argv } from 'yargs';
import { z } from 'zod';
import { serverOptions, type ServerFlags } from '../api/index.js';
import type { Command } from '../command.js';
import { filterOptions, filterQuery, type FilterArgs } from '../events/filter-flags.js';
import { VIEW, Views } from '../events/views.js';
import { EXIT, usageError } from '../exit-code.js';
import { write } from '../io.js';

interface ViewsSaveArgs extends FilterArgs, ServerFlags {
  readonly name: string;
  readonly shared: boolean;
}

const OUTPUT = z.strictObject({ schemaVersion: z.literal(1), view: VIEW });

/** `weir views save`: keeps filters of events under a name, for the dashboard and `weir events list --view`. */
export const viewsSave: Command<ViewsSaveArgs> = {
  output: OUTPUT,

  build: (parser) =>
    filterOptions(serverOptions(parser))
      .positional('name', { type: 'string', demandOption: true, describe: 'Name of the view' })
      .option('shared', { type: 'boolean', default: false, describe: 'Share the view with everybody in the account' })
      .example(
        '$0 views save "To judge" --outcome blocked,redacted --mark none --shared',
        'then: weir events list --view "To judge" --calls',
      ) as unknown as Argv<ViewsSaveArgs>,

  async run(args, { io }) {
    const query = filterQuery(args, Date.now());
    if (query.size === 0) throw usageError('a view has at least one filter');
    const view = await (
      await Views.of(args, io)
    ).save({ name: args.name, query: query.toString(), shared: args.shared });
    if (args.json) await write(io.stdout, `${JSON.stringify({ schemaVersion: 1, view })}\n`);
    return { exit: EXIT.ok, words: `view ${view.id} is saved` };
  },
};
