import { z } from 'zod';
import { SERVER_OPTIONS } from '../../../api/index.js';
import { defineCommand, textOption } from '../../../command.js';
import { FILTER_ARGUMENT, instantOf, sinceFlag } from '../../../events/filter-flags.js';
import { MARK, Marks } from '../../../events/mark.js';
import { EXIT } from '../../../exit-code.js';
import { write } from '../../../io.js';
import { columns, nameAndId } from '../../../output/columns.js';
import { plural } from '../../../output/plural.js';
import { andMore, environmentFlag, environmentIn, limitOf, limitOption } from '../../../vocabulary.js';

const OUTPUT = z.strictObject({ schemaVersion: z.literal(1), marks: z.array(MARK), more: z.boolean() });

/** `weir events marks`: what people said of decisions; their notes only when they are asked for. */
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
  output: OUTPUT,

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
    const head = ['AT', 'MARK', 'RULE', 'EVENT', 'BY', ...(args.showContent ? ['NOTE'] : [])];
    const rows = marks.map((mark) => [
      ...[
        mark.at.slice(0, 16).replace('T', ' '),
        mark.mark,
        mark.rule,
        mark.event,
        nameAndId(mark.by.name, mark.by.id),
      ],
      ...(args.showContent ? [mark.note ?? ''] : []),
    ]);
    const report: z.infer<typeof OUTPUT> = { schemaVersion: 1, marks, more: found.more };
    await write(io.stdout, args.json ? `${JSON.stringify(report)}\n` : columns(head, rows));
    return { exit: EXIT.ok, words: `${plural(marks.length, 'mark')}${andMore(found.more)}` };
  },
});
