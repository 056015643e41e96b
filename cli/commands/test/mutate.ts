import {
  isTouched,
  mutantsOf,
  mutationScore,
  policyChanges,
  preparePolicyTests,
  runMutants,
  runPrepared,
  type Mutant,
  type MutantResult,
  type MutationInput,
  type PolicyChange,
} from '../../../src/authoring/index.js';
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
import { policiesAt } from '../../input/policies-at.js';
import { write } from '../../io.js';
import { colours } from '../../output/colour.js';
import { github } from '../../output/github.js';
import { junit } from '../../output/junit.js';
import {
  MUTATION_REPORT,
  mutationCases,
  mutationJson,
  mutationPretty,
  SURVIVOR,
  survivors,
} from '../../output/mutation-report.js';
import { notJudgedReport } from '../../output/not-judged.js';
import { plural } from '../../output/plural.js';
import { sarif } from '../../output/sarif.js';
import { testFindings } from '../../output/test-report.js';
import { writeMissingTests } from './write-missing-tests.js';
import { environmentFlag, environmentIn, environmentWord } from '../../vocabulary.js';

const FORMATS = ['pretty', 'json', 'junit', 'sarif', 'github'] as const;

const OPTIONS = {
  ...POLICIES_OPTION,
  ...environmentFlag(),
  rule: textOption('Rule id; the id of an exception is also accepted'),
  since: textOption('Start: a git revision such as origin/main; rules that have not changed are not mutated'),
  'min-score': {
    type: 'number',
    requiresArg: true,
    describe: 'Exit 1 if the percentage of killed mutants is below this value',
  },
  'write-tests': {
    type: 'boolean',
    default: false,
    describe: 'Write a test for each surviving mutant for which a request was found',
  },
  format: { choices: FORMATS, default: 'pretty', describe: 'Output format' },
  all: { type: 'boolean', default: false, describe: 'Include killed and equivalent mutants' },
} as const;

const ARGUMENTS = environmentWord('default: all');

export type MutateArgs = CommandArgs<typeof OPTIONS, typeof ARGUMENTS>;

/** `weir mutate`: makes small changes to the policies, one at a time, and reports those that no test catches. */
export const mutate = defineCommand({
  usage: 'mutate [environment]',
  summary: 'Mutation-test policies: list changes that no test catches',
  positionals: ARGUMENTS,
  options: OPTIONS,
  examples: [
    ['$0 mutate --min-score 95', 'fails if the tests miss more than 5 % of the mutants'],
    ['$0 mutate --since origin/main --write-tests', 'tests for the changes of this branch'],
  ],
  output: MUTATION_REPORT,

  async run(args, context): Promise<Outcome> {
    if (args.minScore !== undefined && !(args.minScore >= 0 && args.minScore <= 100)) {
      throw usageError('--min-score takes a number from 0 to 100');
    }
    const { io } = context;
    const [project, input] = await inOrder(args, context);
    const { mutants, none } = await chosen(args, project, context);
    const results: MutantResult[] = [];
    for await (const result of runMutants(mutants, input)) results.push(result);
    const written = args.writeTests ? await writeMissingTests(results, project, input) : new Map<string, string>();
    const isForPeople = !args.json && args.format === 'pretty';
    if (none === undefined || !isForPeople) await write(io.stdout, reportOf(args, results, written, io));
    return none ?? outcome(args, results, written.size);
  },
});

/** Checks that everything compiles and all tests pass, and returns the input of the mutation. Else it reports the problems and throws. */
async function inOrder(args: MutateArgs, context: CommandContext): Promise<[CompiledProject, MutationInput]> {
  try {
    const project = await loadCompiledProject(args, context);
    return [project, await mutationInput(project, context)];
  } catch (error) {
    if (error instanceof NotJudged) {
      const text = notJudgedReport(args.json ? 'json' : args.format, 'weir mutate', error);
      if (text !== undefined) await write(context.io.stdout, text);
    }
    throw error;
  }
}

function reportOf(
  args: MutateArgs,
  results: readonly MutantResult[],
  written: ReadonlyMap<string, string>,
  io: CommandContext['io'],
): string {
  switch (args.json ? 'json' : args.format) {
    case 'json':
      return `${JSON.stringify(mutationJson(results, written), null, 2)}\n`;
    case 'junit':
      return junit('weir mutate', mutationCases(results));
    case 'sarif':
      return sarif(survivors(results), () => SURVIVOR);
    case 'github':
      return github(survivors(results));
    case 'pretty':
      return mutationPretty(results, written, colours(io.stdout, io.env, args.color), args.all);
  }
}

/** Prepares and runs the tests. All must pass without a mutation: otherwise their failures would say nothing about a mutant. */
async function mutationInput(
  { project, policies, catalog }: CompiledProject,
  { io }: CommandContext,
): Promise<MutationInput> {
  const nowMs = Date.now();
  const input = {
    files: project.tests,
    policies,
    plugins: catalog,
    nowMs,
    leaveOut: 'live' as const,
    pause: yieldPoint(io),
  };
  if (project.tests.length === 0) throw new CliError(EXIT.nothing, `there is no test in ${project.name}/tests`);
  const { prepared, problems } = await preparePolicyTests(input);
  await printProblems(problems, project.sources, io);
  if (problems.length > 0) {
    throw new NotJudged(EXIT.uncompilable, 'the tests could not be compiled, so no mutant was made', problems);
  }
  const results = [];
  for (const test of prepared) {
    results.push(await runPrepared(test, test.policy, input));
    await input.pause();
  }
  const failed = results.filter(({ status }) => status === 'failed');
  const [first] = failed;
  if (first !== undefined) {
    const words = `${failed.length === 1 ? '1 test fails' : `${failed.length} tests fail`} before any mutation, the first is ${first.id}; for the reason, run weir test`;
    throw new NotJudged(EXIT.findings, words, testFindings(failed));
  }
  return { policies, tests: prepared, results, plugins: catalog, nowMs, pause: input.pause };
}

/** The policies to mutate; the tests always run in all environments. */
function ofEnvironment(args: MutateArgs, { policies }: CompiledProject): CompiledProject['policies'] {
  const named = environmentIn(args);
  if (named === undefined) return policies;
  const environment = environmentNamed(named, policies);
  return new Map([...policies].filter(([name]) => name === environment));
}

/** The mutants to run; `none`: the outcome if there are none. */
interface Chosen {
  readonly mutants: readonly Mutant[];
  readonly none?: Outcome;
}

async function chosen(args: MutateArgs, project: CompiledProject, { io }: CommandContext): Promise<Chosen> {
  let mutants = mutantsOf(ofEnvironment(args, project));
  if (args.rule !== undefined) {
    const { rule } = args;
    mutants = mutants.filter(({ owners }) => owners.includes(rule) || owners.includes(`exception:${rule}`));
    if (mutants.length === 0) throw usageError(`no policy has a rule or an exception "${rule}"`);
  }
  if (args.since === undefined) {
    const none = { exit: EXIT.nothing, words: 'the policies contain nothing to mutate' };
    return mutants.length === 0 ? { mutants, none } : { mutants };
  }
  const changes = await changesSince(args.since, project, io);
  const touched = changes === undefined ? mutants : mutants.filter((mutant) => isTouched(mutant, changes));
  if (touched.length > 0) return { mutants: touched };
  const parts = [...new Set((changes ?? []).map(({ what, id, change }) => `${what} ${id} (${change})`))].join(', ');
  const words =
    parts === ''
      ? `nothing changed since ${args.since}`
      : `the changes since ${args.since} contain nothing to mutate: ${parts}`;
  // With `--since`, nothing to mutate is a success: a pull request may leave the policies unchanged.
  return { mutants: [], none: { exit: EXIT.ok, words } };
}

/** Finds the changes since a revision in all environments. Undefined if an environment is new: then everything counts as changed. */
async function changesSince(
  revision: string,
  project: CompiledProject,
  io: CommandContext['io'],
): Promise<PolicyChange[] | undefined> {
  const base = await policiesAt(revision, project, io);
  const changes: PolicyChange[] = [];
  for (const [environment, policy] of project.policies) {
    const before = base.policies.get(environment);
    if (before === undefined) return undefined;
    changes.push(...policyChanges(before, policy, Date.now()));
  }
  return changes;
}

function outcome(args: MutateArgs, results: readonly MutantResult[], written: number): Outcome {
  const score = mutationScore(results);
  const survived = results.filter(({ outcome: { state } }) => state === 'survived' || state === 'unproven').length;
  const tests = written === 0 ? '' : `, ${written} ${written === 1 ? 'test' : 'tests'} written`;
  if (args.minScore !== undefined && score < args.minScore) {
    return {
      exit: EXIT.findings,
      words: `score ${score} % is below ${args.minScore} %, ${plural(survived, 'mutant')} survived${tests}`,
    };
  }
  return {
    exit: EXIT.ok,
    words: `score ${score} %, ${survived} of ${plural(results.length, 'mutant')} survived${tests}`,
  };
}
