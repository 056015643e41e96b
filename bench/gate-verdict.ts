/** From pairs of measurements of two builds to a verdict. Nothing is assumed about how noise is distributed. */

/** Processor time per call of two builds, measured one right after the other. */
export interface Pair {
  readonly before: number;
  readonly after: number;
}

export interface Comparison {
  /** Median of after to before: 1.05 is 5 % more. */
  readonly ratio: number;
  /** Where the true median is, with 99 % confidence. */
  readonly low: number;
  readonly high: number;
  readonly pairs: number;
}

/** Maximum ratio of the cost after a change to the cost before it. */
export const LIMIT = 1.1;
/** Fewer pairs have no interval of 99 %. */
export const MIN_PAIRS = 8;
const CONFIDENCE = 0.99;

/** @returns undefined when there are too few pairs to tell anything */
export function compare(pairs: readonly Pair[]): Comparison | undefined {
  if (pairs.length < MIN_PAIRS) return undefined;
  const ratios = pairs.map(({ before, after }) => after / before).sort((one, other) => one - other);
  const skipped = skippedAtEachEnd(ratios.length);
  const middle = Math.floor(ratios.length / 2);
  const ratio = ratios.length % 2 === 1 ? ratios[middle]! : Math.sqrt(ratios[middle - 1]! * ratios[middle]!);
  return { ratio, low: ratios[skipped]!, high: ratios[ratios.length - 1 - skipped]!, pairs: ratios.length };
}

/** More than the limit, and surely more than nothing: a median that noise has moved has an interval around 1. */
export function isDearer(comparison: Comparison | undefined): boolean {
  return comparison !== undefined && comparison.ratio > LIMIT && comparison.low > 1;
}

/** Why a commit may cost more: what its message says behind `Costs more:`. */
export function acceptedCost(message: string): string | undefined {
  return /^Costs more: *(\S.*)$/im.exec(message)?.[1];
}

/**
 * The interval from the k-th smallest to the k-th largest value holds the median unless at least n − k + 1 of n values fall on
 * one side of it: each does so with one half, whatever the distribution.
 */
function skippedAtEachEnd(count: number): number {
  let [outside, chance, skipped] = [0, 0.5 ** count, 0];
  for (let below = 0; below < count / 2; below += 1) {
    outside += 2 * chance;
    if (outside > 1 - CONFIDENCE) break;
    skipped = below;
    chance *= (count - below) / (below + 1);
  }
  return skipped;
}
