import type { PluginCatalog } from '../../core/detection/catalog.js';
import type { CompiledPolicy, Environment } from '../../core/model/compiled-policy.js';
import { comparePolicies, type VerdictChange } from '../policy-diff/index.js';
import { readAgain, runPrepared, type PolicyTestResult, type PreparedTest } from '../policy-test/index.js';
import type { Mutant } from './mutants.js';
import { ruleAnswer } from './rule-answer.js';

export type MutantOutcome =
  /** A test fails with the mutant. */
  | {
      readonly state: 'killed';
      readonly by: { readonly file: string; readonly id: string; readonly environment: Environment };
    }
  /** No test notices it, though this request is judged otherwise. */
  | { readonly state: 'survived'; readonly environment: Environment; readonly witness: VerdictChange }
  /** No test notices it, and among the requests that were tried there is none to tell it by. Counts as survived. */
  | { readonly state: 'unproven' }
  /** No request of the whole grid is judged otherwise: the mutant says the same. Counts for nothing. */
  | { readonly state: 'equivalent' };

export interface MutantResult {
  readonly mutant: Mutant;
  readonly outcome: MutantOutcome;
}

export interface MutationInput {
  readonly policies: ReadonlyMap<Environment, CompiledPolicy>;
  /** The tests of all environments; each must pass without a mutant. */
  readonly tests: readonly PreparedTest[];
  /** How each test ended without a mutant, in the same order: tells which tests are likely to notice one. */
  readonly results: readonly PolicyTestResult[];
  readonly plugins: PluginCatalog;
  readonly nowMs: number;
  /** Per rule and search for a request that tells a mutant. Default 1,000. */
  readonly maxRequests?: number;
  /** Called between tests and requests: a host may let other work go first, or end this one by throwing. */
  readonly pause?: () => Promise<void>;
}

const DEFAULT_MAX_REQUESTS = 1_000;

/** Judges the tests by each mutant, and looks for a request that tells those which no test tells. */
export async function* runMutants(mutants: Iterable<Mutant>, input: MutationInput): AsyncGenerator<MutantResult> {
  const suites = suitesOf(input);
  for (const mutant of mutants) yield { mutant, outcome: await runMutant(mutant, suites, input) };
}

interface TestRecord {
  readonly test: PreparedTest;
  /** What each rule and exception of the stage says about the test, without a mutant. */
  readonly answers: Map<string, string>;
}

function suitesOf({ tests, results }: MutationInput): Map<Environment, TestRecord[]> {
  const suites = new Map<Environment, TestRecord[]>();
  tests.forEach((test, index) => {
    if (results[index] === undefined || results[index].status === 'skipped') return;
    const { environment } = test.policy;
    const suite = suites.get(environment) ?? [];
    suite.push({ test, answers: new Map() });
    suites.set(environment, suite);
  });
  return suites;
}

async function runMutant(
  mutant: Mutant,
  suites: ReadonlyMap<Environment, readonly TestRecord[]>,
  input: MutationInput,
): Promise<MutantOutcome> {
  const versions = mutant.versions.map(({ environment, make }) => ({ environment, policy: make() }));
  // Policies that enforce show more of what a rule does than those that only watch.
  versions.sort((a, b) => Number(a.policy.monitor) - Number(b.policy.monitor));
  for (const { environment, policy } of versions) {
    const base = input.policies.get(environment)!;
    for (const record of suites.get(environment) ?? []) {
      const { test } = record;
      if (!isAskedBy(test, mutant) || !(await canTell(mutant, record, { base, policy, nowMs: input.nowMs }))) continue;
      await input.pause?.();
      const read = mutant.isOfDetector === true ? await readAgain(test, policy, input.plugins) : test;
      const { status } = await runPrepared(read, policy, input);
      if (status === 'failed')
        return { state: 'killed', by: { file: test.test.file.path, id: test.test.id, environment } };
    }
  }
  return mutant.isBeyondTexts === true ? { state: 'unproven' } : lookFor(versions, input);
}

/** Whether a test's call is judged at a stage that a mutant changes. */
function isAskedBy({ test, gathered: { reading } }: PreparedTest, { stages }: Mutant): boolean {
  if (test.settings !== undefined) return true;
  return reading.stages.some(({ stage }) => stages.includes(stage));
}

/**
 * Whether a test can end otherwise with a mutant: a rule of it answers otherwise, or takes part and does something else.
 * The default of a policy that
 * blocks hangs on all rules, and so does what is left of a conversation after turns were taken out.
 */
async function canTell(
  { owners }: Mutant,
  { test, answers }: TestRecord,
  { base, policy, nowMs }: { readonly base: CompiledPolicy; readonly policy: CompiledPolicy; readonly nowMs: number },
): Promise<boolean> {
  if (
    owners.length === 0 ||
    test.test.settings !== undefined ||
    base.default === 'block' ||
    base.onBlockedHistory !== 'refuse'
  )
    return true;
  for (const owner of owners) {
    const before = answers.get(owner) ?? (await ruleAnswer(base, owner, test, nowMs));
    answers.set(owner, before);
    if ((await ruleAnswer(policy, owner, test, nowMs)) !== before) return true;
  }
  return false;
}

async function lookFor(
  versions: readonly { readonly environment: Environment; readonly policy: CompiledPolicy }[],
  input: MutationInput,
): Promise<MutantOutcome> {
  let proven = true;
  for (const { environment, policy } of versions) {
    const { changes, searched } = await comparePolicies(input.policies.get(environment)!, policy, {
      plugins: input.plugins,
      nowMs: input.nowMs,
      first: true,
      maxRequests: input.maxRequests ?? DEFAULT_MAX_REQUESTS,
      ...(input.pause !== undefined && { pause: input.pause }),
    });
    const [witness] = changes;
    if (witness !== undefined) return { state: 'survived', environment, witness };
    proven &&= searched.every(({ sampled, openFacts }) => sampled.length === 0 && openFacts.length === 0);
  }
  return { state: proven ? 'equivalent' : 'unproven' };
}

/** Killed mutants among those that can be told, 0 to 100, rounded down to a tenth. */
export function mutationScore(results: readonly MutantResult[]): number {
  const killed = results.filter(({ outcome }) => outcome.state === 'killed').length;
  const countable = results.filter(({ outcome }) => outcome.state !== 'equivalent').length;
  return countable === 0 ? 100 : Math.floor((killed / countable) * 1_000) / 10;
}
