import { createHmac, randomBytes } from 'node:crypto';
import type { KeyedHash } from '../../src/core/index.js';

/** The key of stable tokens in this run: they look like tokens of a server but are not valid there. */
export function tokensOfThisRun(): KeyedHash {
  const key = randomBytes(32);
  return (text) => createHmac('sha256', key).update(text).digest();
}
