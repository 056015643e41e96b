import fc from 'fast-check';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { atOnce } from '../../core/index.js';
import { TokenCounter } from './token-counter.js';
import { byteCount } from './word-counts.js';

describe('TokenCounter', () => {
  const counter = new TokenCounter();
  /** Returns a function that counts the texts of one request, without pauses. */
  const countFor = async (model: string): Promise<(text: string) => number> => {
    const count = await counter.forModel(model, 'app');
    return (text) => {
      const counted = count(text);
      return typeof counted === 'number' ? counted : atOnce(counted);
    };
  };

  it('counts the same tokens as models with a public vocabulary', async () => {
    const count = await countFor('gpt-4o-2024-08-06');
    expect(count('Hello world, how are you today?')).toBe(8);
    expect((await countFor('gpt-4'))('Hello world, how are you today?')).toBe(8);
  });

  it.each([undefined, 'claude-sonnet-4-5', 'gpt-40', 'o39', 'llama-3'])('counts bytes for %s', async (model) => {
    expect(await counter.forModel(model, 'app')).toBe(byteCount);
    expect(byteCount('äö€')).toBe(7);
  });

  it('never counts fewer tokens than the text has, nor more than it has bytes', async () => {
    const count = await countFor('gpt-4o');
    const text = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 300 }),
      fc
        .array(fc.constantFrom(' ', '\n', 'the ', 'x'.repeat(150), '東京', ' {"a": 1}', '<|endoftext|>', "don't"))
        .map((parts) => parts.join('')),
    );
    fc.assert(
      fc.property(text, (value) => {
        const counted = count(value);
        expect(counted).toBeGreaterThanOrEqual(countTokens(value, { disallowedSpecial: new Set() }));
        expect(counted).toBeLessThanOrEqual(byteCount(value.toWellFormed()));
      }),
    );
  });

  it('counts very long words and very long texts by their bytes', async () => {
    const count = await countFor('gpt-4o');
    expect(count('a'.repeat(200_000))).toBe(200_000);
    expect(count(`${'word '.repeat(100_000)}`)).toBe(500_000);
  });

  it('counts the texts of a request by their bytes when it has counted four million units exactly', async () => {
    const text = 'word '.repeat(40_000);
    const count = await countFor('gpt-4o');
    const counted = Array.from({ length: 22 }, () => count(text));
    expect(counted.map((tokens) => tokens === text.length)).toEqual(counted.map((_, index) => index >= 20));
    expect((await countFor('gpt-4o'))(text)).toBe(counted[0]);
  });
});
