import type { RuleProperties, TopLevelCondition } from 'json-rules-engine';
import { splitFactName } from '../facts/read-path.js';
import type { Leaf, NormalCondition } from './condition-tree.js';

/**
 * How a leaf reads what it cannot decide. `closed`: an unknown fact, and a value of a shape that cannot be compared, count
 * as true; `open`: as false. `known`: an unknown fact counts as false, an undecided value as true: the closed reading
 * of what is there, which tells an outage from a hit.
 */
export type Reading = 'closed' | 'open' | 'known';

/** The name of the constant fact that holds the policy's lists, so that they are not cloned into every evaluation. */
export const LISTS_FACT = '$lists';

/** The engine's name of an exception's condition: no rule id has a colon. */
export function exceptionRuleName(id: string): string {
  return `exception:${id}`;
}

/** One json-rules-engine rule as plain JSON. The engine decides whether it matches; all else is looked up by its name. */
export function engineRule(id: string, condition: NormalCondition, reading: Reading): RuleProperties {
  const counter = { leaf: 0 };
  const conditions = engineCondition(id, condition, reading, counter);
  const isGroup = 'all' in conditions || 'any' in conditions;
  return {
    name: id,
    priority: 1,
    conditions: (isGroup ? conditions : { all: [conditions] }) as TopLevelCondition,
    event: { type: 'matched', params: { id } },
  };
}

function engineCondition(id: string, condition: NormalCondition, reading: Reading, counter: { leaf: number }): object {
  if (condition.kind === 'leaf') {
    counter.leaf += 1;
    return engineLeaf(`${id}#${counter.leaf}`, condition, reading);
  }
  const items = condition.items.map((item) => engineCondition(id, item, reading, counter));
  return { [condition.kind]: items, ...(condition.name && { name: condition.name }) };
}

function engineLeaf(name: string, leaf: Leaf, reading: Reading): object {
  const { root, path } = splitFactName(leaf.fact);
  const absence = leaf.absence === 'unknown' ? '' : `${leaf.absence}:`;
  const isReference = typeof leaf.value === 'object' && 'list' in leaf.value;
  return {
    name,
    fact: root,
    ...(path.length > 0 && { path: path.join('.') }),
    operator: `${reading}:${absence}${leaf.isToolName ? 'tool:' : ''}${leaf.op}`,
    value: isReference ? { fact: LISTS_FACT, path: leaf.value.list } : leaf.value,
  };
}

/** A leaf of an engine rule: plain data before a run, with what the engine found after it. */
export interface EngineLeaf {
  readonly name: string;
  readonly fact: string;
  readonly path?: string;
  readonly operator: string;
  readonly value: unknown;
  readonly result?: unknown;
  readonly factResult?: unknown;
  readonly valueResult?: unknown;
}

/** The leaves below a condition of an engine rule, before or after a run. */
export function engineLeaves(condition: object): EngineLeaf[] {
  if ('any' in condition && Array.isArray(condition.any)) return condition.any.flatMap(engineLeaves);
  if ('all' in condition && Array.isArray(condition.all)) return condition.all.flatMap(engineLeaves);
  return [condition as EngineLeaf];
}
