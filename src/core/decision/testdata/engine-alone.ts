import { Engine, Fact, Rule, type RuleProperties, type RuleResult } from 'json-rules-engine';
import { readBelowValue } from '../../facts/read-path.js';
import type { Truth } from '../../facts/withheld.js';
import type { CompiledPolicy } from '../../model/compiled-policy.js';
import type { Decision } from '../../model/decision.js';
import { Unknown, type FactSet, type FactValue, type Stage } from '../../model/fact.js';
import { engineLeaves, factsOfLeaf, LISTS_FACT, type EngineLeaf } from '../../policy/engine-rules.js';
import { decide } from '../decide.js';
import type { EvaluateInput } from '../evaluate.js';
import { runtimeOf, truthOf, type PolicyRuntime } from '../policy-runtime.js';
import type { RuleOutcome } from '../run-rules.js';
import { memoizeByObject } from '../../model/memoize.js';

/**
 * The decision from json-rules-engine alone: every rule of the stage runs in an engine, and the leaves' results are read from the
 * engine's results. The reference for the evaluator in tests and benchmarks; it shares no code with the selection of rules.
 */
export async function engineAlone(policy: CompiledPolicy, input: EvaluateInput): Promise<Decision> {
  return decide({ policy, ...input, ...(await engineOutcomes(policy, input.stage, input.facts)) });
}

export interface Outcomes {
  readonly asWritten: ReadonlyMap<string, RuleOutcome>;
  readonly certain: ReadonlyMap<string, RuleOutcome>;
}

export async function engineOutcomes(policy: CompiledPolicy, stage: Stage, facts: FactSet): Promise<Outcomes> {
  const run = runsOf(policy, stage);
  const asWritten = await run('first', facts);
  const isUnknown = [...asWritten.values()].some(({ leaves }) => leaves.some(({ truth }) => truth === 'unknown'));
  return { asWritten, certain: isUnknown ? await run('certain', facts) : asWritten };
}

type Run = (reading: 'first' | 'certain', facts: FactSet) => Promise<Map<string, RuleOutcome>>;

const runsByStage = memoizeByObject((_policy: CompiledPolicy) => new Map<Stage, Run>());

function runsOf(policy: CompiledPolicy, stage: Stage): Run {
  const known = runsByStage(policy);
  const run = known.get(stage) ?? makeRun(policy, stage);
  known.set(stage, run);
  return run;
}

function makeRun(policy: CompiledPolicy, stage: Stage): Run {
  const runtime = runtimeOf(policy);
  const { asWritten, exceptions, certain } = policy.stages[stage];
  const { operators } = runtime.stages[stage];
  const rulesOf = (list: readonly RuleProperties[]): Rule[] => list.map((properties) => new Rule(properties));
  const rules = { first: rulesOf([...asWritten, ...exceptions]), certain: rulesOf(certain) };
  const leaves = [...asWritten, ...exceptions, ...certain].flatMap(({ conditions }) => engineLeaves(conditions));
  const rootsWithPath = new Set(
    leaves
      .flatMap(factsOfLeaf)
      .filter(({ path }) => path !== undefined)
      .map(({ fact }) => fact),
  );
  return async (reading, facts) => {
    const outcomes = new Map<string, RuleOutcome>();
    if (rules[reading].length === 0) return outcomes;
    const engine = new Engine([...rules[reading]], {
      allowUndefinedFacts: true,
      pathResolver: (value: object, path: string) => readBelowValue(facts, value as FactValue, path.split('.')),
    });
    for (const operator of operators) engine.addOperator(operator);
    const constants = Object.entries({ ...facts, [LISTS_FACT]: policy.lists }).map(([name, value]) => {
      const isAbsent = rootsWithPath.has(name) && (typeof value !== 'object' || value === null);
      return [name, new Fact(name, isAbsent ? {} : value, { cache: false })] as const;
    });
    const { results, failureResults } = await engine.run(Object.fromEntries(constants));
    for (const result of [...results, ...failureResults]) outcomes.set(result.name, outcomeOf(result, runtime));
    return outcomes;
  };
}

function outcomeOf(result: RuleResult, { context }: PolicyRuntime): RuleOutcome {
  const truths = new Map<EngineLeaf, Truth>();
  const leaves = engineLeaves(result.conditions).map((leaf) => {
    const truth = truthOf(leaf.operator, leaf.factResult, leaf.valueResult, context);
    truths.set(leaf, truth);
    return { name: leaf.name, truth, ...(truth === 'unknown' && { missing: sourceOf(leaf) }) };
  });
  return { id: result.name, matched: result.result === true, leaves, couldMatch: couldHold(result.conditions, truths) };
}

function sourceOf({ fact, factResult, valueResult }: EngineLeaf): string {
  if (factResult instanceof Unknown) return factResult.source;
  if (valueResult instanceof Unknown) return valueResult.source;
  return fact === 'budgets' ? 'budget' : fact;
}

function couldHold(condition: object, truths: ReadonlyMap<EngineLeaf, Truth>): boolean {
  if ('any' in condition && Array.isArray(condition.any))
    return condition.any.some((item: object) => couldHold(item, truths));
  if ('all' in condition && Array.isArray(condition.all))
    return condition.all.every((item: object) => couldHold(item, truths));
  return truths.get(condition as EngineLeaf) !== 'false';
}
