import type { PluginCatalog } from '../detection/catalog.js';
import { exceptionRuleName } from '../policy/engine-rules.js';
import type { CompiledPolicy, Environment } from '../policy/compiled.js';
import { comparePolicies, type VerdictChange } from '../policy-diff/index.js';
import { runPrepared, type PolicyTestResult, type PreparedTest } from '../policy-test/index.js';
import type { Mutant } from './mutants.js';

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
}

const DEFAULT_MAX_REQUESTS = 1_000;

/** Judges the tests by each mutant, and looks for a request that tells those which no test tells. */
export async function* runMutants(mutants: Iterable<Mutant>, input: MutationInput): AsyncGenerator<MutantResult> {
  const suites = suitesOf(input);
  for (const mutant of mutants) yield { mutant, outcome: await runMutant(mutant, suites, input) };
}

interface TestRecord {
  readonly test: PreparedTest;
  readonly result: PolicyTestResult;
}

function suitesOf({ tests, results }: MutationInput): Map<Environment, TestRecord[]> {
  const suites = new Map<Environment, TestRecord[]>();
  tests.forEach((test, index) => {
    const result = results[index];
    if (result === undefined || result.status === 'skipped') return;
    const { environment } = test.policy;
    suites.set(environment, [...(suites.get(environment) ?? []), { test, result }]);
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
    for (const { test } of likelyFirst(mutant, suites.get(environment) ?? [])) {
      const { status } = await runPrepared(test, policy, input);
      if (status === 'failed')
        return { state: 'killed', by: { file: test.test.file.path, id: test.test.id, environment } };
    }
  }
  return lookFor(versions, input);
}

/** Only tests of the stage can notice; those in which the rule had a part are likely to, and so are the others in turn. */
function likelyFirst(mutant: Mutant, suite: readonly TestRecord[]): TestRecord[] {
  const own = suite.filter(({ test }) => mutant.stages.includes(test.stage));
  const took = own.filter(({ result }) => tookPart(mutant, result));
  const rest = own.filter((record) => !took.includes(record));
  const mixed: TestRecord[] = [];
  for (let index = 0; index < Math.max(took.length, rest.length); index++) {
    const pair = [took[index], rest[index]].filter((record) => record !== undefined);
    mixed.push(...pair);
  }
  return mixed;
}

function tookPart({ owners }: Mutant, result: PolicyTestResult): boolean {
  if (result.status === 'skipped' || result.decision === undefined) return false;
  const { fired, exceptions } = result.decision;
  return (
    fired.some(({ rule }) => owners.includes(rule)) || exceptions.some((id) => owners.includes(exceptionRuleName(id)))
  );
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
