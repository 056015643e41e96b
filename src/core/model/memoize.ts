/**
 * Returns a pure function of an immutable object whose result is computed once per object and released together with the object. Apart from
 * the parsed policy files (`known-reading.ts`), this is the only place in core with values at module level: the result is the same with or
 * without the cache, so callers need not pass a cache. Data that must be shared or limited deliberately is in a class with its own cache
 * instead.
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
