import { randomFillSync } from 'node:crypto';

const POOL_BYTES = 4_096;
const pool = Buffer.alloc(POOL_BYTES);
let used = POOL_BYTES;

/**
 * A few random bytes from a pool that is refilled as needed: requesting ten at a time would cost more than their use. Use them before
 * the next call.
 */
export function pooledRandom(bytes: number): Buffer {
  const at = take(bytes);
  return pool.subarray(at, at + bytes);
}

/** A random number of 32 bits from the same pool, without creating a view of its bytes. */
export function pooledUint32(): number {
  return pool.readUInt32BE(take(4));
}

/** @returns the offset of the bytes in the pool */
function take(bytes: number): number {
  if (used + bytes > POOL_BYTES) {
    randomFillSync(pool);
    used = 0;
  }
  used += bytes;
  return used - bytes;
}
