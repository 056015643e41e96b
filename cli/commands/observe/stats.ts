import { z } from 'zod';
import { apiClient, readAnswer, SERVER_OPTIONS } from '../../api/index.js';
import { defineCommand, textOption, type CommandArgs } from '../../command.js';
import { FILTER_ARGUMENT, FILTER_OPTIONS, filterQuery, TIME_OPTIONS } from '../../events/filter-flags.js';
import { EXIT, usageError } from '../../exit-code.js';
import { spanIn } from '../../input/span.js';
import { write } from '../../io.js';
import { plural } from '../../output/plural.js';
import { STATS } from '../../stats/stats-answer.js';
import { GROUPINGS, statsText, type Grouping } from '../../stats/stats-text.js';
import { limitOption } from '../../vocabulary.js';

const OUTPUT = z.strictObject({ schemaVersion: z.literal(1), stats: STATS });
/** The number of groups that the service returns at most. */
const MAX_GROUPS = 50;
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

const { env, app, model, key, rule } = FILTER_OPTIONS;
const { since, until } = TIME_OPTIONS;
const { limit } = limitOption(5);

const OPTIONS = {
  ...SERVER_OPTIONS,
  ...{ env, app, model, key },
  rule: { ...rule, describe: 'Rule id; only with --group-by rule' },
  since: { ...since, describe: `${since.describe}; at most 400 days before the end; default: 24 hours before it` },
  until: { ...until, describe: `${until.describe}; default: now` },
  'group-by': { choices: GROUPINGS, describe: 'Print the totals of each group as well' },
  limit: { ...limit, describe: `${limit.describe}; groups, at most ${MAX_GROUPS}: all others are one group` },
  step: textOption('Length of the buckets in the JSON output, from 1m to 1d; default: about 60 buckets'),
} as const;

type StatsArgs = CommandArgs<typeof OPTIONS, typeof FILTER_ARGUMENT>;

/** `weir stats`: prints the number of calls, their outcomes, cost, tokens and latency in a time range and in the period before it. */
export const stats = defineCommand({
  usage: 'stats [environment]',
  summary: 'Show calls, outcomes, cost, tokens and latency of a time range',
  positionals: FILTER_ARGUMENT,
  options: OPTIONS,
  examples: [
    ['$0 stats --since 7d --group-by model', 'calls and cost of the last seven days, by model'],
    ['$0 stats --since 30d --step 1d --json', 'the figures of each day'],
  ],
  output: OUTPUT,

  async run(args, { io }) {
    const query = statsQuery(args, Date.now());
    const client = await apiClient(args, io);
    const found = readAnswer(STATS, await client.get(`/v1/stats?${query.toString()}`));
    const report: z.infer<typeof OUTPUT> = { schemaVersion: 1, stats: found };
    await write(io.stdout, args.json ? `${JSON.stringify(report)}\n` : statsText(found, groupingOf(args)));
    return { exit: EXIT.ok, words: plural(found.totals.calls, 'call') };
  },
});

/** The query parameters for the flags. @throws CliError (exit 2) */
function statsQuery(args: StatsArgs, nowMs: number): URLSearchParams {
  const by = groupingOf(args);
  if (!(Number.isInteger(args.limit) && args.limit >= 1 && args.limit <= MAX_GROUPS))
    throw usageError(`--limit takes a whole number from 1 to ${MAX_GROUPS}`);
  if (args.rule !== undefined && by !== 'rule') throw usageError('--rule needs --group-by rule');
  const query = filterQuery(args, nowMs);
  // A span counts back from now here, so the range ends now and not when the service reads the request.
  if (args.until === undefined && args.since !== undefined && spanIn(args.since) !== undefined)
    query.set('to', new Date(nowMs).toISOString());
  if (by !== undefined) query.set('group_by', by);
  query.set('top', String(args.limit));
  if (args.step !== undefined) query.set('step', String(stepMs(args.step) / 1_000));
  return query;
}

/** The length of a bucket: whole minutes that divide a day. @throws CliError (exit 2) */
function stepMs(step: string): number {
  const ms = spanIn(step) ?? 0;
  if (!(ms >= MINUTE_MS && ms <= DAY_MS && ms % MINUTE_MS === 0 && DAY_MS % ms === 0))
    throw usageError('--step takes a length that divides a day evenly, from 1m to 1d, such as 5m, 1h or 1d');
  return ms;
}

/** @throws CliError (exit 2): yargs does not check the choices of flags with a dash in their name */
function groupingOf({ groupBy }: StatsArgs): Grouping | undefined {
  const by = GROUPINGS.find((each) => each === groupBy);
  if (by === undefined && groupBy !== undefined) throw usageError(`--group-by takes ${GROUPINGS.join(', ')}`);
  return by;
}
