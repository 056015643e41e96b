/** An app's own limit and the operator's: the app's can only be stricter. */
import type { AppLimit } from '../access/index.js';
import type { RateLimit } from '../config/index.js';

/**
 * The highest count in so many seconds that cannot pass the operator's limit: his window is covered by so many of these
 * windows, and each of them holds at most the count. 0: no count could be kept within it.
 */
export function mostWithin(seconds: number, { limit, windowSeconds }: RateLimit): number {
  return Math.floor(limit / Math.ceil(windowSeconds / seconds));
}

/**
 * What is counted by. A limit that was set when the operator allowed more is cut down; where nothing would be left of it,
 * the operator's counts.
 *
 * @param operators undefined: the operator sets no limit
 */
export function limitInForce(own: AppLimit | undefined, operators: RateLimit | undefined): RateLimit | undefined {
  if (own === undefined) return operators;
  const most = operators === undefined ? own.count : mostWithin(own.seconds, operators);
  if (most === 0) return operators;
  return { limit: Math.min(own.count, most), windowSeconds: own.seconds };
}
