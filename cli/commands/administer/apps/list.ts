import { z } from 'zod';
import { SERVER_OPTIONS } from '../../../api/index.js';
import { APP, AppClient } from '../../../apps/app-client.js';
import { defineCommand } from '../../../command.js';
import { EXIT } from '../../../exit-code.js';
import { write } from '../../../io.js';
import { columns } from '../../../output/columns.js';
import { plural } from '../../../output/plural.js';
import { andMore, LIMIT_OPTION, limited } from '../../../vocabulary.js';

const OUTPUT = z.strictObject({ schemaVersion: z.literal(1), apps: z.array(APP), more: z.boolean() });

/** `weir apps list`: the account's apps, oldest first. */
export const appsList = defineCommand({
  usage: 'list',
  summary: 'List apps',
  options: {
    ...SERVER_OPTIONS,
    ...LIMIT_OPTION,
  },
  output: OUTPUT,

  async run(args, { io }) {
    const { rows: apps, more } = limited(await (await AppClient.of(args, io)).list(), args);
    const rows = apps.map(({ id, name, created_at: at }) => [id, name, at.slice(0, 10)]);
    const report: z.infer<typeof OUTPUT> = { schemaVersion: 1, apps, more };
    await write(io.stdout, args.json ? `${JSON.stringify(report)}\n` : columns(['ID', 'NAME', 'SINCE'], rows));
    return { exit: EXIT.ok, words: `${plural(apps.length, 'app')}${andMore(more)}` };
  },
});
