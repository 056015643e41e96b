/** The amount of work that may go unmeasured: a fraction of the shortest turn. */
const UNNOTICED_MS = 0.5;

/**
 * The processor time of a thread as judging asks for it, dozens of times for a call. Asking the operating system costs more than
 * most of what is measured, and no thread works longer than time goes on: as long as hardly any has passed, the last
 * answer stands.
 *
 * @param monotonicMs time that goes on, cheap to ask for
 * @param workedMs processor time, dear to ask for
 * @returns processor time, at most half a millisecond behind
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
