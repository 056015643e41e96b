import { setFlagsFromString } from 'node:v8';

let running = 0;

/**
 * Makes V8 allocate all values in the young generation while `work` runs, where collecting them is cheap. By default, V8 learns that
 * pages of events survive a few collections, and allocates their values in the old generation, where they stay until a full collection,
 * which is rare: an export of 1,000,000 events grew by 200 MiB instead of 65. Outside exports, this default saves calls a twentieth of
 * their processor time.
 */
export async function inYoungGeneration<T>(work: () => Promise<T>): Promise<T> {
  if (running++ === 0) setFlagsFromString('--no-allocation-site-pretenuring');
  try {
    return await work();
  } finally {
    if (--running === 0) setFlagsFromString('--allocation-site-pretenuring');
  }
}
