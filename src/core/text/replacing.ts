import { THINGS_BETWEEN_STOPS, type Steps } from '../steps/steps.js';

/**
 * Computes `text.replace` in steps: the pattern may occur millions of times.
 *
 * @param pattern with the flag `g`
 */
export function* replacing(text: string, pattern: RegExp, replace: (match: RegExpExecArray) => string): Steps<string> {
  const parts: string[] = [];
  let from = 0;
  let count = 0;
  for (const match of text.matchAll(pattern)) {
    parts.push(text.slice(from, match.index), replace(match));
    from = match.index + match[0].length;
    if (++count % THINGS_BETWEEN_STOPS === 0) yield;
  }
  if (count === 0) return text;
  parts.push(text.slice(from));
  return yield* joining(parts);
}

/** The number of parts that are joined in less than a millisecond. */
const PARTS_AT_ONCE = 4_096;

/** Computes `parts.join` in steps. */
export function* joining(parts: readonly string[], separator = ''): Steps<string> {
  const joined: string[] = [];
  for (let from = 0; from < parts.length; from += PARTS_AT_ONCE) {
    joined.push(parts.slice(from, from + PARTS_AT_ONCE).join(separator));
    yield;
  }
  return joined.length === 1 ? joined[0]! : joined.join(separator);
}
