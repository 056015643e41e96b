/** Commands for testing policies and detectors without a server. They compile the files of a project and judge calls with them. */
import { z } from 'zod';
import { Backtest, type BacktestReport } from '../../../src/authoring/index.js';
import { sha256Hex } from '../../../src/bundles/index.js';
import { DECISION_ACTIONS, ENVIRONMENTS } from '../../../src/core/index.js';
import { apiClient, SERVER_OPTIONS } from '../../api/index.js';
import { backtestText, percent } from '../../backtest/report-text.js';
import { defineCommand, textOption, type CommandArgs, type CommandContext } from '../../command.js';
import { exportedLines } from '../../events/export-stream.js';
import { instantOf, sinceFlag } from '../../events/filter-flags.js';
import { parseLine } from '../../events/json-stream.js';
import { EXIT, usageError, type Outcome } from '../../exit-code.js';
import { policyNamed, loadCompiledProject, POLICIES_OPTION } from '../../input/compiled-project.js';
import { readJsonLines } from '../../input/json-lines.js';
import { write } from '../../io.js';
import { plural } from '../../output/plural.js';
import { Progress } from '../../output/progress.js';
import { environmentFlag, environmentIn, environmentWord } from '../../vocabulary.js';

const VERDICT = z.enum([...DECISION_ACTIONS, 'unavailable']);
const SHARE = z.strictObject({
  count: z.number(),
  share: z.number().describe('Share among the decisions that could be judged again.'),
  low: z.number().describe('Lower bound of the 95 % interval.'),
  high: z.number().describe('Upper bound of the 95 % interval.'),
});
const COUNTS = z.array(z.strictObject({ name: z.string(), count: z.number() }));
const OUTPUT = z.strictObject({
  schemaVersion: z.literal(1),
  environment: z.enum(ENVIRONMENTS),
  digest: z.string().describe('Digest of the tested policy.'),
  decisions: z.number(),
  unchanged: z.number(),
  flips: z.array(SHARE.extend({ from: VERDICT, to: VERDICT })),
  otherRules: z.number().describe('Decisions that are the same, but were caused by other rules.'),
  newBlocks: SHARE,
  newAllows: SHARE,
  cannotTell: z.strictObject({
    count: z.number(),
    because: z.array(z.strictObject({ fact: z.string(), count: z.number() })),
  }),
  byRule: COUNTS,
  byApp: COUNTS,
  byKey: COUNTS,
  examples: z.array(
    z.strictObject({
      event: z.string(),
      type: z.string(),
      app: z.string(),
      key: z.string(),
      receivedAt: z.string(),
      from: VERDICT,
      to: VERDICT,
      rules: z.array(z.string()),
    }),
  ),
  own: z
    .strictObject({ decisions: z.number(), notReproduced: z.number(), cannotTell: z.number() })
    .describe('Records that this policy made: each decision must be reproduced.'),
  broken: z.number().describe('Number of lines that are not events.'),
  skipped: z.number().describe('Events that no rule judged, and events of other environments.'),
});

const OPTIONS = {
  ...POLICIES_OPTION,
  ...SERVER_OPTIONS,
  ...environmentFlag('default: production'),
  since: sinceFlag('calls are read from the server'),
  file: textOption('Input file; made by `weir events export`; - for stdin'),
  'max-new-blocks': textOption('Share such as 0.1%; exit 1 if more of the allowed calls would be refused'),
  'new-allows': {
    type: 'boolean',
    default: true,
    describe: 'Accept that refused or masked calls would be allowed; --no-new-allows: exit 1 if there are any',
  },
  'self-test': {
    type: 'boolean',
    default: false,
    describe: 'Exit 1 if a recorded decision of this policy is not reproduced',
  },
} as const;

const ARGUMENTS = environmentWord('source of the policy and of the recorded calls; default: production');

type BacktestArgs = CommandArgs<typeof OPTIONS, typeof ARGUMENTS>;

/** `weir backtest`: re-evaluates recorded calls with a policy and compares the decisions. */
export const backtest = defineCommand({
  usage: 'backtest [environment]',
  summary: 'Re-evaluate recorded calls with the policy files; compare decisions',
  positionals: ARGUMENTS,
  options: OPTIONS,
  examples: [
    ['$0 backtest --since 7d --max-new-blocks 0.1% --no-new-allows', 'a gate for pull requests'],
    ['$0 backtest --file decisions.jsonl', 'without a server'],
  ],
  output: OUTPUT,

  async run(args, context): Promise<Outcome> {
    const { io } = context;
    const gate = args.maxNewBlocks === undefined ? undefined : shareOf(args.maxNewBlocks);
    if ((args.since === undefined) === (args.file === undefined)) {
      throw usageError('choose one source of records: the server (--since 7d) or a file (--file decisions.jsonl)');
    }
    const { policies } = await loadCompiledProject(args, context);
    const policy = policyNamed(environmentIn(args) ?? 'production', policies);
    const { environment } = policy;
    const digest = sha256Hex(policy.canonical);
    const test = new Backtest(policy, digest);
    const progress = new Progress(io, args.quiet);
    for await (const { event, bytes } of records(args, environment, context)) {
      await test.add(event);
      progress.tick(bytes);
    }
    progress.done();
    const report = test.report();
    const body: z.infer<typeof OUTPUT> = { schemaVersion: 1, environment, digest, ...copied(report) };
    await write(io.stdout, args.json ? `${JSON.stringify(body)}\n` : backtestText(report));
    return outcomeOf(report, args, gate);
  },
});

async function* records(
  args: BacktestArgs,
  environment: string,
  { io }: CommandContext,
): AsyncGenerator<{ event: unknown; bytes: number }> {
  if (args.file !== undefined) {
    for await (const { value, bytes } of readJsonLines([args.file], io)) yield { event: value, bytes };
    return;
  }
  const query = new URLSearchParams({ environment, from: instantOf(args.since ?? '', '--since', Date.now()) });
  for await (const line of exportedLines(await apiClient(args, io), query, io)) {
    yield { event: parseLine(line), bytes: line.length };
  }
}

function outcomeOf(report: BacktestReport, args: BacktestArgs, gate: number | undefined): Outcome {
  const { decisions, cannotTell, newBlocks, newAllows, own, broken } = report;
  if (broken > 0) return { exit: EXIT.usage, words: `${broken} lines are not events of weir events export` };
  if (decisions === 0) return { exit: EXIT.nothing, words: 'there are no recorded decisions' };
  if (cannotTell.count === decisions) {
    return { exit: EXIT.nothing, words: 'none of the recorded decisions can be judged again by this policy' };
  }
  const failed: string[] = [];
  if (args.selfTest && own.notReproduced > 0)
    failed.push(`${plural(own.notReproduced, 'record')} made by this policy could not be reproduced`);
  if (args.selfTest && own.decisions === 0)
    return { exit: EXIT.nothing, words: 'none of the recorded decisions was made by this policy' };
  if (gate !== undefined && newBlocks.share > gate) {
    failed.push(`new blocks ${percent(newBlocks.share)} exceed --max-new-blocks ${args.maxNewBlocks ?? ''}`);
  }
  if (!args.newAllows && newAllows.count > 0) failed.push(`${newAllows.count} new allows`);
  if (failed.length > 0) return { exit: EXIT.findings, words: failed.join('; ') };
  const words = `${newBlocks.count} new blocks, ${newAllows.count} new allows in ${decisions} decisions`;
  return { exit: EXIT.ok, words: cannotTell.count === 0 ? words : `${words}; ${cannotTell.count} not judged again` };
}

/** Parses a percentage such as `0.1%`, or a fraction such as 0.001. */
function shareOf(text: string): number {
  const [, digits, sign] = /^(\d+(?:\.\d+)?)(%?)$/.exec(text) ?? [];
  const share = Number(digits) / (sign === '%' ? 100 : 1);
  if (!(share >= 0 && share <= 1)) throw usageError('--max-new-blocks takes a percentage such as 0.1%');
  return share;
}

/** A mutable copy: the lists of the report are read-only, the type of the schema is not. */
function copied(report: BacktestReport): Omit<z.infer<typeof OUTPUT>, 'schemaVersion' | 'environment' | 'digest'> {
  return structuredClone(report) as Omit<z.infer<typeof OUTPUT>, 'schemaVersion' | 'environment' | 'digest'>;
}
