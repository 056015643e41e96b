import { engineLeaves, parseOperatorName, runtimeOf, truthOf, type EngineLeaf } from '../decision/policy-runtime.js';
import type { FactSet, Stage } from '../facts/fact.js';
import { readFact } from '../facts/read-path.js';
import type { CompiledPolicy } from '../policy/compiled.js';
import { LISTS_FACT } from '../policy/engine-rules.js';

/** What one rule says about one test: equal answers give equal decisions, as far as this rule goes. */
export interface RuleAnswer {
  readonly matched: boolean;
  /** All that the decision takes from the evaluation of the rule. */
  readonly key: string;
}

/**
 * What the evaluator will find for one rule or exception, without running it. It only tells which tests need not be run
 * with a mutant; those that it cannot rule out are judged by the evaluator itself.
 *
 * @param owner a rule id, or `exception:<id>`
 */
export function ruleAnswer(policy: CompiledPolicy, stage: Stage, owner: string, facts: FactSet): RuleAnswer {
  const { asWritten, certain, exceptions } = policy.stages[stage];
  const { context } = runtimeOf(policy);
  const written = asWritten.find(({ name }) => name === owner) ?? exceptions.find(({ name }) => name === owner);
  if (written === undefined) return { matched: false, key: 'gone' };
  const truth = (leaf: EngineLeaf): ReturnType<typeof truthOf> => {
    const { fact, path, operator, value } = leaf;
    const isReference = typeof value === 'object' && value !== null && 'fact' in value && value.fact === LISTS_FACT;
    const operand = isReference && 'path' in value ? context.list(String(value.path)) : value;
    return truthOf(operator, readFact(facts, path === undefined ? fact : `${fact}.${path}`), operand, context);
  };
  const matched = holds(written.conditions, truth);
  const sure = certain.find(({ name }) => name === owner);
  const isCertain = sure === undefined ? matched : holds(sure.conditions, truth);
  const truths = engineLeaves(written.conditions).map((leaf) => truth(leaf));
  return { matched, key: [matched, isCertain, ...truths].join(' ') };
}

function holds(condition: object, truth: (leaf: EngineLeaf) => ReturnType<typeof truthOf>): boolean {
  // As the engine has it, an empty group holds.
  if ('any' in condition && Array.isArray(condition.any)) {
    const items = condition.any as readonly object[];
    return items.length === 0 || items.some((item) => holds(item, truth));
  }
  if ('all' in condition && Array.isArray(condition.all)) {
    return (condition.all as readonly object[]).every((item) => holds(item, truth));
  }
  const leaf = condition as EngineLeaf;
  const { reading } = parseOperatorName(leaf.operator);
  switch (truth(leaf)) {
    case 'true':
      return true;
    case 'false':
      return false;
    case 'unknown':
      return reading === 'closed';
    case 'undecided':
      return reading !== 'open';
  }
}
