/**
 * Returns a value that must exist according to the caller. A missing value is a programming error. It is reported here by name; otherwise
 * it would be reported elsewhere, without a name.
 */
export function required<T>(value: T | undefined, name: string): T {
  if (value === undefined) throw new Error(`${name} is missing`);
  return value;
}
