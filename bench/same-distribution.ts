/** Terms of the series; it converges long before. */
const TERMS = 100;

/**
 * Two-sample Kolmogorov-Smirnov test: how far the distributions of two samples lie apart, and how likely that is by
 * chance when both come from one. The p value is the asymptotic one with Stephens' correction (Numerical Recipes, 14.3.3).
 */
export function sameDistribution(left: readonly number[], right: readonly number[]): { statistic: number; p: number } {
  const [a, b] = [left.toSorted((x, y) => x - y), right.toSorted((x, y) => x - y)];
  let [i, j, statistic] = [0, 0, 0];
  while (i < a.length && j < b.length) {
    const value = Math.min(a[i] ?? Infinity, b[j] ?? Infinity);
    while (a[i] === value) i += 1;
    while (b[j] === value) j += 1;
    statistic = Math.max(statistic, Math.abs(i / a.length - j / b.length));
  }
  const root = Math.sqrt((a.length * b.length) / (a.length + b.length));
  const lambda = (root + 0.12 + 0.11 / root) * statistic;
  let sum = 0;
  for (let k = 1; k <= TERMS; k += 1) sum += (k % 2 === 1 ? 2 : -2) * Math.exp(-2 * k * k * lambda * lambda);
  return { statistic, p: lambda < 0.2 ? 1 : Math.min(1, Math.max(0, sum)) };
}

const SPLITS = 40;
/** The share of cases in which a difference has to be told. */
const POWER = 0.9;
const HALVINGS = 12;

/**
 * The smallest shift that samples of this size and spread would have told in nine of ten cases: both sides are shuffled
 * into two new ones, which differ by nothing, and one of them is moved until the test tells.
 *
 * @param leastP where the test tells two sides apart
 * @param random numbers from 0 to 1
 * @returns in the unit of the samples
 */
export function leastTold(
  left: readonly number[],
  right: readonly number[],
  leastP: number,
  random: () => number = Math.random,
): number {
  const pool = [...left, ...right];
  const splits = Array.from({ length: SPLITS }, () => {
    const mixed = shuffled(pool, random);
    return [mixed.slice(0, left.length), mixed.slice(left.length)] as const;
  });
  const isTold = (shift: number): boolean => {
    const moved = splits.filter(
      ([a, b]) =>
        sameDistribution(
          a,
          b.map((value) => value + shift),
        ).p < leastP,
    );
    return moved.length >= POWER * SPLITS;
  };
  let [low, high] = [0, Math.max(...pool) - Math.min(...pool)];
  for (let halving = 0; halving < HALVINGS; halving += 1) {
    // By ratio, since the spread of times is a few of them that took long.
    const middle = low === 0 ? high / 8 : Math.sqrt(low * high);
    if (isTold(middle)) high = middle;
    else low = middle;
  }
  return high;
}

function shuffled(values: readonly number[], random: () => number): number[] {
  const mixed = [...values];
  for (let last = mixed.length - 1; last > 0; last -= 1) {
    const other = Math.floor(random() * (last + 1));
    [mixed[last], mixed[other]] = [mixed[other]!, mixed[last]!];
  }
  return mixed;
}
