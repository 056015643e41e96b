import type { Stage } from '../../core/model/fact.js';
import { Unknown, type FactValue } from '../../core/model/fact.js';
import { comparedFact } from '../../core/policy/engine-rules.js';
import type { CompiledPolicy } from '../../core/model/compiled-policy.js';

/** One condition of a compiled rule, in the format of the engine. */
export interface Leaf {
  /** `<rule>#<number>`, the key under a decision's `leaves`. */
  readonly name: string;
  /** Dotted name of the fact. */
  readonly fact: string;
  readonly operator: string;
  readonly value: unknown;
}

/** Every leaf of one stage's rules, exceptions included. */
export function leavesOf(policy: CompiledPolicy, stage: Stage): Leaf[] {
  const leaves: Leaf[] = [];
  const { asWritten, exceptions } = policy.stages[stage];
  for (const rule of [...asWritten, ...exceptions]) collect(rule.conditions, leaves);
  return leaves;
}

function collect(node: unknown, into: Leaf[]): void {
  if (Array.isArray(node)) {
    for (const item of node) collect(item, into);
    return;
  }
  if (typeof node !== 'object' || node === null) return;
  if ('fact' in node && typeof node.fact === 'string') {
    const { fact } = node;
    const path = 'path' in node && typeof node.path === 'string' ? node.path : '';
    into.push({
      name: 'name' in node ? String(node.name) : '',
      fact: path === '' ? fact : `${fact}.${path}`,
      operator: 'operator' in node ? String(node.operator).replace(/^.*:/, '') : '',
      value: 'value' in node ? node.value : undefined,
    });
    return;
  }
  for (const group of ['all', 'any', 'not'] as const) {
    if (group in node) collect((node as Record<string, unknown>)[group], into);
  }
}

/** Every fact that a leaf reads. */
export function factsOf({ fact, value }: Leaf): string[] {
  const compared = comparedFact({ value });
  return compared === undefined ? [fact] : [fact, compared];
}

/** Writes a condition in words: `pii.types any_of ["EMAIL"]`. */
export function describeLeaf({ fact, operator, value }: Leaf): string {
  const list =
    typeof value === 'object' && value !== null && 'fact' in value && value.fact === '$lists' && 'path' in value
      ? `$lists.${String(value.path)}`
      : (comparedFact({ value }) ?? JSON.stringify(value));
  return `${fact} ${operator} ${list}`;
}

/** Writes the value that a leaf read in words; if the leaf compares two facts, both values, the second one with its fact's name. */
export function describeValues(leaf: Leaf, valueOf: (fact: string) => FactValue | undefined): string {
  const [own = '', ...others] = factsOf(leaf);
  return [describeFact(valueOf(own)), ...others.map((name) => `${name} = ${describeFact(valueOf(name))}`)].join('; ');
}

/** Writes a fact's value in words; for an unknown value, writes the reason. */
function describeFact(value: FactValue | undefined): string {
  if (value === undefined) return 'absent';
  return value instanceof Unknown ? `unknown (${value.source}: ${value.reason})` : JSON.stringify(value);
}
