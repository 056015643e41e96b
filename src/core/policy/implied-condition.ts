import { operatorNamed, oppositeOf, type FlowStep, type Predicate } from './operators.js';

/** A condition without `not`: one of a rule, or one over an element of a list. */
export type Formula =
  { readonly kind: 'all' | 'any'; readonly items: readonly Formula[] } | ({ readonly kind: 'leaf' } & Test);

interface Test {
  readonly fact: string;
  readonly op: string;
  readonly value: unknown;
}

interface ImplicationContext {
  readonly lists: ReadonlyMap<string, readonly (string | number)[]>;
  /** The work left for all comparisons of a policy together: one step per comparison of conditions, and one per entry of a list. */
  readonly effort: { steps: number };
}

/**
 * Whether `wide` matches every call that `narrow` matches, with unknown facts read in either way. It compares the conditions part by
 * part: true is certain; false means that it was not shown, or that no steps were left.
 */
export function implies(narrow: Formula, wide: Formula, context: ImplicationContext): boolean {
  if (context.effort.steps <= 0) return false;
  context.effort.steps -= 1;
  if (wide.kind === 'all') return wide.items.every((item) => implies(narrow, item, context));
  if (narrow.kind === 'any') return narrow.items.every((item) => implies(item, wide, context));
  if (narrow.kind === 'all' && narrow.items.some((item) => implies(item, wide, context))) return true;
  if (wide.kind !== 'leaf') return wide.items.some((item) => implies(narrow, item, context));
  return narrow.kind === 'leaf' && leafImplies(narrow, wide, context);
}

function leafImplies(narrow: Test, wide: Test, context: ImplicationContext): boolean {
  const [first, second] = [operatorNamed(narrow.op), operatorNamed(wide.op)];
  if (narrow.fact !== wide.fact || first === undefined || second === undefined) return false;
  if (first.negated !== second.negated) return false;
  const ofNarrow = { op: first.positive, value: narrow.value };
  const ofWide = { op: second.positive, value: wide.value };
  // Of two negated conditions, the one that excludes less is the wider one.
  return first.negated ? holdsFor(ofWide, ofNarrow, context) : holdsFor(ofNarrow, ofWide, context);
}

type Comparison = Omit<Test, 'fact'>;

/** Operators that compare with one value, and the operators that compare with several in the same way. */
const OF_SEVERAL: Readonly<Record<string, string>> = { eq: 'in', tool_is: 'tool_any_of' };
/** Operators that match more values with more entries. */
const GROWS = new Set(['in', 'any_of', 'tool_any_of', 'email_domain_in', 'url_host_in']);
const LOWER_BOUNDS = new Set(['gt', 'gte']);
const UPPER_BOUNDS = new Set(['lt', 'lte']);

/** Whether, for every value of a fact, `wide` is at least as true as `narrow` (false, then undecided, then true). */
function holdsFor(narrow: Comparison, wide: Comparison, context: ImplicationContext): boolean {
  const [op, other] = [OF_SEVERAL[narrow.op] ?? narrow.op, OF_SEVERAL[wide.op] ?? wide.op];
  if (op === other && GROWS.has(op)) return contains(wide.value, narrow.value, context);
  if (op === other && op === 'all_of') return contains(narrow.value, wide.value, context);
  if (typeof narrow.value === 'number' && typeof wide.value === 'number') {
    const isSharper = op === other || op === 'gt' || op === 'lt';
    if (LOWER_BOUNDS.has(op) && LOWER_BOUNDS.has(other)) {
      return narrow.value > wide.value || (narrow.value === wide.value && isSharper);
    }
    if (UPPER_BOUNDS.has(op) && UPPER_BOUNDS.has(other)) {
      return narrow.value < wide.value || (narrow.value === wide.value && isSharper);
    }
  }
  if (op !== other) return false;
  if (op === 'some') return implies(formulaOf(narrow.value), formulaOf(wide.value), context);
  if (op === 'flow') {
    const [before, after] = [narrow.value as FlowSteps, wide.value as FlowSteps];
    return stepImplies(before.from, after.from, context) && stepImplies(before.to, after.to, context);
  }
  return JSON.stringify(narrow.value) === JSON.stringify(wide.value);
}

interface FlowSteps {
  readonly from: FlowStep;
  readonly to: FlowStep;
}

function stepImplies(narrow: FlowStep, wide: FlowStep, context: ImplicationContext): boolean {
  return narrow.kind === wide.kind && implies(formulaOf(narrow.where), formulaOf(wide.where), context);
}

/** Whether a list, or a single value, contains all entries of another. */
function contains(outer: unknown, inner: unknown, context: ImplicationContext): boolean {
  const [all, some] = [entriesOf(outer, context), entriesOf(inner, context)];
  if (all === undefined || some === undefined) return JSON.stringify(outer) === JSON.stringify(inner);
  context.effort.steps -= all.length + some.length;
  if (context.effort.steps <= 0) return false;
  const known = new Set(all);
  return some.every((entry) => known.has(entry));
}

/** The values with which an operator compares; undefined for a reference to another fact. */
function entriesOf(value: unknown, { lists }: ImplicationContext): readonly unknown[] | undefined {
  if (typeof value !== 'object' || value === null) return [value];
  if (Array.isArray(value)) return value as readonly unknown[];
  return 'list' in value && typeof value.list === 'string' ? lists.get(value.list) : undefined;
}

/** A condition over one element of a list, in negation normal form. */
function formulaOf(predicate: unknown, negate = false): Formula {
  const written = predicate as Predicate;
  if ('not' in written) return formulaOf(written.not, !negate);
  if ('field' in written) {
    return {
      kind: 'leaf',
      fact: written.field,
      op: negate ? oppositeOf(written.op) : written.op,
      value: written.value,
    };
  }
  const isAll = 'all' in written;
  const items = (isAll ? written.all : written.any).map((item) => formulaOf(item, negate));
  return { kind: isAll === negate ? 'any' : 'all', items };
}
