/**
 * What must be there: an entry that the caller knows to exist. Anything else is a fault of the program, and ends here with
 * its name instead of somewhere else without one.
 */
export function required<T>(value: T | undefined, name: string): T {
  if (value === undefined) throw new Error(`${name} is missing`);
  return value;
}
