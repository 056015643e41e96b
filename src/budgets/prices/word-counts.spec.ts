import fc from 'fast-check';
import { countTokens as countCl100k } from 'gpt-tokenizer/encoding/cl100k_base';
import { countTokens as countO200k } from 'gpt-tokenizer/encoding/o200k_base';
import { atOnce } from '../../core/index.js';
import { WordCounts } from './word-counts.js';

const options = { disallowedSpecial: new Set<string>() };
const VOCABULARIES = [
  ['o200k_base', (text: string) => countO200k(text, options)],
  ['cl100k_base', (text: string) => countCl100k(text, options)],
] as const;

/** Words of every kind with every separator, so that remembered words stand beside all others. */
const TEXT = fc
  .array(
    fc.oneof(
      fc.constantFrom(' ', ' ', ' ', '  ', '\n', '\n\n', '\t', '\u00a0', '\u3000', '\r\n', ' \n ', '/', '.'),
      fc.constantFrom('the', 'invoice,', "don't", 'Re-sent.', 'tool_calls', 'Straße', 'naïve', '東京', 'x', "it's!"),
      fc.constantFrom('42', '4.5', '2026-12-01', '{"a":1}', '<|endoftext|>', '…', '🙂', '\ud800', 'Mississippi-boats'),
    ),
    { maxLength: 40 },
  )
  .map((parts) => parts.join(''))
  // Longer words are counted by their bytes.
  .filter((text) => !/\S{100}/.test(text));

describe.each(VOCABULARIES)('The tokens of words, by the vocabulary %s', (_name, count) => {
  it('are as many as those of the whole text, however often its words were counted before', () => {
    const words = new WordCounts(count);
    fc.assert(
      fc.property(TEXT, (text) => {
        expect(words.of(text)).toBe(count(text));
        expect(words.of(text)).toBe(count(text));
      }),
      { numRuns: 500 },
    );
  });

  it('are the same if a long text is counted in steps, none of which takes long', () => {
    const sizes: number[] = [];
    const words = new WordCounts((text) => {
      sizes.push(text.length);
      return count(text);
    });
    const prose = fc.array(fc.constantFrom('The ', 'invoice, ', '42 ', 'is paid.\n', 'as of ', '  ', 'Q3-2026 '), {
      ...{ minLength: 600, maxLength: 900 },
    });
    fc.assert(
      fc.property(prose, (parts) => {
        const text = parts.join('');
        expect(atOnce(words.counting(text))).toBe(count(text));
        expect([...words.counting(text)].length).toBeGreaterThan(1);
      }),
      { numRuns: 20 },
    );
    expect(Math.max(...sizes)).toBeLessThan(2_048);
  });

  it('are not counted again for an ordinary word', () => {
    const counted: string[] = [];
    const words = new WordCounts((text) => {
      counted.push(text);
      return count(text);
    });
    words.of('The invoice was paid twice.');
    counted.length = 0;
    expect(words.of('The invoice 7 was paid.')).toBe(count('The invoice 7 was paid.'));
    expect(counted).toEqual([' paid.', ' 7']);
  });

  it('are counted anew for a word with digits, as credentials have them', () => {
    const counted: string[] = [];
    const words = new WordCounts((text) => {
      counted.push(text);
      return count(text);
    });
    for (let times = 0; times < 2; times++) words.of('token a1b2c3d4');
    expect(counted).toEqual(['token', ' a1b2c3d4', ' a1b2c3d4']);
  });
});
