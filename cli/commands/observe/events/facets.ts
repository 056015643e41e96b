import { z } from 'zod';
import { apiClient, readAnswer, SERVER_OPTIONS } from '../../../api/index.js';
import { defineCommand, textOption } from '../../../command.js';
import {
  CALLS_OPTION,
  FILTER_ARGUMENT,
  FILTER_OPTIONS,
  filterQuery,
  TIME_OPTIONS,
} from '../../../events/filter-flags.js';
import { SEARCHED_TO, stoppedAt } from '../../../events/searched-to.js';
import { EXIT, usageError } from '../../../exit-code.js';
import { write } from '../../../io.js';
import { columns, nameAndId } from '../../../output/columns.js';
import { plural } from '../../../output/plural.js';
import { limitOption } from '../../../vocabulary.js';

const VALUES = z.record(
  z.string(),
  z.array(z.object({ value: z.string(), label: z.string().nullable(), count: z.int() })),
);
const ANSWER = z.object({
  sampled: z.boolean(),
  of: z.int(),
  searched_to: z.string().nullable(),
  data: VALUES,
});
const OUTPUT = z.strictObject({
  schemaVersion: z.literal(1),
  of: z.int().describe('Number of events, or with --calls of calls, whose values are counted.'),
  sampled: z.boolean().describe('Whether only the newest ones are counted.'),
  searchedTo: SEARCHED_TO,
  fields: VALUES.describe('By field, its values with their number of events, the most frequent first.'),
});
/** The number of newest events that the service counts at most: without and with a searched text. */
const SAMPLE = 10_000;
const TEXT_SAMPLE = 2_000;
/** The number of values per field that the service returns at most. */
const MAX_VALUES = 100;

const { limit } = limitOption(20);

/** `weir events facets`: lists how many of the matching events have which values in the named fields. */
export const eventsFacets = defineCommand({
  usage: 'facets [environment]',
  summary: 'List the most frequent values of fields in matching events',
  positionals: FILTER_ARGUMENT,
  options: {
    ...SERVER_OPTIONS,
    ...FILTER_OPTIONS,
    ...TIME_OPTIONS,
    ...CALLS_OPTION,
    field: textOption(
      'Field: app, model, provider, environment, type, key, decision, outcome, session, rule, metadata (its keys), or metadata.<key>; separate several with commas; default: app,model,rule,outcome',
    ),
    limit: { ...limit, describe: `${limit.describe}; values per field, at most ${MAX_VALUES}` },
  },
  examples: [
    ['$0 events facets --calls --outcome blocked --field rule,app', 'rules and apps of blocked calls'],
    ['$0 events facets --field metadata.team --show-content', 'the teams with the most events'],
  ],
  output: OUTPUT,

  async run(args, { io }) {
    if (!(Number.isInteger(args.limit) && args.limit >= 1 && args.limit <= MAX_VALUES))
      throw usageError(`--limit takes a whole number from 1 to ${MAX_VALUES}`);
    // Values of metadata are texts of users, as in the other commands about events; the keys are not.
    if (!args.showContent && args.field?.split(',').some((field) => field.startsWith('metadata.')) === true)
      throw usageError('values of metadata are content: use --show-content');
    const query = filterQuery(args, Date.now());
    query.set('limit', String(args.limit));
    if (args.field !== undefined) query.set('field', args.field);
    if (args.calls) query.set('view', 'calls');
    const client = await apiClient(args, io);
    const answer = readAnswer(ANSWER, await client.get(`/v1/events/facets?${query.toString()}`));
    const { of, sampled, searched_to: searchedTo, data: fields } = answer;
    const report: z.infer<typeof OUTPUT> = { schemaVersion: 1, of, sampled, searchedTo, fields };
    const noun = args.calls ? 'call' : 'event';
    await write(io.stdout, args.json ? `${JSON.stringify(report)}\n` : table(fields, `${noun}s`.toUpperCase()));
    // A full sample ends early as well, and no time range would make it larger.
    const isFull = sampled && (searchedTo === null || of >= (args.text === undefined ? SAMPLE : TEXT_SAMPLE));
    const counted = isFull ? `the newest ${plural(of, noun)}` : `${plural(of, noun)}${stoppedAt(searchedTo)}`;
    return { exit: EXIT.ok, words: `values of ${counted}` };
  },
});

/** One line per value. The value is last, because callers choose it and it may be long. */
function table(fields: z.infer<typeof VALUES>, head: string): string {
  return columns(
    ['FIELD', head, 'VALUE'],
    Object.entries(fields).flatMap(([field, values]) =>
      values.map(({ value, label, count }) => [field, String(count), nameAndId(label, value)]),
    ),
  );
}
