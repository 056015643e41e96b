/**
 * Maximum number of names, and of arguments, that are judged in all combinations for a call that is written in several ways at once.
 */
export const MOST_READINGS = 8;

/** A value that a client could take for the arguments of a call, and the names under which it is judged. */
export interface CallReading<Value> {
  readonly args: Value;
  readonly names: readonly string[];
}

/**
 * The readings of a call that is written in several ways at once, because clients differ in which name and which arguments they read. If
 * there are very many names, each is still judged, but only with the last arguments, so the number of calls does not grow with the product
 * of both.
 */
export function callReadings<Value>(names: readonly string[], args: readonly Value[]): readonly CallReading<Value>[] {
  const lastNames = names.slice(-MOST_READINGS);
  const kept = args.slice(-MOST_READINGS);
  return kept.map((value, index) => ({ args: value, names: index === kept.length - 1 ? names : lastNames }));
}

/** Like `callReadings`, but all earlier arguments are judged as well, under the last name. */
export function allCallReadings<Value>(
  names: readonly string[],
  args: readonly Value[],
): readonly CallReading<Value>[] {
  const lastName = names.slice(-1);
  const earlier = args.slice(0, -MOST_READINGS).map((value) => ({ args: value, names: lastName }));
  return [...earlier, ...callReadings(names, args)];
}
