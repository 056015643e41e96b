import { inTurns, type Steps } from '../core/index.js';

/** Long work that waits for its turn. */
const waiting: (() => void)[] = [];

/**
 * Lets whatever waits go first: long work must not hold up short ones. Of several long works one goes on at a time, so that
 * what comes meanwhile waits for one turn, not for a turn of each.
 */
export function afterOthers(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    if (waiting.length === 1) setImmediate(next);
  });
}

function next(): void {
  waiting.shift()?.();
  if (waiting.length > 0) setImmediate(next);
}

/** Does work in turns with everything else that the event loop has to do. */
export function runCooperatively<Result>(steps: Steps<Result>): Promise<Result> {
  return inTurns(steps, { nowMs: () => performance.now(), pause: afterOthers });
}
