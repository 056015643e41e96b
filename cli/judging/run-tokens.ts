import { createHmac, randomBytes } from 'node:crypto';
import type { KeyedHash } from '../../src/core/index.js';

/** What stable tokens of this run are made with: they look like those of a server and are none. */
export function tokensOfThisRun(): KeyedHash {
  const key = randomBytes(32);
  return (text) => createHmac('sha256', key).update(text).digest();
}
