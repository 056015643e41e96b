import { createHmac, randomBytes } from 'node:crypto';
import type { KeyedHash } from '../../src/core/index.js';

/** The keyed hash for stable tokens in this run: the tokens look like those of a server, which has another key. */
export function tokensOfThisRun(): KeyedHash {
  const key = randomBytes(32);
  return (text) => createHmac('sha256', key).update(text).digest();
}
