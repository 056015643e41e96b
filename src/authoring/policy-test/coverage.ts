import { rootsOf } from '../../core/detection/bind-structures.js';
import type { PluginCatalog } from '../../core/detection/catalog.js';
import { STAGES, type Stage } from '../../core/model/fact.js';
import { splitFactName } from '../../core/facts/read-path.js';
import type { CompiledPolicy, CompiledRule, Environment } from '../../core/model/compiled-policy.js';
import { exceptionRuleName } from '../../core/policy/engine-rules.js';
import type { SourcePlace } from '../../core/model/policy-sources.js';
import { isBuiltIn } from '../../core/policy/built-in/index.js';
import { readLeaves } from '../policy-diff/read-leaves.js';
import { describeLeaf, leavesOf } from './leaves.js';
import type { PolicyTestResult } from './run-policy-tests.js';
import { unknownLeaves } from './unknown-leaves.js';

/** The results of one condition in the tests. */
export interface LeafCoverage {
  /** `<rule>#<n>`, or `exception:<id>#<n>`. */
  readonly name: string;
  /** The id of the rule or exception. */
  readonly rule: string;
  /** `pii.types any_of ["EMAIL"]`. */
  readonly text: string;
  readonly at: SourcePlace;
  readonly seenTrue: boolean;
  readonly seenFalse: boolean;
  /** Undefined if the fact cannot be unknown, because no plugin derives it. */
  readonly seenUnknown: boolean | undefined;
}

export interface EnvironmentCoverage {
  readonly environment: Environment;
  /** Number of tests that ran, without skipped tests. */
  readonly tests: number;
  readonly leaves: readonly LeafCoverage[];
  readonly rules: readonly { readonly id: string; readonly at: SourcePlace; readonly fired: boolean }[];
  readonly exceptions: readonly { readonly id: string; readonly at: SourcePlace; readonly used: boolean }[];
  /** Number of covered states, of `total` states: true and false per condition, and unknown if possible. */
  readonly seen: number;
  readonly total: number;
  /** 0 to 100, rounded down to a tenth: 100 only if every state is covered. */
  readonly percent: number;
}

/** The results of each condition: true, false, and null for unknown. */
type Seen = Map<string, Set<boolean | null>>;

/**
 * Coverage by condition, not by line: each compiled condition of each rule has to be true, false, and, if its fact can be unknown,
 * unknown in some test. A value that cannot be compared counts as none of these. Conditions of an exception are evaluated only in tests
 * in which one of its rules fires. Passed and failed tests count alike. Built-in policies are not counted, because Weir tests them itself.
 */
export function coverageOf(
  policies: ReadonlyMap<Environment, CompiledPolicy>,
  results: readonly PolicyTestResult[],
  plugins: PluginCatalog,
): EnvironmentCoverage[] {
  return [...policies.values()].map((policy) => {
    const own = results.filter(({ environment, status }) => environment === policy.environment && status !== 'skipped');
    return coverageIn(policy, own, plugins);
  });
}

function coverageIn(
  policy: CompiledPolicy,
  results: readonly PolicyTestResult[],
  plugins: PluginCatalog,
): EnvironmentCoverage {
  const decisions = results.flatMap((result) =>
    'decision' in result && result.decision !== undefined ? [result.decision] : [],
  );
  const seen: Seen = new Map();
  for (const result of results) {
    seeRules(policy, result, seen);
    seeExceptions(policy, result, seen);
  }
  const leaves = leafCoverage(policy, seen, canFail(policy, plugins));
  const states = leaves.flatMap(({ seenTrue, seenFalse, seenUnknown }) => [
    seenTrue,
    seenFalse,
    ...(seenUnknown === undefined ? [] : [seenUnknown]),
  ]);
  const fired = new Set(
    decisions.flatMap((decision) => decision.fired.filter((one) => !one.unavailable).map(({ rule }) => rule)),
  );
  const used = new Set(decisions.flatMap(({ exceptions }) => exceptions));
  const met = states.filter(Boolean).length;
  return {
    environment: policy.environment,
    tests: results.length,
    leaves,
    rules: policy.rules
      .filter(({ id }) => !isBuiltIn(policy.sources.rules[id]!.at.file))
      .map(({ id, action, stage }) => ({
        id,
        at: policy.sources.rules[id]!.at,
        // Allow rules never fire, so it is enough that one of their conditions was true.
        fired: fired.has(id) || (action === 'allow' && holds(leavesOf(policy, stage), id, seen)),
      })),
    exceptions: policy.exceptions.map(({ id }) => ({ id, at: policy.sources.exceptions[id]!.at, used: used.has(id) })),
    seen: met,
    total: states.length,
    percent: states.length === 0 ? 100 : Math.floor((met / states.length) * 1_000) / 10,
  };
}

/** Records the results of the conditions of rules in one test: true, false, or null for unknown. */
function seeRules(policy: CompiledPolicy, result: PolicyTestResult, seen: Seen): void {
  if (result.status === 'skipped' || result.decision === undefined) return;
  const { decision, stages = [] } = result;
  const unknown = unknownLeaves(policy, decision, stages);
  for (const [name, truth] of Object.entries(decision.leaves)) {
    if (truth !== null || unknown.has(name)) see(seen, name, truth);
  }
}

/** Records the results of the conditions of exceptions in one test. */
function seeExceptions(policy: CompiledPolicy, result: PolicyTestResult, seen: Seen): void {
  if (result.status === 'skipped' || result.decision === undefined || result.stages === undefined) return;
  const fired = new Set(result.decision.fired.map(({ rule }) => rule));
  for (const { id, rules } of policy.exceptions) {
    const asked = new Set(policy.rules.filter((rule) => rules.includes(rule.id) && fired.has(rule.id)).map(stageOf));
    for (const { stage, facts } of result.stages.filter((one) => asked.has(one.stage))) {
      for (const leaf of readLeaves(policy, stage).filter(({ owner }) => owner === exceptionRuleName(id))) {
        const truth = leaf.inCall(facts);
        if (truth !== 'undecided') see(seen, leaf.name, truth === 'unknown' ? null : truth === 'true');
      }
    }
  }
}

function see(seen: Seen, leaf: string, truth: boolean | null): void {
  seen.set(leaf, (seen.get(leaf) ?? new Set()).add(truth));
}

function stageOf({ stage }: CompiledRule): Stage {
  return stage;
}

function holds(
  leaves: readonly { readonly name: string }[],
  rule: string,
  seen: ReadonlyMap<string, ReadonlySet<boolean | null>>,
): boolean {
  return leaves.some(({ name }) => name.startsWith(`${rule}#`) && seen.get(name)?.has(true) === true);
}

function leafCoverage(
  policy: CompiledPolicy,
  seen: ReadonlyMap<string, ReadonlySet<boolean | null>>,
  fails: (fact: string) => boolean,
): LeafCoverage[] {
  const isException = (owner: string): boolean => owner.startsWith(exceptionRuleName(''));
  // An exception is compiled for each stage of its rules, but its conditions count once.
  const all = new Map(STAGES.flatMap((stage) => leavesOf(policy, stage)).map((leaf) => [leaf.name, leaf]));
  return [...all.values()].flatMap((leaf) => {
    const owner = leaf.name.slice(0, leaf.name.lastIndexOf('#'));
    if (!isException(owner) && !policy.rules.some(({ id }) => id === owner)) return [];
    const { at } = policy.sources.leaves[leaf.name]!;
    if (isBuiltIn(at.file)) return [];
    const rule = isException(owner) ? owner.slice(exceptionRuleName('').length) : owner;
    const states = seen.get(leaf.name) ?? new Set();
    return {
      name: leaf.name,
      rule,
      text: describeLeaf(leaf),
      at,
      seenTrue: states.has(true),
      seenFalse: states.has(false),
      seenUnknown: fails(leaf.fact) ? states.has(null) : undefined,
    };
  });
}

/** Whether a fact can be unknown: it comes from a detector, from a structure plugin, or from a ledger plugin. */
function canFail(policy: CompiledPolicy, plugins: PluginCatalog): (fact: string) => boolean {
  const roots = new Set([
    ...policy.detectors.map(({ key }) => key),
    ...plugins.structures.flatMap(rootsOf),
    ...plugins.ledgers.map(({ root }) => root),
  ]);
  return (fact) => roots.has(splitFactName(fact).root);
}
