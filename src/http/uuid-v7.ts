import { pooledRandom } from './pooled-random.js';

/** A UUID of version 7 (RFC 9562, section 5.7): 48 bits of the time, 74 random bits. */
export function uuidV7(nowMs: number): string {
  const time = nowMs.toString(16).padStart(12, '0');
  const random = pooledRandom(10).toString('hex');
  const variant = (8 + (Number.parseInt(random.charAt(3), 16) & 3)).toString(16);
  return `${time.slice(0, 8)}-${time.slice(8, 12)}-7${random.slice(0, 3)}-${variant}${random.slice(4, 7)}-${random.slice(7, 19)}`;
}

const MAX_TIME_MS = 2 ** 48 - 1;

/** The lowest UUID of version 7 for a time: a bound for ranges, never assigned as an id. */
export function firstUuidAt(timeMs: number): string {
  const time = Math.min(Math.max(Math.ceil(timeMs), 0), MAX_TIME_MS);
  const digits = time.toString(16).padStart(12, '0');
  return `${digits.slice(0, 8)}-${digits.slice(8)}-0000-0000-000000000000`;
}
