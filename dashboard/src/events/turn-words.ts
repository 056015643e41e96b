/** The position of a call in its session, in words. */
import { count } from '../parts/format.ts';
import type { Counted } from './use-count.ts';

/**
 * @param upTo the calls of the session up to this one, including it
 * @param all the calls of the session
 * @returns undefined if the position is unknown, because the call was not counted or the count ended early
 */
export function turnWords(upTo: Counted, all: Counted): string | undefined {
  if (upTo.capped || upTo.count === 0) return undefined;
  // A count that ended early may have reached fewer calls than there are before this one.
  return `${count(upTo.count)} of ${count(Math.max(upTo.count, all.count))}${all.capped ? ' or more' : ''}`;
}
