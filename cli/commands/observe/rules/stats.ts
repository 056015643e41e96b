/**
 * The commands `weir rules …`. They read the statistics of rules from a service.
 */
import { z } from 'zod';
import { ACTION_NAMES, ENVIRONMENTS, type CompiledPolicy, type Environment } from '../../../../src/core/index.js';
import { SERVER_OPTIONS } from '../../../api/index.js';
import { defineCommand, textOption, type CommandArgs, type CommandContext } from '../../../command.js';
import { compileBundle } from '../../../deploy/built-bundle.js';
import { ENVIRONMENT_FLAG } from '../../../deploy/flags.js';
import { PolicyServer } from '../../../deploy/policy-server.js';
import { projectServers } from '../../../deploy/project-config.js';
import { seenEnvironments } from '../../../deploy/seen-environments.js';
import { countedRules, type MarkCounts } from '../../../events/counted-rules.js';
import { instantOf, sinceFlag } from '../../../events/filter-flags.js';
import { EXIT, usageError, type Outcome } from '../../../exit-code.js';
import { POLICIES_OPTION } from '../../../input/compiled-project.js';
import { spanMs } from '../../../input/span.js';
import { write } from '../../../io.js';
import { columns, minuteText } from '../../../output/columns.js';
import { plural } from '../../../output/plural.js';
import { environmentIn, environmentWord, LIMIT_OPTION, limited, limitOf } from '../../../vocabulary.js';

const hits = {
  hits: z.int(),
  enforced: z
    .int()
    .describe(
      'Number of hits at which the action was enforced; at other hits, the rule only flagged, was monitored, or an exception applied.',
    ),
  excepted: z
    .int()
    .nullable()
    .describe('Number of matches to which an exception applied; null if the service does not count them.'),
  firstHit: z.string().nullable(),
  lastHit: z.string().nullable(),
  marks: z
    .strictObject({ right: z.int(), wrong: z.int(), missed: z.int() })
    .nullable()
    .describe('Number of marks on the decisions of the rule; null if the service does not have marks.'),
};
const RULE = z.strictObject({
  id: z.string(),
  formerly: z.array(z.string()).describe('Former ids of the rule; the figures include their hits.'),
  title: z.string(),
  stage: z.enum(['pre', 'post', 'tool']),
  action: z.enum(ACTION_NAMES),
  monitored: z.boolean(),
  recent: z
    .boolean()
    .nullable()
    .describe('Whether the rule has been active for less than the time span; null if this is unknown.'),
  ...hits,
});
const REPORT = z.strictObject({
  environment: z.enum(ENVIRONMENTS),
  digest: z.string().describe('Digest of the active policy.'),
  since: z.string(),
  rules: z
    .array(RULE)
    .describe(
      'Rules of the active policy, sorted by hits; with --dead, only rules without hits. Matches of allow rules are not counted: they have no hits and are never dead.',
    ),
  others: z
    .array(z.strictObject({ id: z.string(), ...hits }))
    .describe('Rules that fired but are not in the active policy.'),
});
type Report = z.infer<typeof REPORT>;
const OUTPUT = z.union([
  REPORT.extend({ schemaVersion: z.literal(1) }).describe('Rules of the named environment.'),
  z
    .strictObject({ schemaVersion: z.literal(1), environments: z.array(REPORT) })
    .describe('Rules of all environments that the token may read, if no environment is named.'),
]);

const HISTORY = 500;

const OPTIONS = {
  ...SERVER_OPTIONS,
  ...POLICIES_OPTION,
  ...ENVIRONMENT_FLAG,
  ...LIMIT_OPTION,
  since: sinceFlag('default: 30d'),
  dead: textOption(
    'Show only rules that have been active for at least this time, such as 90d, without a hit; exit 1 if there are any',
  ),
} as const;
const ARGUMENTS = environmentWord('default: all that the token can access');

type RulesStatsArgs = CommandArgs<typeof OPTIONS, typeof ARGUMENTS>;

/** `weir rules stats`: counts how often each rule of the active policy fired, and how often an exception applied. */
export const rulesStats = defineCommand({
  usage: 'stats [environment]',
  summary: 'Show the number of hits and the last hit of each active rule',
  positionals: ARGUMENTS,
  options: OPTIONS,
  examples: [
    ['$0 rules stats --since 7d', 'hits and last hit of each rule, in every environment'],
    ['$0 rules stats production --dead 90d', 'rules to remove or repair'],
  ],
  output: OUTPUT,

  async run(args, context): Promise<Outcome> {
    if (args.dead !== undefined && args.since !== undefined) {
      throw usageError('--dead cannot be combined with --since: --dead has its own time span');
    }
    const nowMs = Date.now();
    if (args.dead !== undefined) spanMs(args.dead, '--dead');
    const since = instantOf(args.dead ?? args.since ?? '30d', args.dead === undefined ? '--since' : '--dead', nowMs);
    if (Number.isNaN(Date.parse(since))) throw usageError('--since takes a span such as 7d, or an RFC 3339 time');
    if (args.limit !== undefined) limitOf({ limit: args.limit });
    const named = environmentIn(args);
    const reports: Report[] = [];
    const config = await projectServers(args, context.io);
    for (const environment of named === undefined ? await seenEnvironments(args, context.io, config) : [named]) {
      const server = await PolicyServer.of(args, environment, context.io, config);
      reports.push(await reportOf(args, server, since, context));
    }
    await print(
      reports.map((report) => shortened(report, args)),
      named,
      args,
      context,
    );
    return outcomeOf(reports, named, args);
  },
});

/** Shortens a report to at most `--limit` rules; rules of the active policy take precedence over others. */
function shortened(report: Report, args: RulesStatsArgs): Report {
  const { rows: rules } = limited(report.rules, args);
  const left = args.limit === undefined ? report.others.length : args.limit - rules.length;
  return { ...report, rules, others: report.others.slice(0, left) };
}

async function reportOf(
  args: RulesStatsArgs,
  server: PolicyServer,
  since: string,
  context: CommandContext,
): Promise<Report> {
  const { environment } = server;
  const { digest, rules: counted, others: strangers } = await countedRules(server, since, context, args.quiet);
  const then = await policyAt(since, server, context);
  const rules = counted
    .map(({ id, formerly, title, stage, action, monitored, ...hitsAndMarks }) => ({
      ...{ id, formerly: [...formerly], title, stage, action, monitored },
      recent: then === undefined ? null : !then.has(id) && !formerly.some((former) => then.has(former)),
      ...hitsAndMarks,
    }))
    .filter((rule) => args.dead === undefined || (isSilent(rule) && !isExcepted(rule) && rule.recent !== true))
    .sort((a, b) => b.hits - a.hits || (a.id < b.id ? -1 : 1));
  // Rules that only have marks did not fire.
  const others = args.dead === undefined ? strangers.filter((one) => one.hits > 0 || isExcepted(one)) : [];
  return { environment, digest, since, rules, others: [...others] };
}

/** Whether a rule had no hit. Matches of allow rules are not counted, so nothing is known about them. */
const isSilent = ({ hits: count, action }: Pick<z.infer<typeof RULE>, 'hits' | 'action'>): boolean =>
  count === 0 && action !== 'allow';

/** Whether exceptions applied to a rule: it matched, so it is not dead even without hits. */
const isExcepted = ({ excepted }: Pick<z.infer<typeof RULE>, 'excepted'>): boolean => (excepted ?? 0) > 0;

/** Finds the ids of the rules in force at an instant. Undefined if the policies folder was in force, whose content is not recorded. */
async function policyAt(
  instant: string,
  server: PolicyServer,
  context: CommandContext,
): Promise<ReadonlySet<string> | undefined> {
  const history = await server.history(HISTORY);
  const then = history.find(({ created_at: at }) => Date.parse(at) <= Date.parse(instant));
  if (then === undefined || then.digest === null) return undefined;
  const policy: CompiledPolicy = await compileBundle(
    await server.bundle(then.number),
    await context.catalog(),
    context.io,
    `deployment ${then.number}`,
  );
  return new Set(policy.rules.flatMap(({ id, formerly }) => [id, ...formerly]));
}

async function print(
  reports: readonly Report[],
  named: Environment | undefined,
  args: RulesStatsArgs,
  { io }: CommandContext,
): Promise<void> {
  if (args.json) {
    const [first] = reports;
    const body =
      named !== undefined && first !== undefined
        ? { schemaVersion: 1, ...first }
        : { schemaVersion: 1, environments: reports };
    return write(io.stdout, `${JSON.stringify(body, null, 2)}\n`);
  }
  const shown = reports.filter(({ rules, others }) => rules.length + others.length > 0);
  for (const [index, report] of shown.entries()) {
    if (named === undefined) await write(io.stdout, `${index === 0 ? '' : '\n'}${report.environment}\n`);
    await write(io.stdout, table(report));
  }
}

function table(report: Report): string {
  const all = [...report.rules, ...report.others];
  const hasMarks = all.some(({ marks }) => marks !== null);
  const hasExcepted = all.some(({ excepted }) => excepted !== null);
  const row = (action: string, one: Report['others'][0], never = 'never'): string[] => [
    ...[one.id, action, String(one.hits), String(one.enforced)],
    ...(hasExcepted ? [String(one.excepted ?? '')] : []),
    minuteText(one.lastHit) ?? never,
    ...(hasMarks ? [wrongText(one.marks)] : []),
  ];
  const head = [
    ...['RULE', 'ACTION', 'HITS', 'ENFORCED', ...(hasExcepted ? ['EXCEPTED'] : [])],
    ...['LAST HIT', ...(hasMarks ? ['MARKED WRONG'] : [])],
  ];
  const rows = report.rules.map((rule) =>
    row(
      rule.monitored ? `${rule.action} (monitored)` : rule.action,
      rule,
      rule.action === 'allow' ? 'not counted' : 'never',
    ),
  );
  return columns(head, [...rows, ...report.others.map((one) => row('not in force', one))]);
}

/** The marks as text: how many of the marked hits were wrong, and how many hits were missed. */
function wrongText(marks: MarkCounts | null): string {
  if (marks === null) return '';
  const { right, wrong, missed } = marks;
  const judged = right + wrong === 0 ? '' : `${wrong} of ${right + wrong}`;
  const gone = missed === 0 ? '' : `${missed} missed`;
  return [judged, gone].filter((part) => part !== '').join(', ');
}

function outcomeOf(
  reports: readonly Report[],
  environment: Environment | undefined,
  { dead }: RulesStatsArgs,
): Outcome {
  const rules = reports.flatMap((report) => report.rules);
  const from = reports[0]?.since.slice(0, 10) ?? '';
  const where = environment ?? reports.map((report) => report.environment).join(', ');
  if (dead !== undefined) {
    const unsure = rules.some(({ recent }) => recent === null);
    const doubt = unsure ? '; the history is too short to tell which rules were active all that time' : '';
    if (rules.length === 0)
      return {
        exit: EXIT.ok,
        words: `no dead rule in ${where}: all rules that were active since ${from} matched a call`,
      };
    return { exit: EXIT.findings, words: `${plural(rules.length, 'rule')} without a hit since ${from}${doubt}` };
  }
  const sum = rules.reduce((total, rule) => total + rule.hits, 0);
  const silent = rules.filter(isSilent).length;
  const words = `${plural(sum, 'hit')} of ${plural(rules.length, 'rule')} in ${where} since ${from}, ${plural(silent, 'rule')} without a hit`;
  return { exit: EXIT.ok, words };
}
