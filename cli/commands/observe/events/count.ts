/** The commands `weir events …`. Their shared code is in cli/events. */
import { z } from 'zod';
import { apiClient, readAnswer, SERVER_OPTIONS } from '../../../api/index.js';
import { defineCommand } from '../../../command.js';
import {
  CALLS_OPTION,
  FILTER_ARGUMENT,
  FILTER_OPTIONS,
  filterQuery,
  TIME_OPTIONS,
} from '../../../events/filter-flags.js';
import { SEARCHED_TO, stoppedAt } from '../../../events/searched-to.js';
import { EXIT } from '../../../exit-code.js';
import { write } from '../../../io.js';
import { plural } from '../../../output/plural.js';

const ANSWER = z.object({ count: z.int(), capped: z.boolean(), searched_to: z.string().nullable() });
const OUTPUT = z.strictObject({
  schemaVersion: z.literal(1),
  count: z.int(),
  capped: z.boolean().describe('Whether there are, or may be, more than `count`.'),
  searchedTo: SEARCHED_TO,
});

/** `weir events count`: prints the number of matching events or calls; the service counts up to 10,000. */
export const eventsCount = defineCommand({
  usage: 'count [environment]',
  summary: 'Print the number of matching events, up to 10,000',
  positionals: FILTER_ARGUMENT,
  options: {
    ...SERVER_OPTIONS,
    ...FILTER_OPTIONS,
    ...TIME_OPTIONS,
    ...CALLS_OPTION,
  },
  examples: [['$0 events count --calls --outcome blocked --since 24h', 'blocked calls of the last day']],
  output: OUTPUT,

  async run(args, { io }) {
    const query = filterQuery(args, Date.now());
    if (args.calls) query.set('view', 'calls');
    const client = await apiClient(args, io);
    const {
      count,
      capped,
      searched_to: searchedTo,
    } = readAnswer(ANSWER, await client.get(`/v1/events/count?${query.toString()}`));
    const report: z.infer<typeof OUTPUT> = { schemaVersion: 1, count, capped, searchedTo };
    await write(io.stdout, args.json ? `${JSON.stringify(report)}\n` : `${count}${capped ? '+' : ''}\n`);
    const counted = `${capped ? 'at least ' : ''}${plural(count, args.calls ? 'call' : 'event')}`;
    return { exit: EXIT.ok, words: `${counted}${stoppedAt(searchedTo)}` };
  },
});
