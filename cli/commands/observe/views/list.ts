import { z } from 'zod';
import { SERVER_OPTIONS } from '../../../api/index.js';
import { defineCommand } from '../../../command.js';
import { VIEW, Views } from '../../../events/views.js';
import { EXIT } from '../../../exit-code.js';
import { write } from '../../../io.js';
import { columns } from '../../../output/columns.js';
import { plural } from '../../../output/plural.js';

const OUTPUT = z.strictObject({ schemaVersion: z.literal(1), views: z.array(VIEW) });

/** `weir views list`: filters under a name, one's own and those that are shared. */
export const viewsList = defineCommand({
  usage: 'list',
  summary: 'List saved filters',
  options: {
    ...SERVER_OPTIONS,
  },
  output: OUTPUT,

  async run(args, { io }) {
    const views = await (await Views.of(args, io)).list();
    const rows = views.map(({ id, name, shared, by, query }) => [
      id,
      name,
      shared ? 'shared' : 'own',
      by.name ?? by.id,
      query,
    ]);
    const report: z.infer<typeof OUTPUT> = { schemaVersion: 1, views };
    await write(
      io.stdout,
      args.json ? `${JSON.stringify(report)}\n` : columns(['ID', 'NAME', 'WHOSE', 'BY', 'FILTERS'], rows),
    );
    return { exit: EXIT.ok, words: plural(views.length, 'view') };
  },
});
