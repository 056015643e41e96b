import fc from 'fast-check';
import { costOf, highestCost, type ModelPrice, type Rate } from './model-price.js';
import { usageParts } from './usage-parts.js';

/** Dollars per million tokens as nano-dollars. */
const rate = (usd: number): Rate => ({ base: BigInt(Math.round(usd * 1000)) * 1_000_000n });
const SONNET: ModelPrice = {
  version: 't',
  input: rate(3),
  cacheRead: rate(0.3),
  cacheWrite5m: rate(3.75),
  cacheWrite1h: rate(6),
  output: rate(15),
};
const bound = (inputTokens: number, outputTokens: number, more: object = {}) => ({
  ...{ inputTokens, outputTokens, writesCache: false, searches: 0 },
  ...more,
});

describe('highestCost', () => {
  it('prices each token at the highest rate that may apply to it', () => {
    const uncached: ModelPrice = { version: 't', input: rate(3), cacheRead: rate(0.3), output: rate(15) };
    expect(highestCost(bound(1000, 100), uncached)).toBe(4_500_000n);
    expect(highestCost(bound(1000, 100, { writesCache: true }), SONNET)).toBe(7_500_000n);
  });

  it('includes the price of a cache that the provider writes without being asked', () => {
    // 1,000 × 3,750 + 100 × 15,000
    expect(highestCost(bound(1000, 100), SONNET)).toBe(5_250_000n);
  });

  it('is never less than the cost of a call within the bounds, however its tokens are split', () => {
    const count = fc.nat({ max: 400_000 });
    const price = fc.record({
      ...{ input: count, output: count },
      ...{ cacheRead: fc.option(count), cacheWrite5m: fc.option(count), cacheWrite1h: fc.option(count) },
      reasoning: fc.option(count),
    });
    const usage = fc.record({
      ...{ promptTokens: count, completionTokens: count, reasoningTokens: count },
      ...{ cacheReadTokens: count, cacheWriteTokens: count, cacheWrite1hTokens: count },
    });
    fc.assert(
      fc.property(price, usage, fc.boolean(), (nanoUsd, counts, writesCache) => {
        const rates = Object.entries(nanoUsd).flatMap(([key, base]): [string, Rate][] =>
          base === null ? [] : [[key, { base: BigInt(base) }]],
        );
        const known = { ...Object.fromEntries(rates), version: 't' } as ModelPrice;
        const { cacheWrite1hTokens, ...others } = counts;
        const parts = usageParts(writesCache ? { ...others, cacheWrite1hTokens } : others);
        const { output, reasoning, audioOutput, ...inputs } = parts;
        const inputTokens = Object.values(inputs).reduce((sum, tokens) => sum + tokens, 0);
        const highest = highestCost(bound(inputTokens, output + reasoning + audioOutput, { writesCache }), known);
        expect(costOf(parts, known)!).toBeLessThanOrEqual(highest);
      }),
    );
  });

  it('prices output that may be audio as audio, and includes the maximum number of searches', () => {
    const audio: ModelPrice = { version: 't', input: rate(2.5), output: rate(10), audioOutput: rate(64) };
    const searching: ModelPrice = {
      ...{ version: 't', input: rate(2), output: rate(8) },
      ...{ webSearches: 10_000_000_000n, fileSearches: 2_500_000_000n },
    };
    // 1,000 × 2,500 + 100 × 64,000; 1,000 × 2,000 + 100 × 8,000 + 3 × 10,000,000
    expect(highestCost(bound(1000, 100), audio)).toBe(8_900_000n);
    expect(highestCost(bound(1000, 100, { searches: 3 }), searching)).toBe(32_800_000n);
  });

  it('counts a tier only when the input can reach it, and rounds up', () => {
    const tiered: Rate = { base: 1n, tiers: [{ aboveInputTokens: 10, rate: 1_000_000n }] };
    const one: ModelPrice = { version: 't', input: tiered, output: { base: 0n } };
    expect(highestCost(bound(10, 0), one)).toBe(1n);
    expect(highestCost(bound(11, 0), one)).toBe(11n);
  });
});
