import fc from 'fast-check';
import { acceptedCost, compare, isDearer, MIN_PAIRS, type Pair } from './gate-verdict.js';
import { seededRandom } from '../test/support/seeded-random.js';

/** Pairs on a machine where the time of both doubles and halves, and one measurement in ten is far off. */
function measured(factor: number, random: () => number, count = 24): Pair[] {
  return Array.from({ length: count }, () => {
    const machine = 1_000 * (1 + random());
    const noise = (): number => (0.9 + 0.2 * random()) * (random() < 0.1 ? 2 : 1);
    return { before: machine * noise(), after: machine * factor * noise() };
  });
}

/** Share of comparisons that say "dearer". */
function redShare(factor: number, seed: number): number {
  const random = seededRandom(seed);
  const runs = Array.from({ length: 400 }, () => isDearer(compare(measured(factor, random))));
  return runs.filter(Boolean).length / runs.length;
}

describe('Comparing what two builds cost', () => {
  it('hardly ever calls equal builds unequal, however noisy the machine is', () => {
    fc.assert(
      fc.property(fc.integer(), (seed) => {
        expect(redShare(1, seed)).toBeLessThan(0.02);
      }),
      { numRuns: 20 },
    );
  });

  it('lets 4 % more pass, and finds a third more', () => {
    fc.assert(
      fc.property(fc.integer(), (seed) => {
        expect(redShare(1.04, seed)).toBeLessThan(0.1);
        expect(redShare(1.33, seed)).toBeGreaterThan(0.95);
      }),
      { numRuns: 20 },
    );
  });

  it('says nothing about few pairs', () => {
    const pairs = Array.from({ length: MIN_PAIRS - 1 }, () => ({ before: 1, after: 9 }));
    expect(compare(pairs)).toBeUndefined();
    expect(isDearer(compare(pairs))).toBe(false);
    expect(compare([...pairs, { before: 1, after: 9 }])).toEqual({ ratio: 9, low: 9, high: 9, pairs: MIN_PAIRS });
  });

  it('lets a commit cost more that says why', () => {
    expect(acceptedCost('Look twice\n\nCosts more: each text is read a second time')).toBe(
      'each text is read a second time',
    );
    expect(acceptedCost('Look twice\n\nCosts more:\n')).toBeUndefined();
    expect(acceptedCost('Tell what costs more: texts')).toBeUndefined();
  });

  it('is not moved by a few measurements that are far off', () => {
    const pairs = Array.from({ length: 24 }, (_, index) => ({ before: 100, after: index < 6 ? 1_000 : 100 }));
    expect(compare(pairs)).toMatchObject({ ratio: 1, low: 1 });
  });
});
