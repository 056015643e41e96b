import type { PreparedTest } from './prepared-test.js';
import type { PluginCatalog } from '../../core/detection/catalog.js';
import type { Decision } from '../../core/model/decision.js';
import type { Stage } from '../../core/model/fact.js';
import { CLOCK_ROOT } from '../../core/facts/clock-facts.js';
import { readFact, splitFactName } from '../../core/facts/read-path.js';
import type { JudgedStage } from '../../core/judge/index.js';
import { findFact } from '../../core/facts/registry.js';
import type { CompiledPolicy, Environment, PolicyProblem } from '../../core/model/compiled-policy.js';
import { compareText } from '../../core/model/compare-text.js';
import { buildCall } from './build-call.js';
import { checkNames } from './check-names.js';
import { compare, type TestFailure } from './compare.js';
import { compareFindings, withUnmarked } from './compare-findings.js';
import { gatherFacts, type GatheredFacts } from './gather-facts.js';
import type { DetectorMode } from './readings.js';
import { judgePrepared } from './judge-prepared.js';
import { factsOf, leavesOf } from './leaves.js';
import { readSuite, type TestCase } from './read-suite.js';
import { Readings } from './readings.js';
import { checkSettingNames, compareSettings } from './settings.js';
import { YamlFile } from './yaml-file.js';
import { memoizeByObject } from '../../core/model/memoize.js';

export interface PolicyTestInput {
  /** The test files (`*.test.yaml`), as text. */
  readonly files: readonly { readonly path: string; readonly text: string }[];
  readonly policies: ReadonlyMap<Environment, CompiledPolicy>;
  readonly plugins: PluginCatalog;
  /** The current time in milliseconds since the epoch, for tests without a clock and for `until`. */
  readonly nowMs: number;
  /** Overrides a suite's own `detectors:`, but not that of a single test. */
  readonly detectors?: DetectorMode;
  /** Skips tests by detector mode. `live`: tests in mode `live`; `real`: all tests except those with stubs. */
  readonly leaveOut?: 'live' | 'real';
  /**
   * Selects the tests to run; by default all. Called once for each test and environment, in the order of the results. All tests are
   * checked in any case, but real detectors are used only for selected tests.
   */
  readonly only?: (test: TestIdentity) => boolean;
  /** Monotonic milliseconds, for `durationMs`; without it durations are not measured. */
  readonly timer?: () => number;
  /** The environments to test, if policies are not given for all; the others are skipped. */
  readonly environments?: readonly Environment[];
  /** Called between tests: a host that serves calls may yield to them. */
  readonly pause?: () => Promise<void>;
}

export interface TestIdentity {
  readonly file: string;
  readonly id: string;
  readonly environment: Environment;
}

interface ResultBase {
  /** The id in the file; for a table row with its 1-based number. Unique together with file and environment. */
  readonly id: string;
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly environment: Environment;
  readonly mode: DetectorMode;
  /** The clock of the test, in milliseconds since the epoch. */
  readonly clockMs: number;
  /** The duration of decision and comparison; only with `timer`. */
  readonly durationMs?: number;
}

export type PolicyTestResult =
  | (ResultBase & {
      readonly status: 'passed' | 'failed';
      /** Empty exactly if the test passed. */
      readonly failures: readonly TestFailure[];
      /** The decision, of which coverage reads `leaves` and `fired`. Absent for a test of settings and an expired skip. */
      readonly decision?: Decision;
      /** Facts and results of rules and exceptions at each stage; present with `decision`. */
      readonly stages?: readonly JudgedStage[];
    })
  | (ResultBase & { readonly status: 'skipped'; readonly because: string; readonly untilMs: number });

export interface PolicyTestRun {
  /** In the order of files, tests, rows and environments. Empty if there is a problem. */
  readonly results: readonly PolicyTestResult[];
  /** Problems of the files, sorted by file, line and column. */
  readonly problems: readonly PolicyProblem[];
  /** Number of tests that were checked, but skipped because of `leaveOut`. */
  readonly leftOut: number;
}

/**
 * Runs policy tests with the server's own evaluation and redaction. A file with a problem (unknown key, fact, rule, entity,
 * environment; no test) is not skipped: no test runs until all files are valid.
 */
export async function runPolicyTests(input: PolicyTestInput): Promise<PolicyTestRun> {
  const { prepared, problems, leftOut } = await preparePolicyTests(input);
  const results: PolicyTestResult[] = [];
  for (const one of prepared) {
    const startedMs = input.timer?.();
    const result = await runPrepared(one, one.policy, input);
    const endedMs = input.timer?.();
    results.push(
      startedMs === undefined || endedMs === undefined ? result : { ...result, durationMs: endedMs - startedMs },
    );
    await input.pause?.();
  }
  return { results, problems, leftOut };
}

/**
 * Reads and checks test files and gathers the facts of each test: the part that does not depend on rules, so that the tests can be
 * judged under many versions of a policy. `prepared` is empty if there is a problem.
 */
export async function preparePolicyTests(
  input: PolicyTestInput,
): Promise<Omit<PolicyTestRun, 'results'> & { readonly prepared: readonly PreparedTest[] }> {
  const suites: { readonly file: YamlFile; readonly tests: readonly TestCase[] }[] = [];
  for (const one of input.files) {
    const file = new YamlFile(one);
    await input.pause?.();
    suites.push({ file, tests: readSuite(file) });
    await input.pause?.();
  }
  const all: Checked[] = [];
  const readings = new Readings(input.plugins);
  for (const { tests } of suites) {
    for (const test of tests) {
      all.push(...(await prepare(test, input, readings)));
      await input.pause?.();
    }
  }
  const problems = suites.flatMap(({ file }) => file.problems);
  if (input.files.length === 0) problems.push(noFiles());
  if (problems.length > 0) return { prepared: [], problems: problems.sort(byPlace), leftOut: 0 };
  const prepared = all.flatMap(({ state, ...one }) => (state === 'wanted' ? [one] : []));
  return { prepared, problems: [], leftOut: all.filter(({ state }) => state === 'left out').length };
}

/** A checked test, and whether it is run. */
interface Checked extends PreparedTest {
  readonly state: 'wanted' | 'left out' | 'not asked for';
}

async function prepare(test: TestCase, input: PolicyTestInput, readings: Readings): Promise<Checked[]> {
  const stage = test.stage ?? 'pre';
  const asked = test.detectors ?? input.detectors ?? test.suiteDetectors ?? 'local';
  const prepared: Checked[] = [];
  // The call is the same in each environment.
  const call = buildCall(test, stage);
  for (const environment of test.environments) {
    if (input.environments?.includes(environment) === false) continue;
    const policy = input.policies.get(environment);
    const expected = test.expectIn.get(environment);
    if (policy === undefined) test.file.report('T004', ['environments'], `there is no policy for ${environment}`);
    if (policy === undefined || expected === undefined) continue;
    checkNames(test, call, policy, input.plugins);
    const isAsked = input.only?.({ file: test.file.path, id: test.id, environment }) !== false;
    const isLeftOut =
      input.leaveOut !== undefined && (asked === 'live' || (asked === 'local' && input.leaveOut === 'real'));
    const state = !isAsked ? 'not asked for' : isLeftOut ? 'left out' : 'wanted';
    const mode = state === 'wanted' ? asked : 'stub';
    const gathered = await gatherFacts({ test, call, stage, policy, plugins: input.plugins, mode, readings });
    if (test.settings === undefined) checkFactsSet(test, policy, gathered);
    else checkSettingNames(test, test.settings, policy);
    prepared.push({ test, stage, policy, expected, mode, call, gathered, state });
  }
  return prepared;
}

const requiredByStage = memoizeByObject((_policy: CompiledPolicy) => new Map<Stage, readonly string[]>());

/** The facts that the rules of a stage read and that every call has, except its time, which is the test's clock. */
function requiredFacts(policy: CompiledPolicy, stage: Stage): readonly string[] {
  const byStage = requiredByStage(policy);
  const known = byStage.get(stage);
  if (known !== undefined) return known;
  const isByKey = policy.rules.some((rule) => rule.stage === stage && rule.rolloutPercent !== undefined);
  const read = new Set([...leavesOf(policy, stage).flatMap(factsOf), ...(isByKey ? ['key.id'] : [])]);
  const found = [...read].filter(
    (fact) => findFact(policy.facts, fact)?.optional === false && splitFactName(fact).root !== CLOCK_ROOT,
  );
  byStage.set(stage, found);
  return found;
}

/**
 * Reports facts that a rule reads and the test does not set. They would be unknown, so that the test would prove less than it seems to.
 */
function checkFactsSet(test: TestCase, policy: CompiledPolicy, { reading }: GatheredFacts): void {
  const unset = reading.stages.flatMap(({ stage, facts }) =>
    requiredFacts(policy, stage).filter((name) => readFact(facts, name) === undefined),
  );
  for (const fact of new Set(unset)) {
    const hint = 'set it in the test or under `defaults`';
    test.file.report(
      'T022',
      test.at,
      `the ${policy.environment} policy reads "${fact}", which the test does not set`,
      hint,
    );
  }
}

/**
 * Reads the call of a prepared test again with another version of its policy, whose detectors have other findings.
 *
 * @param readings the cache of this version, shared by all tests
 */
export async function readAgain(
  one: PreparedTest,
  policy: CompiledPolicy,
  { plugins, readings }: { readonly plugins: PluginCatalog; readonly readings: Readings },
): Promise<PreparedTest> {
  const { test, call, stage, mode } = one;
  const gathered = await gatherFacts({ test, call, stage, policy, plugins, mode, readings });
  return { ...one, policy, gathered };
}

/**
 * Whether a prepared test that passes under its own policy fails under another version.
 *
 * @param one the test with the findings of this version: the test itself if the detectors are the same, otherwise the result of
 * `readAgain`
 */
export async function failsBy(
  one: PreparedTest,
  policy: CompiledPolicy,
  input: Pick<PolicyTestInput, 'nowMs' | 'plugins'>,
): Promise<boolean> {
  const { test, expected } = one;
  if (test.skip === true) return (await runPrepared(one, policy, input)).status === 'failed';
  if (test.settings !== undefined) return compareSettings(test.settings, policy).length > 0;
  const { decision, stages, ...judged } = await judgePrepared(one, policy, test.clock ?? input.nowMs);
  if (compare(expected, { policy, stages, decision, ...judged }).length > 0) return true;
  return one.policy === policy && compareFindings(one, input.plugins).length > 0;
}

/** Runs a prepared test under its own policy, or under another version with the same detectors. */
export async function runPrepared(
  one: PreparedTest,
  policy: CompiledPolicy,
  input: Pick<PolicyTestInput, 'nowMs' | 'plugins'>,
): Promise<PolicyTestResult> {
  const { test, expected, mode } = one;
  const place = { file: test.file.path, ...test.file.position(test.at) };
  const base: ResultBase = {
    id: test.id,
    ...place,
    environment: policy.environment,
    mode,
    clockMs: test.clock ?? input.nowMs,
  };
  if (test.skip === true && test.because !== undefined && test.until !== undefined) {
    if (input.nowMs < test.until) return { ...base, status: 'skipped', because: test.because, untilMs: test.until };
    const failure = {
      field: 'skip',
      expected: 'a test that is no longer skipped',
      actual: '`until` has passed',
      why: [],
    };
    return { ...base, status: 'failed', failures: [failure] };
  }
  if (test.settings !== undefined) {
    const failures = compareSettings(test.settings, policy);
    return { ...base, status: failures.length === 0 ? 'passed' : 'failed', failures };
  }
  const { decision, stages, ...judged } = await judgePrepared(one, policy, base.clockMs);
  const differing = compare(expected, { policy, stages, decision, ...judged });
  const failures = [...compareFindings(one, input.plugins), ...withUnmarked(differing, one, input.plugins)];
  return { ...base, status: failures.length === 0 ? 'passed' : 'failed', failures, decision, stages };
}

function noFiles(): PolicyProblem {
  const message = 'there is no test file';
  return { code: 'T005', level: 'error', message, file: 'tests', line: 1, column: 1, length: 1 };
}

function byPlace(a: PolicyProblem, b: PolicyProblem): number {
  return compareText(a.file, b.file) || a.line - b.line || a.column - b.column || compareText(a.code, b.code);
}
