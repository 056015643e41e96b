import { inTurns, type Steps } from '../core/index.js';

/** Lets whatever waits go first: long work must not hold up short ones. */
export function afterOthers(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Does work in turns with everything else that the event loop has to do. */
export function unhurried<Result>(steps: Steps<Result>): Promise<Result> {
  return inTurns(steps, { nowMs: () => performance.now(), pause: afterOthers });
}
