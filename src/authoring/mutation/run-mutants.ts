import type { PluginCatalog } from '../../core/detection/catalog.js';
import type { CompiledPolicy, Environment } from '../../core/model/compiled-policy.js';
import type { Decision } from '../../core/model/decision.js';
import { exceptionRuleName } from '../../core/policy/engine-rules.js';
import { sliceOf, WitnessSearch, type VerdictChange } from '../policy-diff/index.js';
import {
  failsBy,
  findsOtherwise,
  readAgain,
  Readings,
  type PolicyTestResult,
  type PreparedTest,
} from '../policy-test/index.js';
import type { Mutant } from './mutants.js';
import { RuleAnswers } from './rule-answer.js';

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
  const { plugins, nowMs, pause, maxRequests = DEFAULT_MAX_REQUESTS } = input;
  const options = { plugins, nowMs, first: true, maxRequests, ...(pause !== undefined && { pause }) };
  const searches = new Map([...input.policies].map(([name, policy]) => [name, new WitnessSearch(policy, options)]));
  const suites = suitesOf(input);
  for (const mutant of mutants) yield { mutant, outcome: await runMutant(mutant, { suites, searches }, input) };
}

type Searches = ReadonlyMap<Environment, WitnessSearch>;

interface Version {
  readonly environment: Environment;
  readonly policy: CompiledPolicy;
}

interface TestRecord {
  readonly test: PreparedTest;
  /** What each rule and exception of the stage says about the test, without a mutant. */
  readonly answers: Map<string, string>;
  /** The rules that take part in its decision without a mutant, and the exceptions that name them. */
  readonly taking: ReadonlySet<string>;
}

/** The tests of one environment. */
interface Suite {
  readonly records: readonly TestRecord[];
  /** By rule or exception, without a mutant. */
  readonly answers: Map<string, RuleAnswers>;
}

function suitesOf({ tests, results, policies }: MutationInput): Map<Environment, Suite> {
  const suites = new Map<Environment, Suite & { readonly records: TestRecord[] }>();
  tests.forEach((test, index) => {
    const result = results[index];
    if (result === undefined || result.status === 'skipped') return;
    const { environment } = test.policy;
    const suite = suites.get(environment) ?? { records: [], answers: new Map<string, RuleAnswers>() };
    const taking = takingPart(result.decision, policies.get(environment)!);
    suite.records.push({ test, answers: new Map(), taking });
    suites.set(environment, suite);
  });
  return suites;
}

function takingPart(decision: Decision | undefined, policy: CompiledPolicy): ReadonlySet<string> {
  const fired = decision === undefined ? [] : [...decision.fired, ...decision.excepted];
  return withExceptions(
    fired.map(({ rule }) => rule),
    policy,
  );
}

/** Rules with the exceptions that name them. */
function withExceptions(rules: readonly string[], { exceptions }: CompiledPolicy): ReadonlySet<string> {
  const about = exceptions.filter((one) => one.rules.some((rule) => rules.includes(rule)));
  return new Set([...rules, ...about.map(({ id }) => exceptionRuleName(id))]);
}

async function runMutant(
  mutant: Mutant,
  { suites, searches }: { readonly suites: ReadonlyMap<Environment, Suite>; readonly searches: Searches },
  input: MutationInput,
): Promise<MutantOutcome> {
  const versions = mutant.versions.map(({ environment, make }) => ({ environment, policy: make() }));
  // Policies that enforce show more of what a rule does than those that only watch.
  versions.sort((a, b) => Number(a.policy.monitor) - Number(b.policy.monitor));
  for (const { environment, policy } of versions) {
    const suite = suites.get(environment);
    if (suite === undefined) continue;
    const trial = new MutantTrial(mutant, { base: input.policies.get(environment)!, policy }, suite.answers, input);
    for (const record of suite.records) {
      const told = trial.canTell(record);
      // Nearly all tests cannot, which is known at once: to wait for each would take longer than to find out.
      if (told === false || !(await told)) continue;
      const { test } = record.test;
      if (await trial.isNoticedBy(record.test, record.taking))
        return { state: 'killed', by: { file: test.file.path, id: test.id, environment } };
    }
  }
  return mutant.isBeyondTexts === true ? { state: 'unproven' } : lookFor(mutant, versions, searches);
}

/** One mutant in one environment, and which tests fail with it. Tests that cannot are not run. */
class MutantTrial {
  private readonly answers: readonly { readonly owner: string; readonly said: RuleAnswers }[];
  private readonly readings: Readings;
  /** Whether the decision is made of the rules that match, and of nothing else. */
  private readonly isOfMatchingRules: boolean;
  /** Parts of the policy in which the mutant is otherwise. */
  private readonly changed: ReadonlySet<string>;
  private readonly detectors: ReadonlySet<string>;
  /** What the mutant is a part of, with the exceptions that name it. */
  private readonly own: ReadonlySet<string>;

  constructor(
    private readonly mutant: Mutant,
    private readonly policies: { readonly base: CompiledPolicy; readonly policy: CompiledPolicy },
    private readonly known: Map<string, RuleAnswers>,
    private readonly input: MutationInput,
  ) {
    const { base, policy } = policies;
    this.answers = mutant.owners.map((owner) => ({ owner, said: new RuleAnswers(policy, owner, input.nowMs) }));
    this.own = withExceptions(mutant.owners, policy);
    this.readings = new Readings(input.plugins);
    this.isOfMatchingRules = mutant.owners.length > 0 && base.default !== 'block' && base.onBlockedHistory === 'refuse';
    this.changed = new Set(
      (Object.keys({ ...base, ...policy }) as (keyof CompiledPolicy)[]).filter((key) => base[key] !== policy[key]),
    );
    const same = new Set(base.detectors);
    this.detectors = new Set(policy.detectors.filter((one) => !same.has(one)).map(({ key }) => key));
  }

  /** Whether a test fails that can end otherwise with the mutant. */
  async isNoticedBy(test: PreparedTest, taking: TestRecord['taking']): Promise<boolean> {
    const { input, mutant } = this;
    const { policy } = this.policies;
    await input.pause?.();
    if (mutant.isOfDetector === true) {
      return failsBy(await readAgain(test, policy, { ...input, readings: this.readings }), policy, input);
    }
    if (test.test.settings !== undefined || !this.isOfMatchingRules) return failsBy(test, policy, input);
    return failsBy(test, sliceOf(policy, new Set([...taking, ...this.own])), input);
  }

  /**
   * Whether a test can end otherwise with a mutant: a rule of it answers otherwise, or takes part and does something else;
   * or its detectors find something else. The default of a policy that blocks hangs on all rules, and so does what is left
   * of a conversation after turns were taken out.
   */
  canTell(record: TestRecord): boolean | Promise<boolean> {
    const { test } = record;
    if (!isAskedBy(test, this.mutant)) return false;
    if (test.test.settings !== undefined) return true;
    if (this.isOfMatchingRules) return this.answersOtherwise(record);
    if (![...this.changed].every((part) => BESIDE_DECISIONS.has(part))) return true;
    if (this.mutant.isOfDetector !== true) return false;
    if (this.changed.has('structures') && this.detectors.size === 0) return true;
    return findsOtherwise(test, this.policies.policy, { ...this.input, keys: this.detectors });
  }

  private answersOtherwise(record: TestRecord): boolean | Promise<boolean> {
    const { test, answers, taking } = record;
    const open: Promise<boolean>[] = [];
    for (const { owner, said } of this.answers) {
      if (isException(owner) && !taking.has(owner)) continue;
      const before = answers.get(owner) ?? this.withoutMutant(owner).about(test);
      if (typeof before === 'string') answers.set(owner, before);
      const now = said.about(test);
      if (typeof before !== 'string' || typeof now !== 'string') open.push(this.differ(record, owner, [before, now]));
      else if (now !== before) return true;
    }
    return open.length > 0 && Promise.all(open).then((all) => all.includes(true));
  }

  private async differ(
    { answers }: TestRecord,
    owner: string,
    said: readonly [before: string | Promise<string>, now: string | Promise<string>],
  ): Promise<boolean> {
    const before = await said[0];
    answers.set(owner, before);
    return (await said[1]) !== before;
  }

  private withoutMutant(owner: string): RuleAnswers {
    const known = this.known.get(owner) ?? new RuleAnswers(this.policies.base, owner, this.input.nowMs);
    this.known.set(owner, known);
    return known;
  }
}

function isException(owner: string): boolean {
  return owner.startsWith(exceptionRuleName(''));
}

/** Parts of a policy that the judge does not ask about a call whose texts were read. */
const BESIDE_DECISIONS: ReadonlySet<string> = new Set<keyof CompiledPolicy>([
  'budgets',
  'canonical',
  'content',
  'deadlineMs',
  'defaultMaxTokens',
  'detectors',
  'onDisconnect',
  'prices',
  'structures',
]);

/** Whether a test's call is judged at a stage that a mutant changes. */
function isAskedBy({ test, gathered: { reading } }: PreparedTest, { stages }: Mutant): boolean {
  if (test.settings !== undefined) return true;
  return reading.stages.some(({ stage }) => stages.includes(stage));
}

/** Looks for a request that tells a mutant from the policy as it is. */
async function lookFor({ owners }: Mutant, versions: readonly Version[], searches: Searches): Promise<MutantOutcome> {
  let proven = true;
  for (const { environment, policy } of versions) {
    const { changes, searched } = await searches.get(environment)!.against(policy, owners);
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
