import type { FactDefinition, FactValue } from '../../core/model/fact.js';
import type { FlowStep, Predicate } from '../../core/policy/operators.js';
import type { ReadLeaf } from './read-leaves.js';
import { positiveName } from './read-leaves.js';
import { scalarCandidates, type Candidates, type Comparison } from './scalar-values.js';
import { representatives, subsetsOf } from './subsets.js';

const MAX_ELEMENTS = 200;

/**
 * Values of a fact that is a set of texts: combinations of entries, one entry of each kind that conditions distinguish. One of them is an
 * entry that no condition contains.
 */
export function setCandidates(definition: FactDefinition, leaves: readonly ReadLeaf[]): Candidates {
  const named = leaves.flatMap(({ value }) => entriesOf(value).filter((entry) => typeof entry === 'string'));
  const entries = definition.values ?? [...new Set([...named, named.includes('other') ? 'other-2' : 'other'])];
  const kinds = representatives(entries, (entry) =>
    JSON.stringify(
      leaves.map(({ op, value }) => {
        const isNamed = entriesOf(value).includes(entry);
        return isNamed && op === 'all_of' ? entry : isNamed;
      }),
    ),
  );
  const { sets, sampled } = subsetsOf(kinds.map(({ item }) => item));
  return { values: [...(definition.optional ? [undefined] : []), ...sets], sampled };
}

function entriesOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as readonly unknown[]) : [value];
}

/**
 * Lists of tool calls or results: the empty list, lists of one entry (one list for each kind of entry that conditions distinguish), and
 * pairs of such entries.
 */
export function callListCandidates(leaves: readonly ReadLeaf[]): Candidates {
  const fields = new Map<string, Comparison[]>();
  for (const { value } of leaves) collectFields(value as Predicate, fields);
  const { elements, sampled } = elementsOf(fields);
  const kinds = representatives(elements, (element) => leaves.map((leaf) => leaf.truth([element])).join(' ')).map(
    ({ item }) => item,
  );
  const pairs = kinds.slice(0, 12).flatMap((a, index) => kinds.slice(index + 1, 12).map((b) => [a, b]));
  const lists = [[], ...kinds.map((kind) => [kind]), ...pairs];
  return { values: lists.map(withIndex), sampled: sampled || leaves.length > 2 };
}

function withIndex(list: readonly FactValue[]): FactValue {
  return list.map((element, index) => ({ ...(element as object), index }));
}

/** The names that one step of a `flow` condition can have. */
export function stepNames(leaves: readonly ReadLeaf[], end: 'from' | 'to'): string[] {
  const fields = new Map<string, Comparison[]>();
  for (const { value } of leaves) collectFields((value as Record<'from' | 'to', FlowStep>)[end].where, fields);
  const { values } = scalarCandidates({ type: 'string', optional: false }, fields.get('name') ?? []);
  return values.filter((value) => typeof value === 'string');
}

/** Histories before a call: without steps, or with one step whose name a condition contains, or no condition. */
export function flowCandidates(leaves: readonly ReadLeaf[]): Candidates {
  const kinds = new Set(leaves.map(({ value }) => (value as { from: FlowStep }).from.kind));
  const steps = [...kinds].flatMap((kind) => stepNames(leaves, 'from').map((name) => ({ kind, name, index: 0 })));
  return { values: [{ events: [] }, ...steps.map((step) => ({ events: [step] }))], sampled: leaves.length > 1 };
}

/** Collects the comparisons of a condition on one element, by field. */
function collectFields(predicate: Predicate, into: Map<string, Comparison[]>): void {
  if ('all' in predicate) predicate.all.forEach((part) => collectFields(part, into));
  else if ('any' in predicate) predicate.any.forEach((part) => collectFields(part, into));
  else if ('not' in predicate) collectFields(predicate.not, into);
  else {
    const comparisons = into.get(predicate.field) ?? [];
    into.set(predicate.field, [...comparisons, { op: positiveName(predicate.op), value: predicate.value }]);
  }
}

/** Every combination of the fields' values, up to `MAX_ELEMENTS`, and calls with unreadable arguments. */
function elementsOf(fields: ReadonlyMap<string, readonly Comparison[]>): {
  readonly elements: readonly FactValue[];
  readonly sampled: boolean;
} {
  let elements: Record<string, FactValue>[] = [{ name: 'other', args: {} }];
  let sampled = false;
  for (const [field, comparisons] of fields) {
    if (field === 'index') continue;
    const isArgument = field.startsWith('args.');
    const found = scalarCandidates({ type: isArgument ? 'any' : 'string', optional: isArgument }, comparisons);
    sampled ||= found.sampled || elements.length * found.values.length > MAX_ELEMENTS;
    elements = elements
      .flatMap((element) => found.values.map((value) => withField(element, field.split('.'), value)))
      .slice(0, MAX_ELEMENTS);
  }
  const names = [...new Set(elements.map((element) => element['name']!))];
  return { elements: [...elements, ...names.map((name) => ({ name, args: null }))], sampled };
}

function withField(
  element: Record<string, FactValue>,
  [field = '', ...path]: readonly string[],
  value: FactValue | undefined,
): Record<string, FactValue> {
  if (path.length > 0) {
    const below = element[field];
    const inner =
      typeof below === 'object' && below !== null && !Array.isArray(below) ? (below as Record<string, FactValue>) : {};
    return { ...element, [field]: withField(inner, path, value) };
  }
  return value === undefined ? element : { ...element, [field]: value };
}
