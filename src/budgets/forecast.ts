/**
 * Forecast of the used amount of a budget at the end of its window, from its use so far. Pure: amounts in, amounts
 * out.
 *
 * The amounts used in different steps are assumed to be independent: with the mean m and the standard deviation s per step over n
 * steps, including the current one, k further steps add k·m, and in four of five cases an amount within k·m ± 1.28·s·√(k + k²/n). The
 * term k²/n is the uncertainty of m itself.
 */

export interface Forecast {
  readonly atEnd: bigint;
  readonly low: bigint;
  readonly high: bigint;
  /** The time at which the limit is reached at this pace; undefined if that is after the end of the window. */
  readonly reachesLimitAtMs?: number;
}

/** Name of the method, as the API returns it. */
export const FORECAST_METHOD = 'mean_of_steps_80';

/** Minimum number of completed steps for a forecast. */
const LEAST_STEPS = 4;
/** The two-sided 80 % quantile of a normal distribution. */
const Z = 1.2816;

/**
 * @param used the used amounts at the end of each completed step, oldest first; at the start of the window, the amount is 0
 * @returns undefined as long as too few steps are completed, or if the window has ended
 */
export function forecast(
  used: readonly bigint[],
  now: { readonly used: bigint; readonly ms: number },
  window: { readonly startMs: number; readonly endMs: number; readonly stepMs: number; readonly limit: bigint },
): Forecast | undefined {
  if (used.length < LEAST_STEPS || now.ms >= window.endMs) return undefined;
  const added = [...used, now.used].map((amount, index) => Number(amount - (used[index - 1] ?? 0n)));
  const elapsed = (now.ms - window.startMs) / window.stepMs;
  // The current step is shorter than the others.
  if (elapsed <= used.length) added.pop();
  const n = added.length;
  const mean = Number(now.used) / elapsed;
  const middle = added.reduce((sum, each) => sum + each, 0) / n;
  const variance = added.reduce((sum, each) => sum + (each - middle) ** 2, 0) / (n - 1);
  const steps = (window.endMs - now.ms) / window.stepMs;
  // Corrections can exceed the use, but a forecast never assumes a negative pace.
  const pace = Math.max(0, mean);
  const spread = Z * Math.sqrt(variance * (steps + steps ** 2 / n));
  const after = (more: number): bigint => now.used + BigInt(Math.round(Math.max(0, more)));
  const left = Number(window.limit - now.used);
  const reachesMs = left <= 0 ? now.ms : pace > 0 ? now.ms + (left / pace) * window.stepMs : Infinity;
  return {
    atEnd: after(pace * steps),
    low: after(pace * steps - spread),
    high: after(pace * steps + spread),
    ...(reachesMs < window.endMs ? { reachesLimitAtMs: Math.round(reachesMs) } : {}),
  };
}
