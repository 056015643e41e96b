import { KEY } from '../../../access/answers.js';
import { keyTable } from '../../../access/key-table.js';
import { Management } from '../../../access/management.js';
import { SERVER_OPTIONS } from '../../../api/index.js';
import { defineCommand, textOption } from '../../../command.js';
import { spanMs } from '../../../input/span.js';
import { entryList } from '../../../output/entry-list.js';
import { environmentFlag, environmentIn, environmentWord, LIMIT_OPTION, limited } from '../../../vocabulary.js';

const KEYS = entryList('key', KEY);

/** `weir keys list`: lists keys with their expiry, and marks unused ones. */
export const keysList = defineCommand({
  usage: 'list [environment]',
  summary: 'List keys with expiry and last use',
  positionals: environmentWord('default: all'),
  options: {
    ...SERVER_OPTIONS,
    ...environmentFlag(),
    ...LIMIT_OPTION,
    app: textOption('App id or name'),
    unused: textOption(
      'Show only keys that are older than this time span, such as 30d, and have not been used within it',
    ),
  },
  output: KEYS.output,

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
    return KEYS.print(limited(found, args), args, io, (keys) => (keys.length === 0 ? '' : keyTable(keys, nowMs)));
  },
});
