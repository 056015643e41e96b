import type { JsonValue } from '../../core/model/call.js';
import type { CompiledPolicy } from '../../core/model/compiled-policy.js';
import type { ComparedBy } from './leaf-class.js';
import { classOf } from './leaf-classes.js';
import { leafValues, type LeafValue, type LeafOwner } from './leaf-values.js';
import type { Effect } from './order.js';
import { shownChange } from './show-value.js';

/** One leaf that differs between two policies. */
export interface LeafChange {
  readonly leaf: string;
  readonly what: LeafOwner;
  readonly id: string;
  readonly field: string;
  readonly before: JsonValue | undefined;
  readonly after: JsonValue | undefined;
  readonly effect: Effect;
  readonly comparedBy: ComparedBy;
  readonly why: string;
  /** The field and both values, for people. */
  readonly text: string;
}

/**
 * The changed leaves of settings, and of budgets, prices and detectors that both policies have. Leaves of budgets, prices and detectors
 * that only one policy has are not returned. Rules, exceptions and lists are compared as a whole elsewhere.
 */
export function leafChanges(base: CompiledPolicy, next: CompiledPolicy): LeafChange[] {
  const [old, now] = [byName(leafValues(base)), byName(leafValues(next))];
  const [had, has] = [thingsIn(base), thingsIn(next)];
  return [...new Set([...old.keys(), ...now.keys()])].flatMap((name) => {
    const [was, is] = [old.get(name), now.get(name)];
    const { leaf, what, id, field } = (is ?? was)!;
    if (what !== 'setting' && !(had.has(`${what} ${id}`) && has.has(`${what} ${id}`))) return [];
    const [before, after] = [was?.value, is?.value];
    if (JSON.stringify(before) === JSON.stringify(after)) return [];
    const { order, comparedBy, why } = classOf(leaf);
    const effect = order.compare(before, after);
    const isPart = leaf.includes('(') && (before === undefined || after === undefined);
    // The neutral leaves of an added or removed pattern are not reported separately.
    if (isPart && effect === 'neutral') return [];
    const shown = shownChange(leaf, before, after);
    if (shown === '') return [];
    const text = field === '' ? shown : `${field} ${shown}`;
    return [{ leaf, what, id, field, before, after, effect, comparedBy, why, text }];
  });
}

function byName(values: readonly LeafValue[]): Map<string, LeafValue> {
  return new Map(values.map((one) => [`${one.what} ${one.id} ${one.field}`, one]));
}

function thingsIn({ prices = {}, budgets, detectors, structures }: CompiledPolicy): ReadonlySet<string> {
  return new Set([
    ...Object.keys(prices).map((model) => `price ${model}`),
    ...budgets.map(({ id }) => `budget ${id}`),
    ...[...detectors, ...structures].map(({ key }) => `detector ${key}`),
  ]);
}
