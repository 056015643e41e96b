import { z } from 'zod';
import { judgePrepared, preparePolicyTests, type PreparedTest } from '../../../src/authoring/index.js';
import type { Environment } from '../../../src/core/index.js';
import { yieldPoint } from '../../yield-point.js';
import { defineCommand, textOption } from '../../command.js';
import { CliError, EXIT, usageError, type Outcome } from '../../exit-code.js';
import { environmentNamed, loadCompiledProject, POLICIES_OPTION, printProblems } from '../../input/compiled-project.js';
import { write, type Io } from '../../io.js';
import { environmentFlag, environmentIn, environmentWord } from '../../vocabulary.js';

const figures = z.object({ p50: z.number(), p95: z.number(), p99: z.number() });

/** The JSON output of `weir bench`. Times are in microseconds. */
const BENCH_REPORT = z.object({
  schemaVersion: z.literal(1),
  environments: z.array(z.object({ environment: z.string(), rules: z.int(), decisions: z.int(), us: figures })),
});
type Row = z.infer<typeof BENCH_REPORT>['environments'][number];

/** Number of decisions made before the measurement: code becomes faster once it has run (just-in-time compilation). */
const WARM_UP = 500;

/**
 * `weir bench`: measures how long the decision on a parsed call takes: all stages, masking and the verdict. The calls come from the tests
 * of the policies. Detectors are not measured.
 */
export const bench = defineCommand({
  usage: 'bench [environment]',
  summary: 'Measure the duration of decisions',
  positionals: environmentWord('default: all'),
  options: {
    ...POLICIES_OPTION,
    ...environmentFlag(),
    decisions: {
      type: 'number',
      requiresArg: true,
      default: 5_000,
      describe: 'Number of decisions per environment',
    },
    budget: textOption('Exit 1 if a limit such as p99=2ms is exceeded'),
  },
  examples: [['$0 bench --budget p99=2ms', 'fails when a decision takes too long']],
  output: BENCH_REPORT,

  async run(args, context): Promise<Outcome> {
    if (!Number.isInteger(args.decisions) || args.decisions < 1)
      throw usageError('--decisions takes a whole number from 1');
    const limit = args.budget === undefined ? undefined : budgetOf(args.budget);
    const { io } = context;
    const { project, policies, catalog } = await loadCompiledProject(args, context);
    const named = environmentIn(args);
    const wanted = named === undefined ? [...policies.keys()] : [environmentNamed(named, policies)];
    const input = {
      files: project.tests,
      policies,
      plugins: catalog,
      nowMs: Date.now(),
      detectors: 'stub' as const,
      leaveOut: 'real' as const,
      pause: yieldPoint(io),
    };
    const { prepared, problems } = await preparePolicyTests(input);
    await printProblems(problems, project.sources, io);
    if (problems.length > 0)
      throw new CliError(EXIT.uncompilable, 'the benchmark uses the calls of the tests, which could not be compiled');
    const rows: Row[] = [];
    for (const environment of wanted) rows.push(await measured(environment, prepared, args.decisions, io));
    await write(
      io.stdout,
      args.json ? `${JSON.stringify({ schemaVersion: 1, environments: rows }, null, 2)}\n` : tableOf(rows),
    );
    if (limit === undefined) return { exit: EXIT.ok, words: `${rows.length * args.decisions} decisions measured` };
    const over = rows.filter(({ us }) => us[limit.name] > limit.us).map((row) => row.environment);
    return over.length > 0
      ? { exit: EXIT.findings, words: `the limit ${limit.text} is exceeded in ${over.join(', ')}` }
      : { exit: EXIT.ok, words: `the limit ${limit.text} is not exceeded` };
  },
});

function budgetOf(text: string): { readonly name: 'p50' | 'p95' | 'p99'; readonly us: number; readonly text: string } {
  const [, name, number, unit] = /^(p50|p95|p99)=(\d+(?:\.\d+)?)(us|µs|ms)$/.exec(text) ?? [];
  if (name === undefined) throw usageError('--budget takes p50, p95 or p99 with a time, such as p99=2ms or p50=150us');
  return { name: name as 'p50' | 'p95' | 'p99', us: Number(number) * (unit === 'ms' ? 1_000 : 1), text };
}

async function measured(
  environment: Environment,
  prepared: readonly PreparedTest[],
  decisions: number,
  io: Io,
): Promise<Row> {
  const tests = prepared.filter(({ policy }) => policy.environment === environment);
  const [first] = tests;
  if (first === undefined) throw new CliError(EXIT.nothing, `no test describes a call to ${environment}`);
  const judge = (test: PreparedTest): Promise<unknown> => judgePrepared(test, test.policy, test.test.clock ?? 0);
  for (let index = 0; index < WARM_UP; index++) await judge(tests[index % tests.length] ?? first);
  const pause = yieldPoint(io);
  const times: number[] = [];
  for (let index = 0; index < decisions; index++) {
    const startedMs = io.nowMs();
    await judge(tests[index % tests.length] ?? first);
    times.push((io.nowMs() - startedMs) * 1_000);
    await pause();
  }
  times.sort((a, b) => a - b);
  const at = (share: number): number =>
    Math.round((times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? NaN) * 10) / 10;
  return {
    environment,
    rules: first.policy.rules.length,
    decisions,
    us: { p50: at(0.5), p95: at(0.95), p99: at(0.99) },
  };
}

function tableOf(rows: readonly Row[]): string {
  const line = (cells: readonly (string | number)[]): string =>
    cells.map((cell, index) => (index === 0 ? String(cell).padEnd(14) : String(cell).padStart(10))).join('');
  return [
    line(['µs/decision', 'rules', 'p50', 'p95', 'p99']),
    ...rows.map(({ environment, rules, us }) => line([environment, rules, us.p50, us.p95, us.p99])),
    '',
  ].join('\n');
}
