import fc from 'fast-check';
import { compare, isDearer, LIMIT, MIN_PAIRS, statedCost, type Pair } from './gate-verdict.js';
import { seededRandom } from '../test/support/seeded-random.js';

/** Pairs on a noisy machine: the time of both builds varies by up to a factor of two, and one measurement in ten is doubled. */
function measured(factor: number, random: () => number, count = 24): Pair[] {
  return Array.from({ length: count }, () => {
    const machine = 1_000 * (1 + random());
    const noise = (): number => (0.9 + 0.2 * random()) * (random() < 0.1 ? 2 : 1);
    return { before: machine * noise(), after: machine * factor * noise() };
  });
}

/** Share of comparisons whose verdict is "more expensive". */
function redShare(factor: number, seed: number): number {
  const random = seededRandom(seed);
  const runs = Array.from({ length: 400 }, () => isDearer(compare(measured(factor, random))));
  return runs.filter(Boolean).length / runs.length;
}

describe('The comparison of the costs of two builds', () => {
  it('rarely reports a difference between equal builds, even on a noisy machine', () => {
    fc.assert(
      fc.property(fc.integer(), (seed) => {
        expect(redShare(1, seed)).toBeLessThan(0.02);
      }),
      { numRuns: 20 },
    );
  });

  it('accepts an increase of 4 % and detects one of a third', () => {
    fc.assert(
      fc.property(fc.integer(), (seed) => {
        expect(redShare(1.04, seed)).toBeLessThan(0.1);
        expect(redShare(1.33, seed)).toBeGreaterThan(0.95);
      }),
      { numRuns: 20 },
    );
  });

  it('has no verdict on fewer pairs than the minimum', () => {
    const pairs = Array.from({ length: MIN_PAIRS - 1 }, () => ({ before: 1, after: 9 }));
    expect(compare(pairs)).toBeUndefined();
    expect(isDearer(compare(pairs))).toBe(false);
    expect(compare([...pairs, { before: 1, after: 9 }])).toEqual({ ratio: 9, low: 9, high: 9, pairs: MIN_PAIRS });
  });

  it('accepts as much as the commit message states, and no more', () => {
    const cost = statedCost('Look twice\n\nCosts more: 25 %, each text is read a second time');
    expect(cost).toEqual({ text: '25 %, each text is read a second time', limit: 1.25 });
    const pairsOf = (after: number): Pair[] => Array.from({ length: MIN_PAIRS }, () => ({ before: 100, after }));
    expect(isDearer(compare(pairsOf(124)), cost?.limit)).toBe(false);
    expect(isDearer(compare(pairsOf(126)), cost?.limit)).toBe(true);
    expect(isDearer(compare(pairsOf(124)))).toBe(true);
  });

  it.each([
    ['Costs more: each text is read a second time', undefined],
    ['Costs more: a few %', undefined],
    ['Costs more: 5 %', LIMIT],
    ['Costs more: 12.5% (a second look)', 1.125],
  ])('takes a limit only from a stated percentage, and never a lower one than usual: %s', (line, limit) => {
    expect(statedCost(`Look twice\n\n${line}`)?.limit).toBe(limit);
  });

  it('finds no statement without a line for it', () => {
    expect(statedCost('Look twice\n\nCosts more:\n')).toBeUndefined();
    expect(statedCost('Tell what costs more: texts')).toBeUndefined();
  });

  it('is not changed by a few outliers', () => {
    const pairs = Array.from({ length: 24 }, (_, index) => ({ before: 100, after: index < 6 ? 1_000 : 100 }));
    expect(compare(pairs)).toMatchObject({ ratio: 1, low: 1 });
  });
});
