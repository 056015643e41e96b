import { setImmediate } from 'node:timers/promises';
import type { Io } from './io.js';

const EVERY_MS = 50;

/**
 * For CPU-bound work: creates a function to be awaited between two steps of the work. From time to time the function yields to the event
 * loop, so that Ctrl-C and `--timeout` can end the work.
 *
 * @returns the function; it throws the signal's reason once the signal is aborted
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
