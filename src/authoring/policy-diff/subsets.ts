/** The maximum number of kinds whose subsets are enumerated: 6 kinds have 64 subsets. */
const MAX_KINDS = 6;

/**
 * All subsets, smallest first. If there are more than `MAX_KINDS` kinds: the empty and the full set, the sets of one or two kinds, and the
 * sets of all kinds but one.
 */
export function subsetsOf<T>(kinds: readonly T[]): {
  readonly sets: readonly (readonly T[])[];
  readonly sampled: boolean;
} {
  if (kinds.length > MAX_KINDS) {
    const singles = kinds.map((kind) => [kind]);
    const pairs = kinds.slice(0, 24).flatMap((a, index) => kinds.slice(index + 1, 24).map((b) => [a, b]));
    const allButOne = kinds.map((gone) => kinds.filter((kind) => kind !== gone));
    return { sets: [[], ...singles, ...pairs, ...allButOne, kinds], sampled: true };
  }
  const sets: T[][] = [];
  for (let bits = 0; bits < 2 ** kinds.length; bits++)
    sets.push(kinds.filter((_, index) => (bits & (1 << index)) !== 0));
  return { sets: sets.sort((a, b) => a.length - b.length), sampled: false };
}

/** Groups items with equal keys; the first of a group represents it. */
export function representatives<T>(
  items: readonly T[],
  key: (item: T) => string,
): { readonly item: T; readonly alike: readonly T[] }[] {
  const groups = new Map<string, { item: T; alike: T[] }>();
  for (const item of items) {
    const name = key(item);
    const group = groups.get(name);
    if (group === undefined) groups.set(name, { item, alike: [] });
    else group.alike.push(item);
  }
  return [...groups.values()];
}
