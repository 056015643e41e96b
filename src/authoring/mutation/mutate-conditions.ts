import { parseOperatorName } from '../../core/decision/policy-runtime.js';
import { exceptionRuleName, type EngineLeaf } from '../../core/policy/engine-rules.js';
import { STAGES, type Stage } from '../../core/model/fact.js';
import { findFact } from '../../core/facts/registry.js';
import type { CompiledPolicy } from '../../core/model/compiled-policy.js';
import { oppositeOf } from '../../core/policy/operators.js';
import { renderLeaf } from '../render/render-condition.js';
import { editAt, editCondition, type ConditionEdit, type EngineCondition } from './edit-policy.js';
import type { Mutation } from './mutation.js';
import { mistakesInside } from './mutate-predicates.js';
import { otherOperands, STRICTNESS } from './other-operands.js';

/** Mutants of the condition of a rule or of `exception:<id>`: of every leaf and group, also inside `some`, `none` and `flow`. */
export function conditionMutants(owner: string, stages: readonly Stage[], policy: CompiledPolicy): Mutation[] {
  const engine = STAGES.flatMap((stage) => [...policy.stages[stage].asWritten, ...policy.stages[stage].exceptions]);
  const rule = engine.find(({ name }) => name === owner);
  if (rule === undefined) return [];
  const mutation = (leaf: EngineLeaf, text: string, path: readonly number[], edit: ConditionEdit): Mutation => ({
    text,
    at: policy.sources.leaves[leaf.name]!.at,
    leaf: owner.startsWith(exceptionRuleName('')) ? 'exceptions[].when' : 'rules[].when',
    owners: [owner],
    stages,
    apply: (base) => editCondition(base, owner, editAt(path, edit)),
  });
  return walk(rule.conditions, [], mutation, policy, undefined);
}

type Make = (leaf: EngineLeaf, text: string, path: readonly number[], edit: ConditionEdit) => Mutation;

interface Parent {
  readonly kind: 'all' | 'any';
  readonly size: number;
}

function walk(
  node: EngineCondition,
  path: readonly number[],
  make: Make,
  policy: CompiledPolicy,
  parent: Parent | undefined,
): Mutation[] {
  if ('fact' in node) return leafMutants(node as unknown as EngineLeaf, path, make, policy, parent);
  const kind = 'all' in node ? 'all' : 'any';
  const items = node[kind] as readonly EngineCondition[];
  const inner = items.flatMap((item, index) =>
    walk(item, [...path, index], make, policy, { kind, size: items.length }),
  );
  const first = firstLeaf(node);
  if (items.length < 2 || first === undefined) return inner;
  const other = kind === 'all' ? 'any' : 'all';
  const swapped = make(first, `${kind} becomes ${other}`, path, ({ [kind]: group, ...rest }) => ({
    ...rest,
    [other]: group,
  }));
  return [swapped, ...inner];
}

function firstLeaf(node: EngineCondition): EngineLeaf | undefined {
  if ('fact' in node) return node as unknown as EngineLeaf;
  const items = (node['all'] ?? node['any']) as readonly EngineCondition[];
  return items.map(firstLeaf).find((leaf) => leaf !== undefined);
}

function leafMutants(
  leaf: EngineLeaf,
  path: readonly number[],
  make: Make,
  policy: CompiledPolicy,
  parent: Parent | undefined,
): Mutation[] {
  const text = renderLeaf(leaf);
  const mutants: Mutation[] = [];
  const { op } = parseOperatorName(leaf.operator);
  const withOperator = (name: string): ConditionEdit => {
    return (node) => ({ ...node, operator: String(node['operator']).replace(/[^:]+$/, name) });
  };
  // Dropping the only member of an `any` would leave it empty, which the engine evaluates as true: the result would not be a smaller
  // condition.
  if (parent === undefined || parent.kind === 'all' || parent.size > 1) {
    mutants.push(make(leaf, `drop condition ${text}`, path, () => (parent?.size === 1 ? { all: [] } : undefined)));
  }
  mutants.push(make(leaf, `negate ${text}`, path, withOperator(oppositeOf(op))));
  const strict = STRICTNESS[op];
  if (strict !== undefined) mutants.push(make(leaf, `${op} becomes ${strict} in ${text}`, path, withOperator(strict)));
  const fact = findFact(policy.facts, leaf.path === undefined ? leaf.fact : `${leaf.fact}.${leaf.path}`);
  for (const [change, value] of [...otherOperands(leaf.value, fact), ...mistakesInside(op, leaf.value)]) {
    mutants.push(make(leaf, `${change} in ${text}`, path, (node) => ({ ...node, value })));
  }
  return mutants;
}
