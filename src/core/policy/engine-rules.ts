import type { TopLevelCondition } from 'json-rules-engine';
import type { NamedRule } from '../model/compiled-policy.js';
import { splitFactName } from '../facts/read-path.js';
import type { Leaf, NormalCondition } from './condition-tree.js';

/**
 * How a leaf treats values that it cannot decide. `closed`: an unknown fact, and a value that cannot be compared, count as true; `open`:
 * as false. `known`: an unknown fact counts as false, an undecided value as true. This is the closed reading of the available facts, which
 * distinguishes an outage from a hit.
 */
export type Reading = 'closed' | 'open' | 'known';

/** The constant fact that contains the policy's lists: leaves refer to it, so that lists are not cloned in every evaluation. */
export const LISTS_FACT = '$lists';

/** The engine's name of an exception's condition: no rule id has a colon. */
export function exceptionRuleName(id: string): string {
  return `exception:${id}`;
}

/**
 * One json-rules-engine rule as plain JSON. The engine only decides whether it matches; action, severity and other fields are looked up
 * by the rule's name.
 */
export function engineRule(id: string, condition: NormalCondition, reading: Reading): NamedRule {
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

/** Dotted name of the second fact of a leaf that compares two facts; undefined for other leaves. */
export function comparedFact({ value }: Pick<EngineLeaf, 'value'>): string | undefined {
  if (typeof value !== 'object' || value === null || !('fact' in value) || value.fact === LISTS_FACT) return undefined;
  const { fact, path } = value as { readonly fact: string; readonly path?: string };
  return path === undefined ? fact : `${fact}.${path}`;
}

/** Every fact that a leaf reads. */
export function factsOfLeaf(leaf: EngineLeaf): { readonly fact: string; readonly path?: string }[] {
  const other = comparedFact(leaf);
  return other === undefined ? [leaf] : [leaf, engineFact(other)];
}

function engineFact(name: string): { readonly fact: string; readonly path?: string } {
  const { root, path } = splitFactName(name);
  return { fact: root, ...(path.length > 0 && { path: path.join('.') }) };
}

/** The operator's name contains both facts' names, under which the verdict of their comparison is recorded and looked up. */
function comparedNames({ fact, value }: Leaf): string {
  if (typeof value !== 'object' || !('fact' in value)) return '';
  return `${encodeURIComponent(fact)}@${encodeURIComponent(value.fact)}:`;
}

function operandOf(value: Leaf['value']): unknown {
  if (typeof value !== 'object') return value;
  if ('list' in value) return { fact: LISTS_FACT, path: value.list };
  return 'fact' in value ? engineFact(value.fact) : value;
}

function engineLeaf(name: string, leaf: Leaf, reading: Reading): object {
  const absence = leaf.absence === 'unknown' ? '' : `${leaf.absence}:`;
  return {
    name,
    ...engineFact(leaf.fact),
    operator: `${reading}:${absence}${leaf.isToolName ? 'tool:' : ''}${comparedNames(leaf)}${leaf.op}`,
    value: operandOf(leaf.value),
  };
}

/** A leaf of an engine rule: plain data before a run, with the engine's results after it. */
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
