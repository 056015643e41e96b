import { Engine, Fact, type Rule } from 'json-rules-engine';
import type { FactSet, FactValue } from '../model/fact.js';
import { readBelowValue } from '../facts/read-path.js';
import type { Truth } from '../facts/withheld.js';
import type { CompiledPolicy } from '../model/compiled-policy.js';
import { LISTS_FACT } from '../policy/engine-rules.js';
import { truthOf, type PolicyRuntime, type StageRuntime } from './policy-runtime.js';
import { couldHold, leafOutcomes, readFacts, safeRoot, type LeafOutcome, type RuleTree } from './rule-tree.js';

/** The result of one rule after a run. */
export interface RuleOutcome {
  readonly id: string;
  readonly matched: boolean;
  readonly leaves: readonly LeafOutcome[];
  /** Whether the rule could match if the unknown facts were known: Kleene's "not false". */
  readonly couldMatch: boolean;
}

/** The results of a stage's distinct comparisons for one call, computed once for both readings. */
export interface StageAnswers {
  readonly facts: FactSet;
  /** Fact values, by index in the table's facts. */
  readonly values: readonly (FactValue | undefined)[];
  /** Results, by index in the table's questions. */
  readonly truths: readonly Truth[];
  readonly isSomethingUnknown: boolean;
  /** True if all results are false. */
  readonly isQuiet: boolean;
}

/** Evaluates every question of a stage, without short-circuit, so that the truth of every leaf is known. */
export function answersOf(runtime: PolicyRuntime, stage: StageRuntime, facts: FactSet): StageAnswers {
  const { table, rootsWithPath } = stage;
  const values = readFacts(table, rootsWithPath, facts);
  const truths = table.questions.map(({ operator, value, fact, other }) =>
    truthOf(operator, values[fact], other === undefined ? value : values[other], runtime.context),
  );
  const isQuiet = truths.every((truth) => truth === 'false');
  return { facts, values, truths, isSomethingUnknown: !isQuiet && truths.includes('unknown'), isQuiet };
}

/**
 * Determines which rules match. The results of the leaves rule out those that cannot match in any reading: for most calls, nearly all.
 * Only json-rules-engine decides whether one of the others matches.
 *
 * @param only the id of the only rule to run; if undefined, all rules run
 */
export async function runRules(
  policy: CompiledPolicy,
  stage: StageRuntime,
  reading: 'first' | 'certain',
  answers: StageAnswers,
  only?: string,
): Promise<Map<string, RuleOutcome>> {
  const { truths, values } = answers;
  const all = stage.trees[reading];
  const trees = only === undefined ? all : all.filter(({ id }) => id === only);
  const candidates = trees.filter(({ condition }) => couldHold(condition, truths));
  const matched = candidates.length === 0 ? NONE : await matchesOf(policy, stage, candidates, answers.facts);
  const open = new Set(candidates);
  const outcomes = new Map<string, RuleOutcome>();
  for (const tree of trees) {
    const { id } = tree;
    outcomes.set(id, {
      id,
      matched: matched.has(id),
      leaves: leafOutcomes(tree, stage.table, truths, values),
      couldMatch: open.has(tree),
    });
  }
  return outcomes;
}

const NONE: ReadonlySet<string> = new Set();

/**
 * Runs engine rules on facts, with a new engine per run: an engine has one status for all its runs, so a run that ends while another run is
 * in progress makes the other run silently skip rules. Facts are passed as constants, so none can reject.
 */
async function matchesOf(
  policy: CompiledPolicy,
  { operators, rootsWithPath }: StageRuntime,
  candidates: readonly RuleTree[],
  facts: FactSet,
): Promise<ReadonlySet<string>> {
  const rules: Rule[] = candidates.map(({ rule }) => rule);
  const engine = new Engine(rules, {
    allowUndefinedFacts: true,
    allowUndefinedConditions: false,
    replaceFactsInEventParams: false,
    pathResolver: (value: object, path: string) => readBelowValue(facts, value as FactValue, partsOf(path)),
  });
  for (const operator of operators) engine.addOperator(operator);
  const roots = new Set(candidates.flatMap((candidate) => [...candidate.roots]));
  const constants: Record<string, Fact> = { [LISTS_FACT]: constant(LISTS_FACT, policy.lists) };
  for (const root of roots) {
    const value = safeRoot(facts, root, rootsWithPath);
    if (value !== undefined) constants[root] = constant(root, value);
  }
  const { results, failureResults } = await engine.run(constants);
  if (results.length + failureResults.length !== rules.length) throw new Error('The rule engine skipped rules');
  return new Set(results.map(({ name }) => name));
}

/** Caching is disabled because the engine would hash the name of every cacheable fact, and it never looks up constants. */
function constant(name: string, value: FactValue): Fact {
  return new Fact(name, value, { cache: false });
}

const paths = new Map<string, readonly string[]>();
const MAX_PATHS = 10_000;

/** Splits a path. Paths come from compiled policies, so split paths are cached. */
function partsOf(path: string): readonly string[] {
  const known = paths.get(path);
  if (known !== undefined) return known;
  const parts = path.split('.');
  if (paths.size < MAX_PATHS) paths.set(path, parts);
  return parts;
}
