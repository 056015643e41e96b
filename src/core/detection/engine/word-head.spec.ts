import fc from 'fast-check';
import { compilePatterns } from './compile-patterns.js';
import type { Pattern } from './pattern.js';
import { wordHead } from './word-head.js';

const BASE62 = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'];
const random = (length: number): fc.Arbitrary<string> =>
  fc.array(fc.constantFrom(...BASE62), { minLength: length, maxLength: length }).map((signs) => signs.join(''));

describe('wordHead', () => {
  it.each([
    ['looked', 6],
    ['the', 3],
    ['of8x', 2],
    ['heldUnits', 9],
    ['HTTP', 4],
    ['MAX_RETRY_COUNT', 15],
    ['user/local/main', 15],
    ['.length', 7],
    ['/', 0],
    ['x', 0],
    ['2024', 0],
    ['Qz7vKp', 0],
  ])('reads words at the beginning of %s', (text, length) => {
    expect(wordHead(text, 0, 24)).toBe(length);
    expect(wordHead(`- ${text}`, 2, 24)).toBe(length);
  });

  it('never exceeds its limit', () => {
    expect(wordHead('international', 0, 5)).toBe(5);
  });

  it('never becomes shorter with further text', () => {
    const parts = fc.constantFrom(
      'the',
      'look',
      'ed',
      'Held',
      'HTTP',
      's',
      'is',
      'X',
      'z',
      '7',
      '_',
      '-',
      '.',
      '/',
      'é',
    );
    fc.assert(
      fc.property(fc.array(parts, { maxLength: 8 }), random(6), fc.nat(20), (words, rest, most) => {
        const text = words.join('') + rest;
        for (let end = 0; end < text.length; end++) {
          expect(wordHead(text.slice(0, end), 0, most)).toBeLessThanOrEqual(wordHead(text.slice(0, end + 1), 0, most));
        }
      }),
    );
  });
});

describe('a pattern that spares words', () => {
  const pattern: Pattern<'KEY'> = {
    code: 'KEY',
    regex: /(?<![A-Za-z0-9])[A-Za-z0-9]{16}KEYS[A-Za-z0-9]{4}(?![A-Za-z0-9])/,
    trigger: { on: 'literals', literals: ['KEYS'], before: 16 },
    score: 0.9,
    sparesWords: 8,
  };
  const scan = compilePatterns([pattern], { codes: new Set(['KEY'] as const) });
  const found = (text: string): string[] => scan(text).map(({ start, end }) => text.slice(start, end));

  it('finds the whole match if it does not begin with words, and otherwise the rest', () => {
    expect(found('use Qz7vKp9TmW3xRb5cKEYSa1B2.')).toEqual(['Qz7vKp9TmW3xRb5cKEYSa1B2']);
    expect(found('use lookedp9TmW3xRb5KEYSa1B2.')).toEqual(['9TmW3xRb5KEYSa1B2']);
  });

  it('lets a streamed scan release words immediately, but not text that may begin a random value', () => {
    const upTo = (text: string): number => scan.stream(undefined, new Set(['KEY'] as const)).push(text).upTo;
    for (const text of [' looked', ' the', 'He is', ' HeldUnit', ' IT', '.']) expect(upTo(text)).toBe(text.length);
    expect(upTo('it is Qz7')).toBe(6);
    expect(upTo('it is 4')).toBe(6);
  });

  it('is rejected if the whole match could be words, or if it has a group', () => {
    const compile = (more: Partial<Pattern<'KEY'>>) => () =>
      compilePatterns([{ ...pattern, ...more }], { codes: new Set(['KEY'] as const) });
    expect(compile({ sparesWords: 24 })).toThrow(RangeError);
    expect(compile({ group: 1, regex: /K(EYS)\d{20}/ })).toThrow(RangeError);
  });
});
