/** Maximum number of terms of the series, which converges much earlier. */
const TERMS = 100;

/**
 * Two-sample Kolmogorov-Smirnov test: the distance between the distributions of two samples, and the probability of it by chance if
 * both come from the same distribution. The p value is the asymptotic one with Stephens' correction (Numerical Recipes, 14.3.3).
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
/** Share of splits in which a shift must be detected. */
const POWER = 0.9;
const HALVINGS = 12;

/**
 * The smallest shift that the test would detect in nine of ten cases with samples of this size and spread. All values are shuffled into
 * two new samples from the same distribution, and one of them is shifted until the test detects a difference.
 *
 * @param leastP p value below which the test detects a difference
 * @param random numbers from 0 to 1
 * @returns the shift in the unit of the samples
 */
export function leastDetectable(
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
  const isDetected = (shift: number): boolean => {
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
    // Bisects by ratio, since a few very long times make the range much larger than typical shifts.
    const middle = low === 0 ? high / 8 : Math.sqrt(low * high);
    if (isDetected(middle)) high = middle;
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
