import { parseOperatorName } from '../../core/decision/policy-runtime.js';
import type { EngineLeaf } from '../../core/policy/engine-rules.js';
import { STAGES, type Stage } from '../../core/model/fact.js';
import { findFact } from '../../core/facts/registry.js';
import type { CompiledPolicy } from '../../core/model/compiled-policy.js';
import { oppositeOf } from '../../core/policy/operators.js';
import { renderLeaf } from '../render/render-condition.js';
import { editAt, editCondition, type ConditionEdit, type EngineCondition } from './edit-policy.js';
import type { Mutation } from './mutation.js';

/** Replaces inclusive limits by strict limits and the other way round, including negated limits. */
const STRICTNESS: Readonly<Record<string, string>> = {
  gt: 'gte',
  gte: 'gt',
  lt: 'lte',
  lte: 'lt',
  not_gt: 'not_gte',
  not_gte: 'not_gt',
  not_lt: 'not_lte',
  not_lte: 'not_lt',
};

/** Mutants of the condition of a rule or of `exception:<id>`: of every leaf and group. */
export function conditionMutants(owner: string, stages: readonly Stage[], policy: CompiledPolicy): Mutation[] {
  const engine = STAGES.flatMap((stage) => [...policy.stages[stage].asWritten, ...policy.stages[stage].exceptions]);
  const rule = engine.find(({ name }) => name === owner);
  if (rule === undefined) return [];
  const mutation = (leaf: EngineLeaf, text: string, path: readonly number[], edit: ConditionEdit): Mutation => ({
    text,
    at: policy.sources.leaves[leaf.name]!.at,
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
  for (const [change, value] of otherValues(leaf, policy)) {
    mutants.push(make(leaf, `${change} in ${text}`, path, (node) => ({ ...node, value })));
  }
  return mutants;
}

/** Other operands: a number one step lower and higher, or a list without one entry. */
function otherValues(leaf: EngineLeaf, policy: CompiledPolicy): [string, unknown][] {
  const { value, fact, path } = leaf;
  if (typeof value === 'number') {
    const type = findFact(policy.facts, path === undefined ? fact : `${fact}.${path}`);
    const isWhole = type?.type === 'integer' || (Number.isInteger(value) && Math.abs(value) > 1);
    const step = isWhole ? 1 : 0.01;
    const { min = -Infinity, max = Infinity } = type?.range ?? {};
    return [value - step, value + step]
      .map((number) => Number(number.toPrecision(12)))
      .filter((number) => number >= min && number <= max)
      .map((number) => [`${value} becomes ${number}`, number]);
  }
  if (!Array.isArray(value) || value.length < 2) return [];
  const entries = value as readonly unknown[];
  return entries.map((entry) => [`drop ${String(entry)}`, entries.filter((other) => other !== entry)]);
}
