import type { PriceOverride } from '../../core/index.js';
import type { ActivePolicy } from '../../policy-store/index.js';
import { priceOfCall } from './call-prices.js';
import { LibraryPrices, type PricedModel } from './price-book.js';

const NOW = new Date('2026-11-01T12:00:00Z');
const book = new LibraryPrices();
const usd = (dollars: number): string => `${dollars * 1e9}`;

function price(prices: Readonly<Record<string, PriceOverride>>, model: PricedModel) {
  return priceOfCall({ policy: { prices }, version: '7' } as unknown as ActivePolicy, book, model, NOW);
}

describe('priceOfCall', () => {
  const model = { provider: 'openai', model: 'gpt-4o' };

  it("prefers the policy's price to the published one, and a provider's price to that of the model", () => {
    expect(price({}, model)).toMatchObject({ input: { base: 2_500_000_000n }, version: book.version });
    const own = { 'gpt-4o': { input: usd(2) }, 'openai/gpt-4o': { input: usd(1) }, 'azure/gpt-4o': { input: usd(9) } };
    expect(price(own, model)).toMatchObject({
      input: { base: 1_000_000_000n },
      output: { base: 10_000_000_000n },
      version: 'policy@7',
    });
  });

  it('knows the price of a tier only from the policy, and never uses the standard price for it', () => {
    const priority = { ...model, serviceTier: 'priority' } as const;
    expect(price({}, priority)).toBeUndefined();
    expect(price({ 'gpt-4o': { input: usd(2) } }, priority)).toBeUndefined();
    const own = { 'gpt-4o@priority': { input: usd(4), output: usd(17) } };
    expect(price(own, priority)).toEqual({
      input: { base: 4_000_000_000n },
      output: { base: 17_000_000_000n },
      version: 'policy@7',
    });
    expect(price(own, model)?.input.base).toBe(2_500_000_000n);
  });
});
