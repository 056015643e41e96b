/** The result of a condition for a value, and the combination of several results. */

/** True, false, or null: the fact is known, but its value does not allow a decision. */
export type Verdict = boolean | null;

/** Kleene's `or`: true if one result is true, otherwise undecided if one is undecided. */
export function anyOf<T>(items: Iterable<T>, test: (item: T) => Verdict): Verdict {
  let result: Verdict = false;
  for (const item of items) {
    const verdict = test(item);
    if (verdict === true) return true;
    if (verdict === null) result = null;
  }
  return result;
}

/** Kleene's `and`. */
export function allOf<T>(items: Iterable<T>, test: (item: T) => Verdict): Verdict {
  return not(anyOf(items, (item) => not(test(item))));
}

/** Kleene's `not`. */
export function not(verdict: Verdict): Verdict {
  return verdict === null ? null : !verdict;
}
