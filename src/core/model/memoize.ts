/**
 * A pure function of an immutable object, worked out once for each object and forgotten together with it. It is the one
 * place in core that keeps values at module level: nobody can tell from a result whether it was kept, so callers need not
 * pass a cache along. What has to be shared or limited deliberately is a class with a cache of its own instead.
 */
export function memoizeByObject<Key extends object, Value>(make: (key: Key) => Value): (key: Key) => Value {
  const known = new WeakMap<Key, { readonly value: Value }>();
  return (key) => {
    const kept = known.get(key);
    if (kept !== undefined) return kept.value;
    const value = make(key);
    known.set(key, { value });
    return value;
  };
}
