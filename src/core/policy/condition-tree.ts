import { oppositeOf, type FlowStep, type Predicate } from './operators.js';
import type { Span } from './source/node.js';

export type Scalar = string | number | boolean;
/** `{ list }` refers to one of the policy's lists: large lists are shared, not copied into every rule. */
export type LeafValue =
  | Scalar
  | readonly Scalar[]
  | { readonly list: string }
  | FactReference
  | Predicate
  | { readonly from: FlowStep; readonly to: FlowStep };

/** Another fact of the same call, by its dotted name. */
export interface FactReference {
  readonly fact: string;
}

/** How a leaf reads a fact that is not there. */
export type Absence = 'unknown' | 'absent_ok' | 'absent_zero';

/** One condition of one fact, checked. */
export interface Leaf {
  readonly kind: 'leaf';
  readonly fact: string;
  readonly op: string;
  readonly value: LeafValue;
  readonly absence: Absence;
  /** The detector key that produces the fact, when one does. */
  readonly detector?: string;
  /** The ledger plugin that gives the fact, when one does. */
  readonly ledger?: string;
  readonly clientControlled: boolean;
  /** Where the fact is compared with another one: whether the caller decides that one. */
  readonly isComparedWithCallers?: true;
  /** Both sides are compared in the normal form of tool names. */
  readonly isToolName?: true;
  readonly span: Span;
}

/** A checked condition. `name` says which named condition a group came from. */
export type Condition =
  | { readonly kind: 'all' | 'any'; readonly items: readonly Condition[]; readonly name?: string }
  | { readonly kind: 'not'; readonly item: Condition }
  | Leaf;

/** A condition without `not`: negation stands in the operators of the leaves. */
export type NormalCondition =
  { readonly kind: 'all' | 'any'; readonly items: readonly NormalCondition[]; readonly name?: string } | Leaf;

/**
 * Negation normal form. Without `not` the formula is monotone in its leaves, so reading unknown leaves as true gives
 * exactly "could match" and reading them as false "certainly matches". A negated group loses its name: it is no longer
 * the condition that was named.
 */
export function normalForm(condition: Condition, negate = false): NormalCondition {
  switch (condition.kind) {
    case 'leaf':
      return negate ? { ...condition, op: oppositeOf(condition.op) } : condition;
    case 'not':
      return normalForm(condition.item, !negate);
    case 'all':
    case 'any': {
      const items = condition.items.map((item) => normalForm(item, negate));
      if (negate) return { kind: condition.kind === 'all' ? 'any' : 'all', items };
      return { ...condition, items };
    }
  }
}

/** The leaves of a condition, in the order of its text. */
export function leavesOf(condition: NormalCondition): Leaf[] {
  return condition.kind === 'leaf' ? [condition] : condition.items.flatMap(leavesOf);
}
