/**
 * Forecast of the used amount of a budget at the end of its window, from its use so far. Pure: amounts in, amounts
 * out.
 *
 * What is used per step is taken for independent from step to step: with the pace m per step and deviation s over n steps,
 * the one that is not over included, k further steps add k·m, and in four cases of five something between k·m ± 1.28·s·√(k + k²/n). The second term is what is
 * not known of m itself.
 */

export interface Forecast {
  readonly atEnd: bigint;
  readonly low: bigint;
  readonly high: bigint;
  /** When the limit is reached at this pace; undefined when that is after the end. */
  readonly reachesLimitAtMs?: number;
}

/** Name of the method, as the API returns it. */
export const FORECAST_METHOD = 'mean_of_steps_80';

/** Minimum number of completed steps for a forecast. */
const LEAST_STEPS = 4;
/** The two-sided 80 % quantile of a normal distribution. */
const Z = 1.2816;

/**
 * @param used after each step that is over, the first one after the first step; what was used at the start is 0
 * @returns undefined as long as too little is known
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
  // Corrections can exceed the use, but a negative pace is no forecast.
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
