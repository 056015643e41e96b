import {
  coverageOf,
  DETECTOR_MODES,
  runPolicyTests,
  type EnvironmentCoverage,
  type PolicyTestResult,
} from '../../../src/authoring/index.js';
import type { CompiledPolicy, Environment } from '../../../src/core/index.js';
import { yieldPoint } from '../../yield-point.js';
import { defineCommand, textOption, type CommandArgs, type CommandContext } from '../../command.js';
import { CliError, EXIT, usageError, type Outcome } from '../../exit-code.js';
import {
  environmentNamed,
  loadCompiledProject,
  NotJudged,
  POLICIES_OPTION,
  printProblems,
  type CompiledProject,
} from '../../input/compiled-project.js';
import { write } from '../../io.js';
import { colours } from '../../output/colour.js';
import { github } from '../../output/github.js';
import { junit } from '../../output/junit.js';
import { notJudgedReport } from '../../output/not-judged.js';
import { sarif } from '../../output/sarif.js';
import { tap } from '../../output/tap.js';
import {
  FAILED_TEST,
  prettyCoverage,
  prettyTests,
  TEST_REPORT,
  testCases,
  testFindings,
  testReport,
  type TestReport,
} from '../../output/test-report.js';
import { runAtChanges } from '../../policy-tests/run-at-changes.js';
import { shardFilter, shardOf } from '../../policy-tests/shard.js';
import { refuseInCi, writeUpdates } from '../../policy-tests/write-updates.js';
import { environmentFlag, outputFlag } from '../../vocabulary.js';
import { outputFile, outputPath, writeNamedFile } from '../../named-files.js';

const FORMATS = ['pretty', 'junit', 'tap', 'json', 'sarif', 'github'] as const;

const OPTIONS = {
  ...POLICIES_OPTION,
  ...environmentFlag('default: all'),
  detectors: {
    choices: DETECTOR_MODES,
    describe:
      'Detectors; local (default) runs all that need no service; live also runs remote ones; stub runs only your own patterns and words, and annotations in test texts replace the findings of all other detectors',
  },
  coverage: {
    type: 'boolean',
    default: false,
    describe: 'Report which conditions were true, false and unknown',
  },
  'min-coverage': {
    type: 'number',
    requiresArg: true,
    describe: 'Exit 1 if the coverage of an environment is below this percentage',
  },
  format: {
    choices: FORMATS,
    default: 'pretty',
    describe: 'Output format',
  },
  ...outputFlag('default: stdout'),
  watch: { type: 'boolean', default: false, describe: 'Run again whenever a file changes' },
  shard: textOption('Run one part of the tests, such as 1/4'),
  update: {
    type: 'boolean',
    default: false,
    describe: 'Update the expectations of failed tests in the files and show the difference; refused if CI is set',
  },
} as const;
const ARGUMENTS = {
  filter: { type: 'string', describe: 'Run only tests whose file or id contains this text' },
} as const;

export type TestArgs = CommandArgs<typeof OPTIONS, typeof ARGUMENTS>;

/** `weir test`: runs the tests of a policies folder, with the evaluator and the local detectors of the server. */
export const test = defineCommand({
  usage: 'test [filter]',
  summary: 'Run the tests of a policies folder and report coverage by condition',
  positionals: ARGUMENTS,
  options: OPTIONS,
  examples: [
    ['$0 test --coverage --min-coverage 100', 'all tests; fails when a condition is not fully tested'],
    ['$0 test personal-data --watch', 'runs the tests of one file again after each change'],
    ['$0 test --detectors live --shard 2/4', 'with remote detectors, as the second of four parallel runs'],
    ['$0 test --update && git diff', 'after an intended change; then review the new expectations'],
  ],
  output: TEST_REPORT,

  async run(given, context): Promise<Outcome> {
    const args = { ...given, output: outputFile(given.output) };
    const { minCoverage: least } = args;
    if (least !== undefined && !(least >= 0 && least <= 100))
      throw usageError('--min-coverage takes a number from 0 to 100');
    if (args.shard !== undefined && (args.coverage || least !== undefined))
      throw usageError('coverage of one shard is meaningless: leave out --shard');
    if (args.update && (args.watch || args.shard !== undefined))
      throw usageError('--update cannot be combined with --watch or --shard');
    if (args.update) refuseInCi(context.io);
    return args.watch ? watchTests(args, context) : runOnce(args, context);
  },
});

/** The result of one run of the tests. */
interface Ran {
  /** The policies of the selected environments. */
  readonly policies: ReadonlyMap<Environment, CompiledPolicy>;
  readonly results: readonly PolicyTestResult[];
  /** Number of tests that match the flags, in all shards together. */
  readonly matching: number;
}

async function runOnce(args: TestArgs, context: CommandContext): Promise<Outcome> {
  try {
    return await runAndReport(args, context);
  } catch (error) {
    if (error instanceof NotJudged) {
      const text = notJudgedReport(args.json ? 'json' : args.format, 'weir test', error);
      if (text !== undefined) await put(args, context, text);
    }
    throw error;
  }
}

async function runAndReport(args: TestArgs, context: CommandContext): Promise<Outcome> {
  const loaded = await loadCompiledProject(args, context);
  const first = await runTests(args, loaded, context);
  const isInOrder = first.results.every(({ status }) => status !== 'failed');
  if (!args.update || isInOrder) return reportOutcome(args, loaded, context, first);
  const { io } = context;
  const written = await writeUpdates(loaded.project, first.results, io, colours(io.stdout, io.env, args.color));
  if (!args.json && args.output === undefined) await write(io.stdout, written.diff);
  for (const { id, environment, because } of written.refused)
    await write(io.stderr, `${id} (${environment}) was not updated: ${because}\n`);
  // The updated tests are run again like any other tests.
  const project = { ...loaded.project, tests: written.tests };
  const again = await runTests(args, { ...loaded, project }, context);
  const outcome = await reportOutcome(args, loaded, context, again, written.updated);
  const count = written.updated.reduce((sum, { tests }) => sum + tests.length, 0);
  if (outcome.exit !== EXIT.ok || count === 0) return outcome;
  const files = written.updated.length === 1 ? '1 file' : `${written.updated.length} files`;
  return { ...outcome, words: `${count} ${count === 1 ? 'test' : 'tests'} updated in ${files}; ${outcome.words}` };
}

async function runTests(
  args: TestArgs,
  { project, policies, catalog }: CompiledProject,
  { io }: CommandContext,
): Promise<Ran> {
  const environment = args.env === undefined ? undefined : environmentNamed(args.env, policies);
  if (project.tests.length === 0) throw new CliError(EXIT.nothing, `there is no test in ${project.name}/tests`);
  const { only, matching } = shardFilter(
    args.shard === undefined ? undefined : shardOf(args.shard),
    (one) =>
      (environment === undefined || one.environment === environment) &&
      (args.filter === undefined || one.id.includes(args.filter) || one.file.includes(args.filter)),
  );
  const { results, problems } = await runPolicyTests({
    files: project.tests,
    policies,
    plugins: catalog,
    nowMs: Date.now(),
    timer: io.nowMs,
    ...(args.detectors !== undefined && { detectors: args.detectors }),
    only,
    pause: yieldPoint(io),
  });
  await printProblems(problems, project.sources, io);
  if (problems.length > 0) {
    const files = new Set(problems.map(({ file }) => file)).size;
    const what = files === 1 ? '1 test file' : `${files} test files`;
    throw new NotJudged(EXIT.uncompilable, `${what} could not be compiled, 0 tests were run`, problems);
  }
  const wanted = new Map([...policies].filter(([name]) => environment === undefined || name === environment));
  return { policies: wanted, results, matching: matching() };
}

async function reportOutcome(
  args: TestArgs,
  { catalog }: CompiledProject,
  context: CommandContext,
  ran: Ran,
  updated?: TestReport['updated'],
): Promise<Outcome> {
  const { results, policies } = ran;
  const wantsCoverage = args.coverage || args.minCoverage !== undefined;
  const coverage = wantsCoverage ? coverageOf(policies, results, catalog) : undefined;
  await report(args, context, results, coverage, updated);
  return outcome(args, ran, coverage);
}

async function report(
  args: TestArgs,
  { io }: CommandContext,
  results: readonly PolicyTestResult[],
  coverage: readonly EnvironmentCoverage[] | undefined,
  updated: TestReport['updated'],
): Promise<void> {
  const toFile = args.output !== undefined;
  const format = args.json ? 'json' : args.format;
  const paint = colours(io.stdout, io.env, toFile ? false : args.color);
  const text = {
    pretty: () => prettyTests(results, paint) + (coverage === undefined ? '' : `\n${prettyCoverage(coverage, paint)}`),
    junit: () => junit('weir test', testCases(results)),
    tap: () => tap(testCases(results)),
    sarif: () => sarif(testFindings(results), () => FAILED_TEST),
    github: () => github(testFindings(results)),
    json: () => `${JSON.stringify(testReport(results, coverage, updated), null, 2)}\n`,
  }[format]();
  await put(args, { io }, text);
}

/** Writes to the file of `--output`, or to stdout. */
async function put(args: TestArgs, { io }: Pick<CommandContext, 'io'>, text: string): Promise<void> {
  if (args.output === undefined) return write(io.stdout, text);
  await writeNamedFile(args.output, text, io);
}

/**
 * Success requires that something was checked: a test must have run in every environment, unless flags select an environment, tests or
 * a shard.
 */
function outcome(
  args: TestArgs,
  { results, policies, matching }: Ran,
  coverage: readonly EnvironmentCoverage[] | undefined,
): Outcome {
  const ran = results.filter(({ status }) => status !== 'skipped');
  const failed = results.filter(({ status }) => status === 'failed').length;
  const skipped = results.length - ran.length;
  if (failed > 0) return { exit: EXIT.findings, words: `${failed} of ${results.length} tests failed` };
  if (ran.length === 0) {
    if (matching > 0 && args.shard !== undefined) {
      return {
        exit: EXIT.nothing,
        words: `part ${args.shard} contains no test: all parts together contain ${matching}`,
      };
    }
    const why = args.filter === undefined ? 'no test was run' : `no test matches "${args.filter}"`;
    return { exit: EXIT.nothing, words: skipped > 0 ? `all ${skipped} tests are skipped` : why };
  }
  const untested = [...policies.keys()].filter((name) => !ran.some(({ environment }) => environment === name));
  if (args.filter === undefined && args.shard === undefined && untested.length > 0) {
    return { exit: EXIT.nothing, words: `no test was run for ${untested.join(', ')}` };
  }
  const least = args.minCoverage ?? 0;
  const low = coverage?.filter(({ percent }) => percent < least) ?? [];
  if (low.length > 0) {
    const found = low.map(({ environment, percent }) => `${percent} % in ${environment}`).join(', ');
    return { exit: EXIT.findings, words: `coverage is ${found}, at least ${least} % is required` };
  }
  const part = args.shard === undefined ? '' : `, part ${args.shard} of ${matching} tests`;
  const more = `${skipped === 0 ? '' : `, ${skipped} skipped`}${part}`;
  return { exit: EXIT.ok, words: `${ran.length} ${ran.length === 1 ? 'test' : 'tests'} passed${more}` };
}

/** Runs the tests after each change, until the command is interrupted. Errors in the files are printed and do not end the command. */
async function watchTests(args: TestArgs, context: CommandContext): Promise<Outcome> {
  const { io } = context;
  const { readProject } = await import('../../input/project.js');
  const { root, name } = await readProject(io, args.policies === undefined ? {} : { folder: args.policies });
  const once = async (): Promise<void> => {
    let ended: Outcome;
    try {
      ended = await runOnce(args, context);
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
      ended = { exit: error.exit, words: error.message };
    }
    await write(io.stderr, `${ended.words}; watching ${name} for changes, Ctrl-C ends\n`);
  };
  const written = args.output === undefined ? undefined : outputPath(args.output, io);
  await runAtChanges(root, once, io.signal, written);
  return { exit: EXIT.interrupted, words: 'interrupted' };
}
