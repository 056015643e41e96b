/**
 * Latencies (Weir's own time of a call) as counts on a fixed logarithmic scale: such counts can be added, and a percentile read from
 * their sum is less than 5 % off between 0.2 ms (`LOWEST_MS`) and 1.88 s (`LOWEST_MS` times `RATIO` to the power of `LATENCY_STEPS`).
 * Longer latencies count in the last step.
 */
export const LATENCY_STEPS = 96;
const LOWEST_MS = 0.2;
/** The ratio between two steps: half a step up or down is 4.9 %. */
const RATIO = 1.1;

/** The SQL expression for the step (from 0) that a latency in milliseconds is counted in; null for none. */
export function stepOf(ms: string): string {
  const step = `floor(ln(greatest(${ms}, ${LOWEST_MS}) / ${LOWEST_MS}) / ln(${RATIO}::double precision))`;
  return `least(${LATENCY_STEPS - 1}, ${step})::integer`;
}

/** Milliseconds below which the share `q` of all counted latencies lies; null if nothing was counted. */
export function percentile(counts: readonly number[], q: number): number | null {
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total <= 0) return null;
  const rank = q * total;
  let seen = 0;
  for (const [step, count] of counts.entries()) {
    seen += count;
    if (seen >= rank && count > 0) return rounded(LOWEST_MS * RATIO ** (step + 0.5));
  }
  return rounded(LOWEST_MS * RATIO ** LATENCY_STEPS);
}

function rounded(ms: number): number {
  return Number(ms.toPrecision(3));
}
