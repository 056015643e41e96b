import type { FactDefinition, FactValue } from '../../core/model/fact.js';
import type { FlowStep, Predicate } from '../../core/policy/operators.js';
import { comparisonsByField, fieldCandidates, fieldKinds, withField, type FieldComparison } from './field-values.js';
import type { ReadLeaf } from './read-leaves.js';
import type { Candidates } from './scalar-values.js';
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
  // A condition on whether there is a list has no condition on its entries.
  const onEntries = leaves.filter(({ op }) => op === 'some');
  const fields = comparisonsByField(
    onEntries.map(({ value, context }) => ({ predicate: value as Predicate, context })),
  );
  const { elements, sampled } = elementsOf(fields);
  const kinds = representatives(elements, (element) => leaves.map((leaf) => leaf.truth([element])).join(' ')).map(
    ({ item }) => item,
  );
  const pairs = kinds.slice(0, 12).flatMap((a, index) => kinds.slice(index + 1, 12).map((b) => [a, b]));
  const lists = [[], ...kinds.map((kind) => [kind]), ...pairs];
  return { values: lists.map(withIndex), sampled: sampled || distinct(leaves) > 2 };
}

/** The number of different conditions; those that two policies share count once. */
function distinct(leaves: readonly ReadLeaf[]): number {
  return new Set(leaves.map(({ op, value }) => JSON.stringify([op, value]))).size;
}

function withIndex(list: readonly FactValue[]): FactValue {
  return list.map((element, index) => ({ ...(element as object), index }));
}

/** The names that the target calls of `flow` conditions can have. */
export function targetNames(leaves: readonly ReadLeaf[]): Candidates {
  return fieldCandidates('name', namesOf(leaves, 'to'));
}

function namesOf(leaves: readonly ReadLeaf[], end: 'from' | 'to'): readonly FieldComparison[] {
  const steps = leaves.map(({ value, context }) => ({ predicate: stepOf(value, end).where, context }));
  return comparisonsByField(steps).get('name') ?? [];
}

/** One name of each kind that the conditions distinguish in one step. */
function namesOfStep(leaves: readonly ReadLeaf[], end: 'from' | 'to') {
  const { values, sampled } = fieldKinds('name', namesOf(leaves, end));
  return { names: values.filter((value) => typeof value === 'string'), sampled };
}

function stepOf(value: unknown, end: 'from' | 'to'): FlowStep {
  return (value as Record<'from' | 'to', FlowStep>)[end];
}

/** Histories before a call: without steps, or with one step whose name a condition contains, or no condition. */
export function flowCandidates(leaves: readonly ReadLeaf[]): Candidates {
  const kinds = new Set(leaves.map(({ value }) => stepOf(value, 'from').kind));
  const { names, sampled } = namesOfStep(leaves, 'from');
  const steps = [...kinds].flatMap((kind) => names.map((name) => ({ kind, name, index: 0 })));
  return {
    values: [{ events: [] }, ...steps.map((step) => ({ events: [step] }))],
    sampled: sampled || distinct(leaves) > 1,
  };
}

/** Returns the result of a flow condition for the name of a target call, after all possible earlier steps. */
export function flowTarget(leaf: ReadLeaf): (name: FactValue | undefined) => string {
  const { kind } = stepOf(leaf.value, 'from');
  const events = namesOfStep([leaf], 'from').names.map((name, index) => ({ kind, name, index }));
  return (name) => leaf.truth({ events, current: { name: name ?? '' } });
}

/**
 * Returns the results of a flow condition for earlier steps, for each possible target call.
 *
 * @param leaves all flow conditions, which determine the possible target calls
 */
export function flowSource(leaves: readonly ReadLeaf[]): (leaf: ReadLeaf, value: FactValue | undefined) => string {
  const { names } = namesOfStep(leaves, 'to');
  return (leaf, value) => names.map((name) => leaf.truth({ ...(value as object), current: { name } })).join();
}

/** Every combination of the fields' values, up to `MAX_ELEMENTS`, and calls with unreadable arguments. */
function elementsOf(fields: ReadonlyMap<string, readonly FieldComparison[]>): {
  readonly elements: readonly FactValue[];
  readonly sampled: boolean;
} {
  let elements: Record<string, FactValue>[] = [{ name: 'other', args: {} }];
  // Places in the list are not varied: each list begins at place 0.
  let sampled = fields.has('index');
  for (const [field, comparisons] of fields) {
    if (field === 'index') continue;
    const found = fieldKinds(field, comparisons);
    sampled ||= found.sampled || elements.length * found.values.length > MAX_ELEMENTS;
    elements = elements
      .flatMap((element) => found.values.map((value) => withField(element, field, value)))
      .slice(0, MAX_ELEMENTS);
  }
  const names = [...new Set(elements.map((element) => element['name']!))];
  return { elements: [...elements, ...names.map((name) => ({ name, args: null }))], sampled };
}
