import { z } from 'zod';
import { KEY } from '../../../access/answers.js';
import { keyTable } from '../../../access/key-table.js';
import { Management } from '../../../access/management.js';
import { SERVER_OPTIONS } from '../../../api/index.js';
import { defineCommand, textOption } from '../../../command.js';
import { EXIT } from '../../../exit-code.js';
import { spanMs } from '../../../input/span.js';
import { write } from '../../../io.js';
import { plural } from '../../../output/plural.js';
import {
  andMore,
  environmentFlag,
  environmentIn,
  environmentWord,
  LIMIT_OPTION,
  limited,
} from '../../../vocabulary.js';

const OUTPUT = z.strictObject({ schemaVersion: z.literal(1), keys: z.array(KEY), more: z.boolean() });

/** `weir keys list`: which keys there are, when they end, and which nobody uses. */
export const keysList = defineCommand({
  usage: 'list [environment]',
  summary: 'List keys with expiry and last use',
  positionals: environmentWord('default: all'),
  options: {
    ...SERVER_OPTIONS,
    ...environmentFlag(),
    ...LIMIT_OPTION,
    app: textOption('App id or name'),
    unused: textOption('Show only keys that are at least this old and were not used for so long, such as 30d'),
  },
  output: OUTPUT,

  async run(args, { io }) {
    const environment = environmentIn(args);
    const nowMs = Date.now();
    const sinceMs = args.unused === undefined ? undefined : nowMs - spanMs(args.unused, '--unused');
    const found = (await (await Management.of(args, io)).keys()).filter(
      (key) =>
        (args.app === undefined || key.app.id === args.app || key.app.name === args.app) &&
        (environment === undefined || key.environment === environment) &&
        (sinceMs === undefined || Date.parse(key.last_used_at ?? key.created_at) <= sinceMs),
    );
    const { rows: keys, more } = limited(found, args);
    await write(
      io.stdout,
      args.json
        ? `${JSON.stringify({ schemaVersion: 1, keys, more })}\n`
        : keys.length === 0
          ? ''
          : keyTable(keys, nowMs),
    );
    return { exit: EXIT.ok, words: `${plural(keys.length, 'key')}${andMore(more)}` };
  },
});
