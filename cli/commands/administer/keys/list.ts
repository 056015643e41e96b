import { z } from 'zod';
import { KEY } from '../../../access/answers.js';
import { keyTable } from '../../../access/key-table.js';
import { Management } from '../../../access/management.js';
import { SERVER_OPTIONS } from '../../../api/index.js';
import { defineCommand, textOption } from '../../../command.js';
import { environmentOf } from '../../../deploy/flags.js';
import { EXIT } from '../../../exit-code.js';
import { spanMs } from '../../../input/span.js';
import { write } from '../../../io.js';
import { plural } from '../../../output/plural.js';

const OUTPUT = z.strictObject({ schemaVersion: z.literal(1), keys: z.array(KEY) });

/** `weir keys list`: which keys there are, when they end, and which nobody uses. */
export const keysList = defineCommand({
  usage: 'list',
  summary: 'List keys with expiry and last use',
  options: {
    ...SERVER_OPTIONS,
    app: textOption('Show only keys of an app, by id or name'),
    env: textOption('Show only keys of an environment'),
    unused: textOption('Show only keys that are at least this old and were not used for so long, such as 30d'),
  },
  output: OUTPUT,

  async run(args, { io }) {
    const environment = args.env === undefined ? undefined : environmentOf(args.env);
    const nowMs = Date.now();
    const sinceMs = args.unused === undefined ? undefined : nowMs - spanMs(args.unused, '--unused');
    const keys = (await (await Management.of(args, io)).keys()).filter(
      (key) =>
        (args.app === undefined || key.app.id === args.app || key.app.name === args.app) &&
        (environment === undefined || key.environment === environment) &&
        (sinceMs === undefined || Date.parse(key.last_used_at ?? key.created_at) <= sinceMs),
    );
    await write(
      io.stdout,
      args.json ? `${JSON.stringify({ schemaVersion: 1, keys })}\n` : keys.length === 0 ? '' : keyTable(keys, nowMs),
    );
    return { exit: EXIT.ok, words: plural(keys.length, 'key') };
  },
});
