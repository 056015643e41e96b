/**
 * Returns a value that must exist according to the caller. A missing one is a programming error, and is reported here by name instead of
 * elsewhere without one.
 */
export function required<T>(value: T | undefined, name: string): T {
  if (value === undefined) throw new Error(`${name} is missing`);
  return value;
}
