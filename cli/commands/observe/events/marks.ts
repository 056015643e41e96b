import { SERVER_OPTIONS } from '../../../api/index.js';
import { defineCommand, textOption } from '../../../command.js';
import { FILTER_ARGUMENT, instantOf, sinceFlag } from '../../../events/filter-flags.js';
import { MARK, Marks } from '../../../events/mark.js';
import { columns, minuteText, nameAndId } from '../../../output/columns.js';
import { entryList } from '../../../output/entry-list.js';
import { environmentFlag, environmentIn, limitOf, limitOption } from '../../../vocabulary.js';

const MARKS = entryList('mark', MARK);

/** `weir events marks`: lists marks on decisions; their notes only on request. */
export const eventsMarks = defineCommand({
  usage: 'marks [environment]',
  summary: 'List marks on decisions, newest first',
  positionals: FILTER_ARGUMENT,
  options: {
    ...SERVER_OPTIONS,
    ...environmentFlag(),
    rule: textOption('Rule id; separate several with commas'),
    mark: textOption('Mark: right, wrong or missed; separate several with commas'),
    since: sinceFlag(),
    ...limitOption(50),
  },
  examples: [
    ['$0 events marks --mark wrong --rule secrets.block --show-content', 'wrong decisions of a rule, with their notes'],
  ],
  output: MARKS.output,

  async run(args, { io }) {
    const limit = limitOf(args);
    const query = new URLSearchParams();
    const environment = environmentIn(args);
    if (environment !== undefined) query.set('environment', environment);
    if (args.rule !== undefined) query.set('rule', args.rule);
    if (args.mark !== undefined) query.set('mark', args.mark);
    if (args.since !== undefined) query.set('from', instantOf(args.since, '--since', Date.now()));
    const found = await (await Marks.of(args, io)).list(query, limit);
    const marks = args.showContent ? found.marks : found.marks.map((mark) => ({ ...mark, note: null }));
    return MARKS.print({ rows: marks, more: found.more }, args, io, (rows) =>
      columns(
        ['AT', 'MARK', 'RULE', 'EVENT', 'BY', ...(args.showContent ? ['NOTE'] : [])],
        rows.map((mark) => [
          ...[minuteText(mark.at), mark.mark, mark.rule, mark.event, nameAndId(mark.by.name, mark.by.id)],
          ...(args.showContent ? [mark.note ?? ''] : []),
        ]),
      ),
    );
  },
});
