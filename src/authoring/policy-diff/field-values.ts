import type { FactValue } from '../../core/model/fact.js';
import { testPredicate, type OperatorContext, type Predicate } from '../../core/policy/operators.js';
import type { Verdict } from '../../core/policy/verdict.js';
import { positiveName } from './read-leaves.js';
import { scalarCandidates, type Candidates, type Comparison } from './scalar-values.js';
import { representatives } from './subsets.js';

/** A comparison of one field of an element of a list. */
export interface FieldComparison extends Comparison {
  test(element: FactValue): Verdict;
}

interface ElementCondition {
  readonly predicate: Predicate;
  readonly context: OperatorContext;
}

/** The maximum number of entries of one list from which values are made; more entries would take seconds per rule. */
const MAX_ENTRIES = 500;

/** The distinct comparisons of conditions on one element, by field. Lists must have been replaced by their entries. */
export function comparisonsByField(
  conditions: readonly ElementCondition[],
): ReadonlyMap<string, readonly FieldComparison[]> {
  const fields = new Map<string, Map<string, FieldComparison>>();
  for (const { predicate, context } of conditions) collect(predicate, context, fields);
  return new Map([...fields].map(([field, comparisons]) => [field, [...comparisons.values()]]));
}

function collect(
  predicate: Predicate,
  context: OperatorContext,
  into: Map<string, Map<string, FieldComparison>>,
): void {
  if ('all' in predicate) predicate.all.forEach((part) => collect(part, context, into));
  else if ('any' in predicate) predicate.any.forEach((part) => collect(part, context, into));
  else if ('not' in predicate) collect(predicate.not, context, into);
  else {
    const { field, value } = predicate;
    const op = positiveName(predicate.op);
    const known = into.get(field) ?? new Map<string, FieldComparison>();
    known.set(JSON.stringify([op, value]), {
      op,
      value,
      test: (element) => testPredicate({ field, op, value }, element, context),
    });
    into.set(field, known);
  }
}

/** Values of a field of an element. Undefined: the element has no such field. */
export function fieldCandidates(field: string, comparisons: readonly FieldComparison[]): Candidates {
  const isArgument = field.startsWith('args.');
  const short = shortened(comparisons);
  const found = scalarCandidates({ type: isArgument ? 'any' : 'string', optional: isArgument }, short.comparisons);
  return { values: found.values, sampled: found.sampled || short.sampled };
}

/** Like `fieldCandidates`, but only one value of each kind that the comparisons distinguish. */
export function fieldKinds(field: string, comparisons: readonly FieldComparison[]): Candidates {
  const { values, sampled } = fieldCandidates(field, comparisons);
  const kinds = representatives(values, (value) => {
    const element = withField({ name: 'other', args: {} }, field, value);
    return JSON.stringify(comparisons.map(({ test }) => test(element)));
  });
  return { values: kinds.map(({ item }) => item), sampled };
}

/** Long lists with only some entries: first those that few comparisons have, in which two versions of a list differ. */
function shortened(comparisons: readonly FieldComparison[]): {
  readonly comparisons: readonly Comparison[];
  readonly sampled: boolean;
} {
  const lists = comparisons.map(({ value }) => (Array.isArray(value) ? (value as readonly unknown[]) : []));
  if (lists.every(({ length }) => length <= MAX_ENTRIES)) return { comparisons, sampled: false };
  const counts = new Map<unknown, number>();
  for (const entry of lists.flat()) counts.set(entry, (counts.get(entry) ?? 0) + 1);
  const rarity = (entry: unknown): number => counts.get(entry) ?? 0;
  const few = comparisons.map(({ op, value }): Comparison => {
    if (!Array.isArray(value)) return { op, value };
    return { op, value: (value as unknown[]).toSorted((a, b) => rarity(a) - rarity(b)).slice(0, MAX_ENTRIES) };
  });
  return { comparisons: few, sampled: true };
}

/** A copy of an element with another value of a field, such as `args.to`. */
export function withField(
  element: Readonly<Record<string, FactValue>>,
  field: string,
  value: FactValue | undefined,
): Record<string, FactValue> {
  return withPath(element, field.split('.'), value);
}

function withPath(
  element: Readonly<Record<string, FactValue>>,
  [field = '', ...path]: readonly string[],
  value: FactValue | undefined,
): Record<string, FactValue> {
  if (path.length > 0) {
    const below = element[field];
    const inner =
      typeof below === 'object' && below !== null && !Array.isArray(below) ? (below as Record<string, FactValue>) : {};
    return { ...element, [field]: withPath(inner, path, value) };
  }
  return value === undefined ? { ...element } : { ...element, [field]: value };
}
