import { leastDetectable, sameDistribution } from './same-distribution.js';

/** Deterministic pseudo-random numbers from 0 to 1 (MINSTD), so that the test is reproducible. */
function numbers(count: number, seed: number): number[] {
  let state = seed;
  return Array.from({ length: count }, () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647);
}

describe('The test of two distributions', () => {
  it('finds no difference between samples of one distribution', () => {
    expect(sameDistribution(numbers(500, 7), numbers(500, 11)).p).toBeGreaterThan(0.01);
    expect(sameDistribution([1, 1, 2, 2], [1, 1, 2, 2])).toEqual({ statistic: 0, p: 1 });
  });

  it('detects a shift of a fifth of the spread', () => {
    const shifted = numbers(500, 11).map((value) => value + 0.2);
    expect(sameDistribution(numbers(500, 7), shifted).p).toBeLessThan(0.01);
    expect(sameDistribution([1, 2, 3], [4, 5, 6]).statistic).toBe(1);
  });

  it('reports the smallest detectable difference, which decreases with more samples', () => {
    const least = (count: number): number => {
      const random = numbers(100_000, 5);
      return leastDetectable(numbers(count, 7), numbers(count, 11), 0.01, () => random.pop()!);
    };
    const [few, many] = [least(100), least(1_000)];
    expect(many).toBeLessThan(few / 2);
    expect(
      sameDistribution(
        numbers(1_000, 7),
        numbers(1_000, 13).map((value) => value + 2 * many),
      ).p,
    ).toBeLessThan(0.01);
  });
});
