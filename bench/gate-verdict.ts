/** Derives a verdict from pairs of measurements of two builds, without assumptions about the distribution of noise. */

/** CPU time per call of two builds, measured one right after the other. */
export interface Pair {
  readonly before: number;
  readonly after: number;
}

export interface Comparison {
  /** Median of the ratios of after to before: 1.05 is 5 % more. */
  readonly ratio: number;
  /** Bounds of the 99 % confidence interval of the median. */
  readonly low: number;
  readonly high: number;
  readonly pairs: number;
}

/** Maximum ratio of the cost after a change to the cost before it. */
export const LIMIT = 1.1;
/** With fewer pairs, no 99 % confidence interval exists. */
export const MIN_PAIRS = 8;
const CONFIDENCE = 0.99;

/** @returns undefined when there are fewer than MIN_PAIRS pairs */
export function compare(pairs: readonly Pair[]): Comparison | undefined {
  if (pairs.length < MIN_PAIRS) return undefined;
  const ratios = pairs.map(({ before, after }) => after / before).sort((one, other) => one - other);
  const skipped = skippedAtEachEnd(ratios.length);
  const middle = Math.floor(ratios.length / 2);
  const ratio = ratios.length % 2 === 1 ? ratios[middle]! : Math.sqrt(ratios[middle - 1]! * ratios[middle]!);
  return { ratio, low: ratios[skipped]!, high: ratios[ratios.length - 1 - skipped]!, pairs: ratios.length };
}

/**
 * Whether the ratio is above the limit, and the whole interval above 1. If only noise moved the median, the interval would contain 1.
 *
 * @param limit maximum ratio
 */
export function isDearer(comparison: Comparison | undefined, limit = LIMIT): boolean {
  return comparison !== undefined && comparison.ratio > limit && comparison.low > 1;
}

/** The line `Costs more: 15 %, <why>` in the message of a commit. */
export interface StatedCost {
  /** The text after the colon. */
  readonly text: string;
  /** Maximum ratio that the line allows; undefined if it states no percentage, and therefore allows nothing. */
  readonly limit: number | undefined;
}

/** The cost that a commit states in its message; undefined without such a line. It never lowers the limit that applies to all commits. */
export function statedCost(message: string): StatedCost | undefined {
  const text = /^Costs more: *(\S.*)$/im.exec(message)?.[1];
  if (text === undefined) return undefined;
  const percent = /^(\d{1,3}(?:\.\d{1,2})?) ?%/.exec(text)?.[1];
  return { text, limit: percent === undefined ? undefined : Math.max(LIMIT, 1 + Number(percent) / 100) };
}

/**
 * How many values the confidence interval of the median leaves out at each end. The interval from the k-th smallest to the k-th largest
 * value contains the median unless at least n − k + 1 of n values lie on one side of the median. Each value lies on either side with
 * probability one half, for any distribution.
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
