import { setImmediate } from 'node:timers/promises';
import type { Io } from './io.js';

const EVERY_MS = 50;

/**
 * For CPU-bound work: awaited between two steps, the function yields to the event loop from time to time, so that Ctrl-C and
 * `--timeout` end the work.
 *
 * @returns a function that throws the signal's reason once it is aborted
 */
export function yieldPoint({ nowMs, signal }: Pick<Io, 'nowMs' | 'signal'>): () => Promise<void> {
  let lastMs = nowMs();
  return async () => {
    if (nowMs() - lastMs < EVERY_MS) return;
    await setImmediate();
    lastMs = nowMs();
    signal.throwIfAborted();
  };
}
