import fc from 'fast-check';
import { compilePatterns } from './compile-patterns.js';
import { islandsOf } from './disguises.js';
import type { Pattern } from './pattern.js';
import { streamedFindings } from '../../../../test/support/streamed-findings.js';

type Code = 'BLOCK' | 'FILE' | 'KEY';

const PATTERNS: readonly Pattern<Code>[] = [
  {
    code: 'BLOCK',
    regex: /\[BEGIN (?:[\s\S]{16,8192}?\[END\]|[A-Za-z0-9+/\s]{16,8192})/,
    trigger: { on: 'literals', literals: ['[BEGIN'] },
    score: 0.9,
  },
  // Only a complete match counts, so that nothing is found in a part of it.
  { code: 'FILE', regex: /<file>[^<]{40,6000}<\/file>/, trigger: { on: 'literals', literals: ['<file>'] }, score: 0.9 },
  {
    code: 'KEY',
    regex: /(?<![A-Za-z0-9])key_[A-Za-z0-9]{12,40}(?![A-Za-z0-9_-])/,
    trigger: { on: 'literals', literals: ['key_'] },
    score: 0.9,
  },
];
const CODES = new Set<Code>(['BLOCK', 'FILE', 'KEY']);
const scan = compilePatterns(PATTERNS, { codes: CODES });
const found = (text: string): string[] => scan(text).map(({ code, start, end }) => `${code}:${text.slice(start, end)}`);

const body = (length: number): string => 'aB3dE6gH9jK2mN5pQ8rS1tU4vW7xY0z+'.repeat(length / 32);
const KEY = 'key_Ab3dEf6hIj9kLm';

const streamed = (pieces: readonly string[], codes: ReadonlySet<Code>) =>
  streamedFindings(
    scan.stream(undefined, codes),
    pieces,
    scan(pieces.join('')).filter(({ code }) => codes.has(code)),
  );

describe('a long value with a hidden letter', () => {
  it.each<[string, string, string]>([
    ['only at its beginning', 'BLOCK', `[BEGIN%20${body(1_600)} [END]`],
    ['only at its beginning, without an end', 'BLOCK', `[BEGIN%20${body(3_200)}`],
    ['at its beginning and in its middle', 'BLOCK', `[BEGIN%20${body(1_600)}%2B${body(3_200)} [END]`],
    ['more than once in its middle', 'BLOCK', `[BEGIN ${body(1_600)}%2B${body(1_600)}%2B${body(1_600)} [END]`],
    ['in a form of which only the whole is found', 'FILE', `%3Cfile>${body(3_200)}</file>`],
  ])('is found up to its end: %s', (_where, code, value) => {
    for (const around of ['see VALUE, now', `${'some words '.repeat(400)}VALUE, ${'some words '.repeat(900)}`])
      expect(found(around.replace('VALUE', value))).toEqual([`${code}:${value}`]);
  });

  it('does not make the text behind other values be read twice', () => {
    const text = `ana%20bell ${'some words '.repeat(900)}`;
    expect(islandsOf(text)).toEqual([{ from: 0, to: 1_030, sign: 3, end: 6 }]);
    expect(found(`${text}${KEY}`)).toEqual([`KEY:${KEY}`]);
  });

  const pieces = [
    '[BEGIN ', '[BEGIN%20', '[', 'BEGIN', ' ', '[END]', '%5BEND]', '<file>', '%3Cfile>', '</file>', '</file%3E', '%', '20', '%20', '%2B', '\\x41', '&#65;',
    body(64), body(992), body(1_024), body(1_600), body(3_200), body(8_192), 'some words, '.repeat(80), 'ab '.repeat(400), KEY, KEY.replace('_', '%5f'), ', ', '\u200b\u200b', 'a', '\n',
  ]; // prettier-ignore

  it('is found in the same way in a text that arrives in pieces, and no part of it is released early', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(...pieces), { maxLength: 14 }),
        fc.array(fc.nat(), { maxLength: 12 }),
        fc.subarray([...CODES], { minLength: 1 }),
        (parts, places, codes) => {
          const text = parts.join('');
          const at = [...new Set([0, ...places.map((place) => place % (text.length + 1)), text.length])].sort(
            (a, b) => a - b,
          );
          const cut = at.slice(1).map((end, index) => text.slice(at[index], end));
          const asked = new Set(codes);
          const whole = scan(text).filter(({ code }) => asked.has(code));
          expect(streamed(cut, asked)).toEqual({ released: whole, isEarly: false });
        },
      ),
      { numRuns: Number(process.env['WEIR_TEST_HIDDEN_RUNS'] ?? 400) },
    );
  });
});
