import { randomFillSync } from 'node:crypto';

const POOL_BYTES = 4_096;
const pool = Buffer.alloc(POOL_BYTES);
let used = POOL_BYTES;

/**
 * So many random bytes, few against a page of memory, from a supply that is filled now and then: asking for ten at a time costs
 * more than what they are for. To be read before the next are asked for.
 */
export function pooledRandom(bytes: number): Buffer {
  const at = take(bytes);
  return pool.subarray(at, at + bytes);
}

/** A random number of 32 bits from the same supply, without a view of its bytes. */
export function pooledUint32(): number {
  return pool.readUInt32BE(take(4));
}

/** @returns where they begin in the supply */
function take(bytes: number): number {
  if (used + bytes > POOL_BYTES) {
    randomFillSync(pool);
    used = 0;
  }
  used += bytes;
  return used - bytes;
}
