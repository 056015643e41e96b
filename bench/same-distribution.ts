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
