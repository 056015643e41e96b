import { KnownPrices } from './known-prices.js';
import { LibraryPrices, type PriceBook, type PricedModel } from './price-book.js';

/** A book that counts how often it is asked. */
function counted(book: PriceBook) {
  const asked: PricedModel[] = [];
  const counting: PriceBook = {
    priceOf: (model, at) => {
      asked.push(model);
      return book.priceOf(model, at);
    },
  };
  return { asked, prices: new KnownPrices(counting) };
}

const library = new LibraryPrices();
const at = (time: string): Date => new Date(`2026-11-02T${time}Z`);

describe('A cache of prices', () => {
  it('looks up each model once a minute, including unknown models', () => {
    const { asked, prices } = counted(library);
    for (const time of ['10:00:00', '10:00:30', '10:00:59.999']) {
      for (const model of ['gpt-4o', 'nobody-has-made-this']) {
        const priced = { provider: 'openai', model };
        expect(prices.priceOf(priced, at(time))).toEqual(library.priceOf(priced, at(time)));
      }
    }
    expect(asked.map(({ model }) => model)).toEqual(['gpt-4o', 'nobody-has-made-this']);
    prices.priceOf({ provider: 'openai', model: 'gpt-4o' }, at('10:01:00'));
    expect(asked).toHaveLength(3);
  });

  it('keeps separate prices for different providers, addresses or tiers', () => {
    const { prices } = counted(library);
    const models: PricedModel[] = [
      { provider: 'openai', model: 'gpt-4o' },
      { provider: 'openai', model: 'gpt-4o', serviceTier: 'priority' },
      { provider: 'nobody', model: 'gpt-4o' },
      { provider: undefined, model: 'gpt-4o' },
      { provider: undefined, model: 'gpt-4o', baseUrl: 'https://models.example.com/v1' },
      { provider: undefined, model: undefined },
    ];
    for (const round of ['first', 'second']) {
      for (const model of models) {
        expect({ round, price: prices.priceOf(model, at('10:00:00')) }).toEqual({
          round,
          price: library.priceOf(model, at('10:00:00')),
        });
      }
    }
  });

  it('follows a model price that changes within the day, minute by minute', () => {
    const { prices } = counted(library);
    const model = { provider: 'deepseek', model: 'deepseek-chat' };
    for (let minute = 0; minute < 24 * 60; minute += 1) {
      const instant = new Date(Date.UTC(2025, 4, 2, 0, minute, 59));
      expect(prices.priceOf(model, instant)).toEqual(library.priceOf(model, instant));
    }
  });

  it('does not cache names that are too long for a model', () => {
    const { asked, prices } = counted(library);
    const model = { provider: 'openai', model: 'm'.repeat(257) };
    prices.priceOf(model, at('10:00:00'));
    prices.priceOf(model, at('10:00:00'));
    expect(asked).toHaveLength(2);
  });
});
