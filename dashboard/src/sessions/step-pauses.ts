/** The pause before a step of a session, in words. */

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** In the largest unit of which the pause has at least two, so that no number is long; undefined for at most a minute. */
export function pauseWords(ms: number): string | undefined {
  if (ms <= MINUTE_MS) return undefined;
  if (ms >= 2 * DAY_MS) return `${Math.round(ms / DAY_MS)} days later`;
  return ms >= 2 * HOUR_MS ? `${Math.round(ms / HOUR_MS)} h later` : `${Math.round(ms / MINUTE_MS)} min later`;
}
