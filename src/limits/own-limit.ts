/** An app's own limit and the operator's: the app's can only be stricter. */
import type { AppLimit } from '../access/index.js';
import type { RateLimit } from '../config/index.js';

/**
 * The highest count per `seconds` that cannot exceed the operator's limit: the number of these windows that cover the operator's
 * window, times the count, is at most the limit. 0 if there is no such count.
 */
export function mostWithin(seconds: number, { limit, windowSeconds }: RateLimit): number {
  return Math.floor(limit / Math.ceil(windowSeconds / seconds));
}

/**
 * The active limit. An own limit set when the operator allowed more is reduced; if it would be reduced to 0, the operator's applies.
 *
 * @param operators undefined: the operator sets no limit
 */
export function limitInForce(own: AppLimit | undefined, operators: RateLimit | undefined): RateLimit | undefined {
  if (own === undefined) return operators;
  const most = operators === undefined ? own.count : mostWithin(own.seconds, operators);
  if (most === 0) return operators;
  return { limit: Math.min(own.count, most), windowSeconds: own.seconds };
}
