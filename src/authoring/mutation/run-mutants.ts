import type { PluginCatalog } from '../../core/detection/catalog.js';
import type { CompiledPolicy, Environment } from '../../core/model/compiled-policy.js';
import type { Decision } from '../../core/model/decision.js';
import { exceptionRuleName } from '../../core/policy/engine-rules.js';
import { sliceOf, WitnessSearch, type VerdictChange } from '../policy-diff/index.js';
import {
  failsBy,
  findingsDiffer,
  readAgain,
  Readings,
  type PolicyTestResult,
  type PreparedTest,
} from '../policy-test/index.js';
import type { Mutant } from './mutants.js';
import { RuleAnswers } from './rule-answer.js';

export type MutantOutcome =
  /** At least one test fails with the mutant. */
  | {
      readonly state: 'killed';
      readonly by: { readonly file: string; readonly id: string; readonly environment: Environment };
    }
  /** No test fails, although the mutant judges the witness differently. */
  | { readonly state: 'survived'; readonly environment: Environment; readonly witness: VerdictChange }
  /** No test fails, and none of the requests tried is judged differently, but not all could be tried. Counts as survived. */
  | { readonly state: 'unproven' }
  /** The mutant judges every request of the complete grid like the policy. Not counted in the score. */
  | { readonly state: 'equivalent' };

export interface MutantResult {
  readonly mutant: Mutant;
  readonly outcome: MutantOutcome;
}

export interface MutationInput {
  readonly policies: ReadonlyMap<Environment, CompiledPolicy>;
  /** The tests of all environments; each must pass without a mutant. */
  readonly tests: readonly PreparedTest[];
  /** The result of each test without a mutant, in the same order: shows which rules take part in its decision. */
  readonly results: readonly PolicyTestResult[];
  readonly plugins: PluginCatalog;
  readonly nowMs: number;
  /** The maximum number of requests per rule in the search for a witness. Default 1,000. */
  readonly maxRequests?: number;
  /** Called between tests and between requests: a host may yield to other work, or abort by throwing. */
  readonly pause?: () => Promise<void>;
}

const DEFAULT_MAX_REQUESTS = 1_000;

/** Runs the tests with each mutant, and searches for a witness request for each mutant that no test kills. */
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
  /** Answers of rules and exceptions for the test, without a mutant; filled when needed. */
  readonly answers: Map<string, string>;
  /** The rules that contribute to its decision without a mutant, and the exceptions that name them. */
  readonly taking: ReadonlySet<string>;
}

/** The tests of one environment. */
interface Suite {
  readonly records: readonly TestRecord[];
  /** Cached answers without a mutant, by rule or exception. */
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
  // Enforcing policies first: they show more effects of a rule than policies in monitor mode.
  versions.sort((a, b) => Number(a.policy.monitor) - Number(b.policy.monitor));
  for (const { environment, policy } of versions) {
    const suite = suites.get(environment);
    if (suite === undefined) continue;
    const trial = new MutantTrial(mutant, { base: input.policies.get(environment)!, policy }, suite.answers, input);
    for (const record of suite.records) {
      const notices = trial.mayNotice(record);
      // Most tests cannot notice the mutant. This is usually known synchronously, and awaiting each result would be slower than the check.
      if (notices === false || !(await notices)) continue;
      const { test } = record.test;
      if (await trial.isNoticedBy(record.test, record.taking))
        return { state: 'killed', by: { file: test.file.path, id: test.id, environment } };
    }
  }
  return mutant.isBeyondTexts === true ? { state: 'unproven' } : lookFor(mutant, versions, searches);
}

/** Checks which tests fail with one mutant in one environment. Tests whose result cannot change are not run. */
class MutantTrial {
  private readonly answers: readonly { readonly owner: string; readonly said: RuleAnswers }[];
  private readonly readings: Readings;
  /** Whether decisions depend only on the rules that match. */
  private readonly isOfMatchingRules: boolean;
  /** Keys of the compiled policy that differ in the mutant. */
  private readonly changed: ReadonlySet<string>;
  private readonly detectors: ReadonlySet<string>;
  /** The owners of the mutation, and the exceptions that name them. */
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

  /** Runs a test that may have another result with the mutant. Returns whether it fails. */
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
   * Whether a test may have another result with the mutant: one of its rules has another answer or effect, or its detectors have other
   * findings. If the policy blocks by default, or removes turns of a conversation, the decision depends on all rules.
   */
  mayNotice(record: TestRecord): boolean | Promise<boolean> {
    const { test } = record;
    if (!isAskedBy(test, this.mutant)) return false;
    if (test.test.settings !== undefined) return true;
    if (this.isOfMatchingRules) return this.answersOtherwise(record);
    if (![...this.changed].every((part) => BESIDE_DECISIONS.has(part))) return true;
    if (this.mutant.isOfDetector !== true) return false;
    if (this.changed.has('structures') && this.detectors.size === 0) return true;
    return findingsDiffer(test, this.policies.policy, { ...this.input, keys: this.detectors });
  }

  private answersOtherwise(record: TestRecord): boolean | Promise<boolean> {
    const { test, answers, taking } = record;
    const open: Promise<boolean>[] = [];
    for (const { owner, said } of this.answers) {
      if (isException(owner) && !taking.has(owner) && !this.namesOneOf(owner, taking)) continue;
      const before = answers.get(owner) ?? this.withoutMutant(owner).about(test);
      if (typeof before === 'string') answers.set(owner, before);
      const now = said.about(test);
      if (typeof before !== 'string' || typeof now !== 'string') open.push(this.differ(record, owner, [before, now]));
      else if (now !== before) return true;
    }
    return open.length > 0 && Promise.all(open).then((all) => all.includes(true));
  }

  /** Whether an exception names, in the mutant, one of the rules that contribute to a decision. */
  private namesOneOf(owner: string, taking: TestRecord['taking']): boolean {
    const exception = this.policies.policy.exceptions.find(({ id }) => exceptionRuleName(id) === owner);
    return exception?.rules.some((rule) => taking.has(rule)) === true;
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

/** Parts of a policy that the judge does not read after the texts of a call were scanned. */
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

/** Searches for a request that the mutant judges differently. */
async function lookFor({ owners }: Mutant, versions: readonly Version[], searches: Searches): Promise<MutantOutcome> {
  let proven = true;
  for (const { environment, policy } of versions) {
    const { changes, searched } = await searches.get(environment)!.against(policy, owners);
    const [witness] = changes;
    if (witness !== undefined) return { state: 'survived', environment, witness };
    // If a rule, an exception or a list was changed and nothing was searched, nothing shows that they are equivalent.
    proven &&= owners.length === 0 || searched.length > 0;
    proven &&= searched.every(({ sampled, openFacts }) => sampled.length === 0 && openFacts.length === 0);
  }
  return { state: proven ? 'equivalent' : 'unproven' };
}

/** The percentage of killed mutants among those not equivalent, 0 to 100, rounded down to a tenth. */
export function mutationScore(results: readonly MutantResult[]): number {
  const killed = results.filter(({ outcome }) => outcome.state === 'killed').length;
  const countable = results.filter(({ outcome }) => outcome.state !== 'equivalent').length;
  return countable === 0 ? 100 : Math.floor((killed / countable) * 1_000) / 10;
}
