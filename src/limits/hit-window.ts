/**
 * The counting rule of every rate limit: at most `limit` hits in any span of `windowMs`. It reads no clock and stores nothing;
 * `hit-window-script.ts` is the same rule as a script in Redis.
 */

/** The number of slots in which a window is counted: the memory per key does not grow with the limit. */
export const SLOTS_PER_WINDOW = 60;

/**
 * The hits that still count, oldest slot first: the time of a slot's last hit (milliseconds of one clock), then how many
 * hits it had. A slot's hits count until the last hit of the slot is `windowMs` old, so the limit is never
 * exceeded, and a hit is forgotten at most one slot late.
 */
export type HitWindow = number[];

/** The result of a hit. */
export interface Hit {
  /** False if the hit was refused; a refused hit is not counted. */
  readonly admitted: boolean;
  /** The number of counted hits, including this one if it was admitted. */
  readonly hits: number;
  /** Milliseconds until more hits are possible. */
  readonly waitMs: number;
}

/**
 * Counts a hit at `nowMs` in `window`, or refuses it. A clock that steps back is treated as standing still.
 * @param hits the number of simultaneous hits: all of them are counted, or none; a negative number of hits is given back
 */
export function countHit(window: HitWindow, limit: number, windowMs: number, nowMs: number, hits = 1): Hit {
  forgetOld(window, windowMs, nowMs);
  const newestMs = window.at(-2) ?? -Infinity;
  const atMs = Math.max(nowMs, newestMs);
  const total = totalHits(window);
  if (hits < 0) {
    const left = total - giveBack(window, -hits);
    return { admitted: true, hits: left, waitMs: waitForRoom(window, 0, windowMs, nowMs) };
  }
  if (total + hits > limit)
    return { admitted: false, hits: total, waitMs: waitForRoom(window, total + hits - 1 - limit, windowMs, nowMs) };
  const slotMs = windowMs / SLOTS_PER_WINDOW;
  if (Math.floor(atMs / slotMs) === Math.floor(newestMs / slotMs)) {
    window[window.length - 2] = atMs;
    window[window.length - 1] = (window.at(-1) ?? 0) + hits;
  } else {
    window.push(atMs, hits);
  }
  return { admitted: true, hits: total + hits, waitMs: waitForRoom(window, 0, windowMs, nowMs) };
}

function forgetOld(window: HitWindow, windowMs: number, nowMs: number): void {
  let old = 0;
  while (old < window.length && (window[old] ?? 0) + windowMs <= nowMs) old += 2;
  if (old > 0) window.splice(0, old);
}

/**
 * Removes hits from the oldest slots. The removed hits may have been counted in newer slots, so the remaining hits are forgotten later than
 * necessary, but never too early.
 * @returns the number of removed hits
 */
function giveBack(window: HitWindow, hits: number): number {
  let left = hits;
  while (left > 0 && window.length > 0) {
    const inOldest = window[1] ?? 0;
    const removed = Math.min(left, inOldest);
    left -= removed;
    if (removed < inOldest) window[1] = inOldest - removed;
    else window.splice(0, 2);
  }
  return hits - left;
}

function totalHits(window: HitWindow): number {
  let total = 0;
  for (let index = 1; index < window.length; index += 2) total += window[index] ?? 0;
  return total;
}

/**
 * Milliseconds until more than `excess` hits are forgotten. There is an excess if the limit was lowered, or if several hits are counted
 * at once.
 */
function waitForRoom(window: HitWindow, excess: number, windowMs: number, nowMs: number): number {
  let forgotten = 0;
  for (let index = 0; index < window.length; index += 2) {
    forgotten += window[index + 1] ?? 0;
    if (forgotten > excess) return (window[index] ?? 0) + windowMs - nowMs;
  }
  return windowMs;
}
