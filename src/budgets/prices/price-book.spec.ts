import { calcPrice } from '@pydantic/genai-prices';
import { costOf, usageParts } from '../../core/index.js';
import { LibraryPrices } from './price-book.js';

const NOW = new Date('2026-11-01T12:00:00Z');

describe('LibraryPrices', () => {
  const prices = new LibraryPrices();

  it('knows models by the names in answers of providers, and names the source of prices', () => {
    const price = prices.priceOf({ provider: 'openai', model: 'gpt-4o-2024-08-06' }, NOW)!;
    expect(price).toMatchObject({
      input: { base: 2_500_000_000n },
      cacheRead: { base: 1_250_000_000n },
      output: { base: 10_000_000_000n },
      contextWindow: 128_000,
    });
    expect(price.version).toMatch(/^genai-prices@\d+\.\d+\.\d+$/);
  });

  it('knows the prices of one-hour caches and of tiers', () => {
    const price = prices.priceOf({ provider: 'anthropic', model: 'claude-sonnet-4-5-20250929' }, NOW)!;
    expect(price.cacheWrite1h?.base).toBe(6_000_000_000n);
    expect(price.input.tiers).toEqual([{ aboveInputTokens: 200_000, rate: 6_000_000_000n }]);
  });

  it('knows the prices of audio and searches', () => {
    expect(prices.priceOf({ provider: 'openai', model: 'gpt-audio' }, NOW)).toMatchObject({
      audioInput: { base: 32_000_000_000n },
      audioOutput: { base: 64_000_000_000n },
    });
    const searching = prices.priceOf({ provider: 'openai', model: 'o3' }, NOW)!;
    expect([searching.webSearches, searching.fileSearches]).toEqual([10_000_000_000n, 2_500_000_000n]);
    expect(prices.priceOf({ provider: 'perplexity', model: 'sonar' }, NOW)?.calls).toBeGreaterThan(0n);
  });

  it('returns no price for unknown models and providers', () => {
    expect(prices.priceOf({ provider: 'openai', model: 'no-such-model' }, NOW)).toBeUndefined();
    expect(prices.priceOf({ provider: 'vllm-in-the-cellar', model: 'gpt-4o' }, NOW)).toBeUndefined();
    expect(prices.priceOf({ provider: 'openai', model: undefined }, NOW)).toBeUndefined();
  });

  it('finds a provider by its address when the operator has renamed it', () => {
    const named = { provider: 'eu', model: 'gpt-4o', baseUrl: 'https://api.openai.com' };
    expect(prices.priceOf(named, NOW)?.input.base).toBe(2_500_000_000n);
  });

  it('guesses the provider of a model only when none is named', () => {
    expect(prices.priceOf({ provider: undefined, model: 'claude-sonnet-4-5' }, NOW)?.input.base).toBe(3_000_000_000n);
  });

  it.each([
    ['openai', 'gpt-4o', 2006, 1920, 0, 300],
    ['openai', 'gpt-5.1', 1, 0, 0, 1],
    ['anthropic', 'claude-sonnet-4-5', 250_000, 1800, 248, 503],
    ['anthropic', 'claude-opus-4-1', 4096, 0, 4000, 12],
  ])('gives %s %s the cost that the library computes', (provider, model, input, read, write, output) => {
    const library = calcPrice(
      { input_tokens: input, cache_read_tokens: read, cache_write_tokens: write, output_tokens: output },
      model,
      { providerId: provider, timestamp: NOW },
    )!;
    const parts = usageParts({
      promptTokens: input,
      cacheReadTokens: read,
      cacheWriteTokens: write,
      completionTokens: output,
    });
    const cost = costOf(parts, prices.priceOf({ provider, model }, NOW)!)!;
    expect(Number(cost) / 1e9).toBeCloseTo(library.total_price, 9);
  });
});
