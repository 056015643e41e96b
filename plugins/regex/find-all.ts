/** The detector `regex`: expressions from the policy. They run on RE2, in time proportional to the text. */
import type { OperatorPattern } from './operator-pattern.js';

/**
 * Steps that one pattern can use on a text in addition to reading it. A single search is linear, but the search continues after each
 * match and can read to the end of the text each time: `a.*z|a` on a text of a's is quadratic with every engine.
 */
const FREE_STEPS = 1_000_000;
const STEPS_PER_UNIT = 30;

/** A pattern exceeds the work limit of a scan. The message contains no scanned text. */
export class TooMuchWork extends Error {
  override readonly name = 'TooMuchWork';

  constructor() {
    super(
      'a pattern without an upper bound has too many matches in a long text: write {0,200} for * and {1,200} for +',
    );
  }
}

/**
 * Finds all matches of a pattern, from left to right, and returns the ranges of one group; empty ranges are left out.
 *
 * @param group 0 for the whole match
 * @throws TooMuchWork when the matches could have cost more than a fixed number of steps plus a fixed number per unit of text
 */
export function findAll(pattern: OperatorPattern, text: string, group: number): { start: number; end: number }[] {
  const matcher = pattern.program.matcher(text);
  const found: { start: number; end: number }[] = [];
  let left = FREE_STEPS + STEPS_PER_UNIT * text.length;
  while (matcher.find()) {
    left -= furthestLook(pattern, text, matcher.start());
    if (left < 0) throw new TooMuchWork();
    const start = matcher.start(group);
    const end = matcher.end(group);
    // A group that did not participate in the match has the offset -1.
    if (start >= 0 && end > start) found.push({ start, end });
  }
  return found;
}

/** Upper bound for the units that the search read beyond the start of a match. */
function furthestLook({ longest, within }: OperatorPattern, text: string, start: number): number {
  const rest = text.length - start;
  if (longest < rest) return longest;
  if (within === 'text') return rest;
  const breaks = within === 'line' ? /\n/g : /\s/g;
  breaks.lastIndex = start;
  return (breaks.exec(text)?.index ?? text.length) - start;
}
