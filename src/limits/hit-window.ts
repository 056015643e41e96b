/**
 * The counting rule of every rate limit: at most `limit` hits in any span of `windowMs`. It reads no clock and stores nothing;
 * `hit-window-script.ts` is the same rule as a script in Redis.
 */

/** A window is counted in so many slots: what is kept of a key does not grow with the limit. */
export const SLOTS_PER_WINDOW = 60;

/**
 * The hits that still count, oldest slot first: the time of a slot's last hit (milliseconds of one clock), then how many
 * hits it had. A slot's hits count until its last one is `windowMs` old, so the limit is never passed, and a hit is
 * forgotten at most one slot late.
 */
export type HitWindow = number[];

/** What became of a hit. */
export interface Hit {
  /** A hit that was refused is not counted. */
  readonly admitted: boolean;
  /** Hits that count, this one included if it was admitted. */
  readonly hits: number;
  /** Until more hits are possible. */
  readonly waitMs: number;
}

/**
 * Counts a hit at `nowMs` in `window`, or refuses it. A clock that steps back is taken to stand still.
 * @param hits so many at once: all of them are counted, or none
 */
export function countHit(window: HitWindow, limit: number, windowMs: number, nowMs: number, hits = 1): Hit {
  forgetOld(window, windowMs, nowMs);
  const newestMs = window.at(-2) ?? -Infinity;
  const atMs = Math.max(nowMs, newestMs);
  const total = totalHits(window);
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

function totalHits(window: HitWindow): number {
  let total = 0;
  for (let index = 1; index < window.length; index += 2) total += window[index] ?? 0;
  return total;
}

/** Until more than `excess` hits are forgotten. There is an excess where the limit was lowered, and where several come at once. */
function waitForRoom(window: HitWindow, excess: number, windowMs: number, nowMs: number): number {
  let forgotten = 0;
  for (let index = 0; index < window.length; index += 2) {
    forgotten += window[index + 1] ?? 0;
    if (forgotten > excess) return (window[index] ?? 0) + windowMs - nowMs;
  }
  return windowMs;
}
