import { createHmac, randomBytes } from 'node:crypto';
import type { AnalystHost } from './analyst.js';

/**
 * The thread's functions for an analyst. Stable tokens use a key of this process, so that nobody can learn about an account's key.
 */
export function hostHere(): AnalystHost {
  const key = randomBytes(32);
  return {
    workMs: () => {
      const { user, system } = process.threadCpuUsage();
      return (user + system) / 1_000;
    },
    hash: (text) => createHmac('sha256', key).update(text).digest(),
  };
}
