import { Engine, Fact, type RuleResult } from 'json-rules-engine';
import { Unknown, type FactSet, type FactValue } from '../model/fact.js';
import { readPath } from '../facts/read-path.js';
import type { Truth } from '../facts/withheld.js';
import type { CompiledPolicy } from '../model/compiled-policy.js';
import { LISTS_FACT } from '../policy/engine-rules.js';
import { parseOperatorName, truthOf, type PolicyRuntime, type StageRuntime } from './policy-runtime.js';
import { engineLeaves, type EngineLeaf } from '../policy/engine-rules.js';

/** One leaf after a run, seen without short-circuit. */
export interface LeafOutcome {
  readonly name: string;
  readonly truth: Truth;
  /** For an unknown fact: the detector key, plugin or `budget` that did not answer, else the fact's root. */
  readonly missing?: string;
}

/** One rule after a run. */
export interface RuleOutcome {
  readonly id: string;
  readonly matched: boolean;
  readonly leaves: readonly LeafOutcome[];
  /** Whether it could match if what is unknown were known: Kleene's "not false". */
  readonly couldMatch: boolean;
}

/**
 * Runs engine rules over facts. A fresh engine per run: an engine keeps its status for all runs, and a run that ends
 * while another is under way makes the other skip rules without an error. Facts enter as constants, so none can reject.
 */
export async function runRules(
  policy: CompiledPolicy,
  runtime: PolicyRuntime,
  stage: StageRuntime,
  reading: 'first' | 'certain',
  facts: FactSet,
): Promise<Map<string, RuleOutcome>> {
  const rules = stage.runs[reading];
  const outcomes = new Map<string, RuleOutcome>();
  if (rules.length === 0) return outcomes;
  const engine = new Engine([...rules], {
    allowUndefinedFacts: true,
    allowUndefinedConditions: false,
    replaceFactsInEventParams: false,
    pathResolver: resolvePath,
  });
  for (const operator of stage.operators) engine.addOperator(operator);
  const { results, failureResults } = await engine.run(
    constants({ ...safeRoots(facts, stage), [LISTS_FACT]: policy.lists }),
  );
  for (const result of [...results, ...failureResults]) outcomes.set(result.name, outcomeOf(result, runtime));
  return outcomes;
}

const paths = new Map<string, readonly string[]>();
const MAX_PATHS = 10_000;

/** Own properties and array indices only. Paths come from compiled policies, so splitting them once is enough. */
function resolvePath(value: object, path: string): FactValue | undefined {
  let parts = paths.get(path);
  if (parts === undefined) {
    parts = path.split('.');
    if (paths.size < MAX_PATHS) paths.set(path, parts);
  }
  return readPath(value as FactValue, parts);
}

/** The engine ignores a path on a primitive and compares the primitive itself: such a root is as good as absent. */
function safeRoots(facts: FactSet, { rootsWithPath }: StageRuntime): Record<string, FactValue> {
  const safe: Record<string, FactValue> = { ...facts };
  for (const root of rootsWithPath) {
    if (Object.hasOwn(safe, root) && (typeof safe[root] !== 'object' || safe[root] === null)) safe[root] = {};
  }
  return safe;
}

/** The engine takes a hash of the name of whatever it may have to remember; what is constant it never looks up. */
function constants(facts: FactSet): Record<string, Fact> {
  const made: Record<string, Fact> = {};
  for (const [name, value] of Object.entries(facts)) made[name] = new Fact(name, value, { cache: false });
  return made;
}

function outcomeOf(result: RuleResult, { context }: PolicyRuntime): RuleOutcome {
  const truths = new Map<EngineLeaf, Truth>();
  const leaves = engineLeaves(result.conditions).map((leaf): LeafOutcome => {
    const truth = certainTruth(leaf) ?? truthOf(leaf.operator, leaf.factResult, leaf.valueResult, context);
    truths.set(leaf, truth);
    return { name: leaf.name, truth, ...(truth === 'unknown' && { missing: sourceOf(leaf) }) };
  });
  return { id: result.name, matched: result.result === true, leaves, couldMatch: couldHold(result.conditions, truths) };
}

/** What the engine's answer already tells: `closed` is false, and `open` is true, for one reason only. */
function certainTruth({ operator, result }: EngineLeaf): Truth | undefined {
  const { reading } = parseOperatorName(operator);
  if (reading === 'closed' && result === false) return 'false';
  return reading === 'open' && result === true ? 'true' : undefined;
}

function sourceOf({ fact, factResult }: EngineLeaf): string {
  if (factResult instanceof Unknown) return factResult.source;
  return fact === 'budgets' ? 'budget' : fact;
}

function couldHold(condition: object, truths: ReadonlyMap<EngineLeaf, Truth>): boolean {
  if ('any' in condition && Array.isArray(condition.any))
    return condition.any.some((item: object) => couldHold(item, truths));
  if ('all' in condition && Array.isArray(condition.all))
    return condition.all.every((item: object) => couldHold(item, truths));
  return truths.get(condition as EngineLeaf) !== 'false';
}
