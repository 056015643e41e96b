import { z } from 'zod';
import { SERVER_OPTIONS } from '../../../api/index.js';
import { defineCommand } from '../../../command.js';
import { VIEW, Views } from '../../../events/views.js';
import { EXIT } from '../../../exit-code.js';
import { write } from '../../../io.js';
import { columns, nameAndId } from '../../../output/columns.js';
import { plural } from '../../../output/plural.js';
import { andMore, LIMIT_OPTION, limited } from '../../../vocabulary.js';

const OUTPUT = z.strictObject({ schemaVersion: z.literal(1), views: z.array(VIEW), more: z.boolean() });

/** `weir views list`: filters under a name, one's own and those that are shared. */
export const viewsList = defineCommand({
  usage: 'list',
  summary: 'List saved filters',
  options: {
    ...SERVER_OPTIONS,
    ...LIMIT_OPTION,
  },
  output: OUTPUT,

  async run(args, { io }) {
    const { rows: views, more } = limited(await (await Views.of(args, io)).list(), args);
    const rows = views.map(({ id, name, shared, by, query }) => [
      id,
      name,
      shared ? 'shared' : 'own',
      nameAndId(by.name, by.id),
      query,
    ]);
    const report: z.infer<typeof OUTPUT> = { schemaVersion: 1, views, more };
    await write(
      io.stdout,
      args.json ? `${JSON.stringify(report)}\n` : columns(['ID', 'NAME', 'WHOSE', 'BY', 'FILTERS'], rows),
    );
    return { exit: EXIT.ok, words: `${plural(views.length, 'view')}${andMore(more)}` };
  },
});
