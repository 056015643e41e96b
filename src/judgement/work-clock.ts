/** The amount of work that may go unmeasured: a fraction of the shortest turn. */
const UNNOTICED_MS = 0.5;

/**
 * The CPU time of a thread, which judging reads dozens of times for a call. Reading it from the operating system
 * costs more than most measured steps, and CPU time never exceeds elapsed time: while hardly any time has
 * elapsed, the last reading is reused.
 *
 * @param monotonicMs elapsed time, cheap to read
 * @param workedMs CPU time, expensive to read
 * @returns CPU time, at most half a millisecond behind
 */
export function workClock(monotonicMs: () => number, workedMs: () => number): () => number {
  let askedAtMs = -Infinity;
  let knownMs = 0;
  return () => {
    const nowMs = monotonicMs();
    if (nowMs - askedAtMs >= UNNOTICED_MS) {
      knownMs = workedMs();
      askedAtMs = nowMs;
    }
    return knownMs;
  };
}
