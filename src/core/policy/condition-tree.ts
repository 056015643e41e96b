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

/** How a leaf reads a fact that has no value. */
export type Absence = 'unknown' | 'absent_ok' | 'absent_zero';

/** One condition of one fact, checked. */
export interface Leaf {
  readonly kind: 'leaf';
  readonly fact: string;
  readonly op: string;
  readonly value: LeafValue;
  readonly absence: Absence;
  /** Key of the detector that produces the fact, if a detector does. */
  readonly detector?: string;
  /** The ledger plugin that derives the fact, if one does. */
  readonly ledger?: string;
  readonly clientControlled: boolean;
  /** For a comparison of two facts: the caller controls the other fact. */
  readonly isComparedWithCallers?: true;
  /** Both sides are compared in the normal form of tool names. */
  readonly isToolName?: true;
  readonly span: Span;
}

/** A checked condition. `name` is the named condition from which a group was inlined. */
export type Condition =
  | { readonly kind: 'all' | 'any'; readonly items: readonly Condition[]; readonly name?: string }
  | { readonly kind: 'not'; readonly item: Condition }
  | Leaf;

/** A condition without `not`: negation is expressed by the operators of the leaves. */
export type NormalCondition =
  { readonly kind: 'all' | 'any'; readonly items: readonly NormalCondition[]; readonly name?: string } | Leaf;

/**
 * Negation normal form. Without `not` the formula is monotone in its leaves: reading unknown leaves as true yields exactly "could
 * match", and reading them as false yields "certainly matches". A negated group loses its name, since it no longer means the named
 * condition.
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
