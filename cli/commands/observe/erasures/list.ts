/** The commands `weir erasures …`. The code that they share with `weir erase` is in cli/erasures. */
import { SERVER_OPTIONS } from '../../../api/index.js';
import { defineCommand } from '../../../command.js';
import { ERASURE, ErasureClient } from '../../../erasures/erasure-client.js';
import { columns, minuteText } from '../../../output/columns.js';
import { entryList } from '../../../output/entry-list.js';
import { LIMIT_OPTION, limited } from '../../../vocabulary.js';

const ERASURES = entryList('erasure', ERASURE);

/** `weir erasures list`: lists the requested erasures, newest first. */
export const erasuresList = defineCommand({
  usage: 'list',
  summary: 'List erasures, newest first',
  options: {
    ...SERVER_OPTIONS,
    ...LIMIT_OPTION,
  },
  output: ERASURES.output,

  async run(args, { io }) {
    return ERASURES.print(limited(await (await ErasureClient.of(args, io)).list(), args), args, io, (erasures) =>
      columns(
        ['ID', 'STATE', 'EVENTS', 'REQUESTED', 'REASON'],
        erasures.map((one) => [
          ...[one.id, one.dry_run ? `${one.state} (dry run)` : one.state, String(one.counts['events'] ?? 0)],
          ...[minuteText(one.created_at), one.because ?? ''],
        ]),
      ),
    );
  },
});
