import { SERVER_OPTIONS } from '../../../api/index.js';
import { APP, AppClient } from '../../../apps/app-client.js';
import { defineCommand } from '../../../command.js';
import { columns } from '../../../output/columns.js';
import { entryList } from '../../../output/entry-list.js';
import { LIMIT_OPTION, limited } from '../../../vocabulary.js';

const APPS = entryList('app', APP);

/** `weir apps list`: the account's apps, oldest first. */
export const appsList = defineCommand({
  usage: 'list',
  summary: 'List apps',
  options: {
    ...SERVER_OPTIONS,
    ...LIMIT_OPTION,
  },
  output: APPS.output,

  async run(args, { io }) {
    return APPS.print(limited(await (await AppClient.of(args, io)).list(), args), args, io, (apps) =>
      columns(
        ['ID', 'NAME', 'SINCE'],
        apps.map(({ id, name, created_at: at }) => [id, name, at.slice(0, 10)]),
      ),
    );
  },
});
