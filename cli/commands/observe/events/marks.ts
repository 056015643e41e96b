import { z } from 'zod';
import { SERVER_OPTIONS } from '../../../api/index.js';
import { defineCommand, textOption } from '../../../command.js';
import { environmentOf } from '../../../deploy/flags.js';
import { instantOf } from '../../../events/filter-flags.js';
import { MARK, Marks } from '../../../events/mark.js';
import { EXIT, usageError } from '../../../exit-code.js';
import { write } from '../../../io.js';
import { columns } from '../../../output/columns.js';
import { plural } from '../../../output/plural.js';

const MAX_LIMIT = 10_000;
const OUTPUT = z.strictObject({ schemaVersion: z.literal(1), marks: z.array(MARK), more: z.boolean() });

/** `weir events marks`: what people said of decisions; their notes only when they are asked for. */
export const eventsMarks = defineCommand({
  usage: 'marks',
  summary: 'List marks on decisions, newest first',
  options: {
    ...SERVER_OPTIONS,
    env: textOption('Environment'),
    rule: textOption('Rule ids, separated by commas'),
    mark: textOption('Marks to list: right, wrong, missed; separate several with commas'),
    since: textOption('Duration before now such as 24h, or an RFC 3339 time'),
    limit: { type: 'number', requiresArg: true, default: 50, describe: 'Maximum number of marks' },
  },
  examples: [
    ['$0 events marks --mark wrong --rule secrets.block --show-content', 'wrong decisions of a rule, with their notes'],
  ],
  output: OUTPUT,

  async run(args, { io }) {
    if (!Number.isInteger(args.limit) || args.limit < 1 || args.limit > MAX_LIMIT) {
      throw usageError(`--limit takes a whole number from 1 to ${MAX_LIMIT}`);
    }
    const query = new URLSearchParams();
    if (args.env !== undefined) query.set('environment', environmentOf(args.env));
    if (args.rule !== undefined) query.set('rule', args.rule);
    if (args.mark !== undefined) query.set('mark', args.mark);
    if (args.since !== undefined) query.set('from', instantOf(args.since, '--since', Date.now()));
    const found = await (await Marks.of(args, io)).list(query, args.limit);
    const marks = args.showContent ? found.marks : found.marks.map((mark) => ({ ...mark, note: null }));
    const head = ['AT', 'MARK', 'RULE', 'EVENT', 'BY', ...(args.showContent ? ['NOTE'] : [])];
    const rows = marks.map((mark) => [
      ...[mark.at.slice(0, 16).replace('T', ' '), mark.mark, mark.rule, mark.event, mark.by.name ?? mark.by.id],
      ...(args.showContent ? [mark.note ?? ''] : []),
    ]);
    const report: z.infer<typeof OUTPUT> = { schemaVersion: 1, marks, more: found.more };
    await write(io.stdout, args.json ? `${JSON.stringify(report)}\n` : columns(head, rows));
    return { exit: EXIT.ok, words: `${plural(marks.length, 'mark')}${found.more ? ', and there are more' : ''}` };
  },
});
