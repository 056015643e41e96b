import { z } from 'zod';
import { apiClient, ApiError, SERVER_OPTIONS } from '../../../api/index.js';
import { defineCommand, textOption } from '../../../command.js';
import { EVENT, eventLine, withoutContent, type Event } from '../../../events/event-line.js';
import { CALLS_OPTION, FILTER_ARGUMENT, filterQuery, SEARCH_OPTIONS } from '../../../events/filter-flags.js';
import { Views, withView } from '../../../events/views.js';
import { EXIT } from '../../../exit-code.js';
import { write } from '../../../io.js';
import { plural } from '../../../output/plural.js';
import { andMore, limitOf, limitOption } from '../../../vocabulary.js';

const PAGE = 200;
const PAGE_ANSWER = z.object({ data: z.array(EVENT), next_cursor: z.string().nullable() });
const OUTPUT = z.strictObject({ schemaVersion: z.literal(1), events: z.array(EVENT), more: z.boolean() });

/** `weir events list`: lists events of the log. */
export const eventsList = defineCommand({
  usage: 'list [environment]',
  summary: 'List events, newest first',
  positionals: FILTER_ARGUMENT,
  options: {
    ...SERVER_OPTIONS,
    ...SEARCH_OPTIONS,
    ...limitOption(50),
    view: textOption('Saved view by name or id; filter flags replace filters of the view'),
    ...CALLS_OPTION,
    'oldest-first': {
      type: 'boolean',
      default: false,
      describe: 'Sort the oldest first',
    },
  },
  output: OUTPUT,

  async run(args, { io }) {
    const limit = limitOf(args, 'for more: weir events export');
    const given = filterQuery(args, Date.now());
    const query = args.view === undefined ? given : withView(await (await Views.of(args, io)).named(args.view), given);
    if (args.calls) query.set('view', 'calls');
    if (args.oldestFirst) query.set('order', 'asc');
    const client = await apiClient(args, io);
    const events: Event[] = [];
    let cursor: string | null = null;
    do {
      query.set('limit', String(Math.min(PAGE, limit - events.length)));
      if (cursor !== null) query.set('cursor', cursor);
      const page = PAGE_ANSWER.safeParse(await client.get(`/v1/events?${query.toString()}`));
      if (!page.success) throw new ApiError(0, 'bad_answer', 'the answer is not a page of events');
      events.push(...page.data.data);
      cursor = page.data.next_cursor;
    } while (cursor !== null && events.length < limit);
    const shown = args.showContent ? events : events.map(withoutContent);
    const report = { schemaVersion: 1, events: shown, more: cursor !== null };
    await write(io.stdout, args.json ? `${JSON.stringify(report)}\n` : events.map(eventLine).join(''));
    return {
      exit: EXIT.ok,
      words: `${plural(events.length, 'event')}${andMore(cursor !== null)}`,
    };
  },
});
