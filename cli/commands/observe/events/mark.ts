import { z } from 'zod';
import { SERVER_OPTIONS } from '../../../api/index.js';
import { defineCommand, textOption } from '../../../command.js';
import type { Event } from '../../../events/event-line.js';
import { EVENT_PLACE_OPTIONS, fetchEvent } from '../../../events/fetch-event.js';
import { MARK, Marks } from '../../../events/mark.js';
import { EXIT, usageError } from '../../../exit-code.js';
import { write } from '../../../io.js';

const WORDS = ['right', 'wrong', 'missed', 'none'] as const;

const OUTPUT = z.strictObject({
  schemaVersion: z.literal(1),
  mark: MARK.nullable().describe('The new mark; null if the mark was removed.'),
});

/** `weir events mark`: marks a rule as right or wrong about a call. */
export const eventsMark = defineCommand({
  usage: 'mark <event> <mark>',
  summary: 'Mark the decision of a rule as right or wrong',
  positionals: {
    event: {
      type: 'string',
      demandOption: true,
      describe: 'Event id, or the event_id that the client sent',
    },
    mark: {
      type: 'string',
      demandOption: true,
      describe: 'right, wrong, missed (the rule should have fired), or none to remove a mark',
    },
  },
  options: {
    ...SERVER_OPTIONS,
    ...EVENT_PLACE_OPTIONS,
    rule: textOption('Rule id; optional if only one rule fired in the event'),
    note: textOption('Reason in at most 500 characters; personal data and credentials in it are masked'),
  },
  examples: [['$0 events mark evt_1 wrong --note "an order number, no card"', 'the rule should not have fired']],
  output: OUTPUT,

  async run(args, { io }) {
    const word = WORDS.find((each) => each === args.mark);
    if (word === undefined) throw usageError(`a mark is one of ${WORDS.join(', ')}`);
    if (word === 'none' && args.note !== undefined) throw usageError('--note needs a mark');
    const event = await fetchEvent(args, io);
    const rule = args.rule ?? onlyRule(event, word);
    const marks = await Marks.of(args, io);
    if (word === 'none') await marks.remove(event.id, rule);
    const note = args.note === undefined ? {} : { note: args.note };
    const mark = word === 'none' ? null : await marks.set(event.id, rule, { mark: word, ...note });
    if (args.json) await write(io.stdout, `${JSON.stringify({ schemaVersion: 1, mark })}\n`);
    return {
      exit: EXIT.ok,
      words: mark === null ? `the mark of ${rule} was removed` : `${rule} is marked ${mark.mark}`,
    };
  },
});

/** @throws CliError (exit 2) if `--rule` is needed to identify the rule */
function onlyRule({ violations }: Event, word: (typeof WORDS)[number]): string {
  if (word === 'missed') throw usageError('--rule must name the rule that should have fired');
  const rules = [...new Set(violations.map(({ rule }) => rule))];
  const [only, ...others] = rules;
  if (only === undefined)
    throw usageError('no rule fired in this event: name a rule of another event of the call with --rule');
  if (others.length > 0) throw usageError(`which rule? Use --rule with one of: ${rules.join(', ')}`);
  return only;
}
