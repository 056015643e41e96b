/** Start of a hash over UTF-16 units (FNV-1a, 32 bits, by G. Fowler, L. C. Noll and K.-P. Vo). */
export const HASH_START = 0x811c9dc5;
const HASH_FACTOR = 0x01000193;

/** The hash extended by one unit. */
export function extendHash(hash: number, unit: number): number {
  return Math.imul(hash ^ unit, HASH_FACTOR);
}
