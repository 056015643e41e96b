/**
 * The commands `weir context …` for saved servers. Code in cli/api reads and writes the file with the saved servers.
 */
import { z } from 'zod';
import { readConfig } from '../../../api/config-file.js';
import { defineCommand } from '../../../command.js';
import { EXIT } from '../../../exit-code.js';
import { write } from '../../../io.js';
import { columns } from '../../../output/columns.js';
import { plural } from '../../../output/plural.js';
import { andMore, LIMIT_OPTION, limited } from '../../../vocabulary.js';

const OUTPUT = z.strictObject({
  schemaVersion: z.literal(1),
  current: z.string().nullable(),
  contexts: z.array(z.strictObject({ name: z.string(), url: z.string(), loggedIn: z.boolean() })),
  more: z.boolean(),
});

/** `weir context list`: lists saved server connections, without their tokens. */
export const contextList = defineCommand({
  usage: 'list',
  summary: 'List saved servers',
  options: LIMIT_OPTION,
  output: OUTPUT,

  async run(args, { io }) {
    const { current, contexts } = await readConfig(io.env);
    const all = Object.entries(contexts).map(([name, { url, token }]) => ({
      name,
      url,
      loggedIn: token !== undefined,
    }));
    const { rows: known, more } = limited(all, args);
    const rows = known.map(({ name, url, loggedIn }) => [
      name === current ? '*' : '',
      name,
      url,
      loggedIn ? 'yes' : 'no',
    ]);
    const report: z.infer<typeof OUTPUT> = { schemaVersion: 1, current: current ?? null, contexts: known, more };
    const table = known.length === 0 ? '' : columns(['', 'NAME', 'URL', 'TOKEN'], rows);
    await write(io.stdout, args.json ? `${JSON.stringify(report)}\n` : table);
    return {
      exit: EXIT.ok,
      words: known.length === 0 ? 'no contexts yet: weir login' : `${plural(known.length, 'context')}${andMore(more)}`,
    };
  },
});
