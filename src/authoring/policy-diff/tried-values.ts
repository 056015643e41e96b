import type { FactValue } from '../../core/model/fact.js';
import type { ReadLeaf } from './read-leaves.js';

type Value = FactValue | undefined;

/** The maximum number of condition evaluations for finding out which values the conditions distinguish; they take some seconds. */
const MOST_ANSWERS = 4_000_000;
/** The minimum number of values that are tried, independent of the number of conditions. */
const FEWEST_VALUES = 100;

/**
 * Limits the values of a fact that are tried, since each value is evaluated with every condition on the fact. Above the limit: first
 * values of conditions that differ between the policies, then an even sample of the rest.
 *
 * @param values all values that the conditions could distinguish
 * @param asking the conditions that are evaluated for each value
 * @param leaves the conditions of each policy
 * @param valuesOf returns the values that given conditions could distinguish
 */
export function triedValues(
  values: readonly Value[],
  asking: readonly ReadLeaf[],
  leaves: readonly (readonly ReadLeaf[])[],
  valuesOf: (leaves: readonly ReadLeaf[]) => readonly Value[],
): { readonly values: readonly Value[]; readonly sampled: boolean } {
  const most = Math.max(FEWEST_VALUES, Math.floor(MOST_ANSWERS / Math.max(1, asking.length)));
  if (values.length <= most) return { values, sampled: false };
  const ofSome = valuesOf(ofSomePolicies(leaves)).slice(0, most);
  const step = Math.ceil(values.length / Math.max(1, most - ofSome.length));
  const spread = values.filter((_, index) => index % step === 0);
  return { values: [...new Set([...ofSome, ...spread])], sampled: true };
}

/** The conditions that differ between the policies. */
function ofSomePolicies(leaves: readonly (readonly ReadLeaf[])[]): ReadLeaf[] {
  const key = ({ owner, op, value, compared }: ReadLeaf): string => JSON.stringify([owner, op, value, compared]);
  const keyed = leaves.map((own) => own.map((leaf) => ({ leaf, key: key(leaf) })));
  const known = keyed.map((own) => new Set(own.map((each) => each.key)));
  return keyed.flatMap((own) =>
    own.filter((each) => !known.every((keys) => keys.has(each.key))).map(({ leaf }) => leaf),
  );
}
