import { createHmac, randomBytes } from 'node:crypto';
import type { AnalystHost } from './analyst.js';

/** What an analyst needs of the thread it is on. Stable tokens are made with a key of this process: nobody learns an account's. */
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
