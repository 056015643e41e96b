/** Lower and upper bound of a share, each from 0 to 1. */
export interface Interval {
  readonly low: number;
  readonly high: number;
}

/** The 97.5 % quantile of the standard normal distribution: an interval of 95 %. */
const Z = 1.959964;

/**
 * The 95 % confidence interval of the share `count / total`, by Wilson's score (E. B. Wilson, "Probable inference", JASA 22, 1927). It
 * stays between 0 and 1 and is accurate for small shares; without observations it is 0 to 1.
 */
export function wilson(count: number, total: number): Interval {
  if (total === 0) return { low: 0, high: 1 };
  const share = count / total;
  const z2 = Z * Z;
  const scale = 1 + z2 / total;
  const centre = share + z2 / (2 * total);
  const spread = Z * Math.sqrt((share * (1 - share)) / total + z2 / (4 * total * total));
  return {
    low: count === 0 ? 0 : Math.max(0, (centre - spread) / scale),
    high: count === total ? 1 : Math.min(1, (centre + spread) / scale),
  };
}
