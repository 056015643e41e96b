import type { PluginCatalog } from '../../core/detection/catalog.js';
import { compilePolicy } from '../../core/policy/compile-policy.js';
import type { CompiledPolicy, Environment, PolicyProblem } from '../../core/model/compiled-policy.js';
import { isBuiltIn } from '../../core/policy/built-in/index.js';
import type { PolicyFile } from '../../core/policy/documents.js';
import { compareText } from '../../core/model/compare-text.js';
import { preparePolicyTests, runPrepared, type PreparedTest } from '../policy-test/index.js';
import type { LintLevel } from '../project/index.js';
import { checkConditions } from './conditions.js';
import { checkContents } from './contents.js';
import type { LintFinding, Remark } from './finding.js';
import { isFixable } from './fix.js';
import { checkGovernance, checkRenames, checkStages } from './governance.js';
import { applyIgnores, ignoreComments } from './ignores.js';
import { defaultLevel, isAdjustable } from './lint-codes.js';
import { checkPatterns } from './patterns.js';
import { checkPairs } from './rule-pairs.js';
import { RuleTables } from './rule-table.js';
import { checkCallerMessages } from './caller-messages.js';
import { Tested, distinctTestsFirst } from './tested.js';

export interface LintEnvironment {
  readonly environment: Environment;
  /** The files of the environment's folder and all files that they extend. */
  readonly files: readonly PolicyFile[];
  readonly entry: readonly string[];
}

export interface LintInput {
  readonly environments: readonly LintEnvironment[];
  /** Test files; undefined: tests are not checked, for example for a single file from an editor. */
  readonly tests?: readonly PolicyFile[];
  readonly plugins: PluginCatalog;
  /** The current time in milliseconds since the epoch, for expiry and review dates. */
  readonly nowMs: number;
  /** The levels that the project file sets, by code. */
  readonly levels?: ReadonlyMap<string, LintLevel>;
  readonly maxExceptionMs?: number | undefined;
  /** Files that environments outside of this run load as well: an ignore comment in them may be for these environments. */
  readonly elsewhere?: ReadonlySet<string>;
  /** The policies at the revision to compare with. */
  readonly before?: ReadonlyMap<Environment, CompiledPolicy>;
  /** Called between tests and between rules: a host may yield to other work, or abort by throwing. */
  readonly pause?: () => Promise<void>;
}

export interface LintReport {
  /** Sorted by file, line and column, including suppressed findings. */
  readonly findings: readonly LintFinding[];
  readonly policies: ReadonlyMap<Environment, CompiledPolicy>;
  /** The numbers of checked rules, files and tests, so that a report without findings about an empty input is recognisable. */
  readonly rules: number;
  readonly files: number;
  readonly tests: number;
  /** False if a policy or test file could not be compiled: then the check was incomplete. */
  readonly compiled: boolean;
}

/** Checks policies, their governance and their tests. Deterministic: the clock is an input. */
export async function lintPolicies(input: LintInput): Promise<LintReport> {
  const policies = new Map<Environment, CompiledPolicy>();
  const problems: PolicyProblem[] = [];
  for (const environment of input.environments) {
    const compiled = compilePolicy({ ...environment, plugins: input.plugins });
    if (compiled.policy !== undefined) policies.set(environment.environment, compiled.policy);
    problems.push(...compiled.problems);
  }
  const compiled = policies.size === input.environments.length;
  const tests = compiled ? await runTests(input, policies) : NO_TESTS;
  const remarks = [
    ...(await semanticRemarks(policies, input)),
    ...governanceRemarks(policies, input),
    ...tests.untested,
  ];
  const findings = unique([
    ...[...problems, ...tests.problems].map((problem) => ({ ...problem, fixable: isFixable(problem.code) })),
    // Users cannot change built-in policies, and Weir tests them itself.
    ...remarks.filter(({ file }) => !isBuiltIn(file)).flatMap((one) => leveled(one, input.levels)),
  ]);
  const files = new Map(
    [...input.environments.flatMap((one) => one.files), ...(input.tests ?? [])].map(({ path, text }) => [path, text]),
  );
  const comments = [...files].flatMap(([path, text]) => ignoreComments(path, text));
  return {
    findings: applyIgnores(findings, comments, {
      nowMs: input.nowMs,
      hasRun: (file, code) => hasRun(file, code, input, { policies, areTestsComplete: tests.isComplete }),
    })
      .flatMap((finding) => adjusted(finding, input.levels))
      .sort(byPlace),
    policies,
    rules: new Set([...policies.values()].flatMap(({ rules }) => rules.map(({ id }) => id))).size,
    files: files.size,
    tests: tests.count,
    compiled: compiled && tests.problems.length === 0,
  };
}

/** The result for the tests: all are validated, but they run only until every rule is known to be tested. */
interface Shown {
  readonly problems: readonly PolicyProblem[];
  readonly count: number;
  /** G200 to G211. */
  readonly untested: readonly Remark[];
  /** Whether `untested` contains everything that the tests do not cover. */
  readonly isComplete: boolean;
}

const NO_TESTS: Shown = { problems: [], count: 0, untested: [], isComplete: false };
/** The checks of `Tested`. */
const OF_TESTS = /^G2\d\d$/;

/** Whether a check ran completely on a file: in every environment that loads the file, and with all data that the check needs. */
function hasRun(
  file: string,
  code: string,
  { environments, elsewhere, before, maxExceptionMs, levels }: LintInput,
  ran: { readonly policies: ReadonlyMap<Environment, CompiledPolicy>; readonly areTestsComplete: boolean },
): boolean {
  const loading = environments.filter(({ files }) => files.some(({ path }) => path === file));
  if (elsewhere?.has(file) === true || levels?.get(code) === 'ignore') return false;
  if (!loading.every(({ environment }) => ran.policies.has(environment))) return false;
  if (OF_TESTS.test(code)) return ran.areTestsComplete;
  if (code === 'G306') return before !== undefined;
  return code !== 'G303' || maxExceptionMs !== undefined;
}

async function runTests(
  { tests, plugins, nowMs, environments, pause }: LintInput,
  policies: ReadonlyMap<Environment, CompiledPolicy>,
): Promise<Shown> {
  const tested = new Tested(policies, plugins);
  if (tests === undefined) return NO_TESTS;
  if (tests.length === 0) return { ...NO_TESTS, untested: tested.missing(), isComplete: true };
  const input = {
    files: tests,
    policies,
    plugins,
    nowMs,
    environments: environments.map(({ environment }) => environment),
    ...(pause !== undefined && { pause }),
  } as const;
  // Real detectors are slow to load, so tests that need them run only if the others leave rules untested.
  const first = await preparePolicyTests({ ...input, detectors: 'stub', leaveOut: 'real' });
  await showTests(first.prepared, tested, input);
  const isDone = tested.missing().length === 0;
  const all = isDone ? first : await preparePolicyTests({ ...input, leaveOut: 'live' });
  if (!isDone) await showTests(all.prepared, tested, input);
  return {
    problems: all.problems,
    count: all.prepared.length + all.leftOut,
    untested: all.problems.length === 0 ? tested.missing() : [],
    isComplete: all.problems.length === 0,
  };
}

/** Runs tests until no further test can change the coverage. */
async function showTests(
  prepared: readonly PreparedTest[],
  tested: Tested,
  input: Pick<LintInput, 'plugins' | 'nowMs' | 'pause'>,
): Promise<void> {
  for (const test of distinctTestsFirst(prepared)) {
    if (!tested.needs(test.policy, test.stage)) continue;
    tested.add(await runPrepared(test, test.policy, input), test);
    await input.pause?.();
  }
}

/**
 * The findings that come from searching requests. Environments usually share rules, so equal rules are searched once. A condition that
 * matters in one environment is not reported because of another environment where it has no effect.
 */
async function semanticRemarks(
  policies: ReadonlyMap<Environment, CompiledPolicy>,
  { plugins, pause }: LintInput,
): Promise<Remark[]> {
  const searched = new Map<string, Remark[]>();
  const tables = new RuleTables(plugins);
  const perPolicy: { readonly policy: CompiledPolicy; readonly found: readonly Remark[] }[] = [];
  for (const policy of policies.values()) {
    const { rules, stages, detectors, lists } = policy;
    const key = JSON.stringify([rules, stages, lists, detectors.map((one) => [one.key, one.codes, one.minScore])]);
    const known = searched.get(key);
    const found = known ?? [
      ...(await checkConditions(policy, tables, pause)),
      ...(await checkPairs(policy, tables, pause)),
    ];
    searched.set(key, found);
    perPolicy.push({ policy, found });
  }
  const isEverywhere = (remark: Remark): boolean =>
    perPolicy.every(({ policy, found }) => !mentions(policy, remark) || found.some((other) => isSame(other, remark)));
  const found = perPolicy.flatMap((one) => one.found).filter(isEverywhere);
  return [
    ...found,
    ...(await checkCallerMessages([...policies.values()], plugins)),
    ...[...policies.values()].flatMap(checkPatterns),
    ...checkContents([...policies.values()]),
  ];
}

function mentions({ sources }: CompiledPolicy, { file, line }: Remark): boolean {
  const places = [...Object.values(sources.rules), ...Object.values(sources.leaves)];
  return places.some(({ at }) => at.file === file && at.line === line);
}

function isSame(a: Remark, b: Remark): boolean {
  return a.code === b.code && a.file === b.file && a.line === b.line && a.message === b.message;
}

function governanceRemarks(policies: ReadonlyMap<Environment, CompiledPolicy>, input: LintInput): Remark[] {
  return [...policies.values()].flatMap((policy) => {
    const base = input.before?.get(policy.environment);
    return [
      ...checkStages(policy),
      ...checkGovernance({ policy, nowMs: input.nowMs, maxExceptionMs: input.maxExceptionMs }),
      ...(base === undefined ? [] : checkRenames(base, policy)),
    ];
  });
}

function leveled(remark: Remark, levels: LintInput['levels']): LintFinding[] {
  const level = levels?.get(remark.code) ?? defaultLevel(remark.code);
  return level === 'ignore' ? [] : [{ ...remark, level, fixable: isFixable(remark.code) }];
}

/** Applies the project file's level to a finding whose level may be changed. */
function adjusted(finding: LintFinding, levels: LintInput['levels']): LintFinding[] {
  const level = isAdjustable(finding.code) ? levels?.get(finding.code) : undefined;
  if (level === 'ignore') return [];
  return [level === undefined ? finding : { ...finding, level }];
}

function unique(findings: readonly LintFinding[]): LintFinding[] {
  const found = new Map<string, LintFinding>();
  for (const finding of findings) {
    const { code, file, line, column, message } = finding;
    const identity = [code, file, line, column, message].join('\n');
    if (!found.has(identity)) found.set(identity, finding);
  }
  return [...found.values()];
}

function byPlace(a: LintFinding, b: LintFinding): number {
  return compareText(a.file, b.file) || a.line - b.line || a.column - b.column || compareText(a.code, b.code);
}
