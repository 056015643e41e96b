import fc from 'fast-check';
import type { Finding } from '../../model/finding.js';
import { compilePatterns } from './compile-patterns.js';
import type { Pattern } from './pattern.js';

type Code = 'BLOCK' | 'KEY';

const PATTERNS: readonly Pattern<Code>[] = [
  {
    code: 'BLOCK',
    regex: /\[BEGIN (?:[\s\S]{16,8192}?\[END\]|[A-Za-z0-9+/\s]{16,8192})/,
    trigger: { on: 'literals', literals: ['[BEGIN'] },
    score: 0.9,
  },
  {
    code: 'KEY',
    regex: /(?<![A-Za-z0-9])key_[A-Za-z0-9]{12,40}(?![A-Za-z0-9_-])/,
    trigger: { on: 'literals', literals: ['key_'] },
    score: 0.9,
  },
];
const CODES = new Set<Code>(['BLOCK', 'KEY']);
const scan = compilePatterns(PATTERNS, { codes: CODES });

const KEY = 'key_Ab3dEf6hIj9kLm';
const words = (length: number): string => 'some words, '.repeat(Math.ceil(length / 12)).slice(0, length);
const SIGNS = 'aB3dE6gH9jK2mN5pQ8rS1tU4vW7xY0z+';
const body = (length: number): string => SIGNS.repeat(Math.ceil(length / SIGNS.length)).slice(0, length);
const block = (length: number): string => `[BEGIN ${body(length)} [END]`;

const CODINGS: Readonly<Record<string, (text: string) => string>> = {
  base64: (text) => Buffer.from(text).toString('base64').replace(/=+$/, ''),
  'base64 in lines': (text) => Buffer.from(text).toString('base64').replace(/=+$/, '').replace(/.{76}/g, '$&\n'),
  'hexadecimal digits': (text) => Buffer.from(text).toString('hex'),
  'a row of numbers': (text) => [...text].map((sign) => sign.charCodeAt(0)).join(', '),
};

/** The part of an encoded text that no finding with this code covers, and that a reader can still decode. */
function uncovered(coded: string, code: Code): string {
  let left = coded;
  for (const { start, end } of [...scan(`x: ${coded}`)].reverse().filter((finding) => finding.code === code))
    left = left.slice(0, Math.max(0, start - 3)) + left.slice(Math.max(0, end - 3));
  return left;
}

describe('an encoded run that is longer than a piece', () => {
  it.each(Object.keys(CODINGS))('is masked up to the end of a long value in it: %s', (name) => {
    const code = CODINGS[name]!;
    for (const length of [1_700, 3_272, 7_000]) {
      for (const before of ['', words(2_500)]) {
        const text = before + block(length);
        const left = uncovered(code(text), 'BLOCK');
        // Nothing is left of the value itself: what is left is not longer than the words in front of it.
        const longest = code(before).length + 40;
        expect([name, length, left.length <= longest]).toEqual([name, length, true]);
      }
    }
  });

  it('is masked wherever it has a value, not only where the first one is', () => {
    for (const code of Object.values(CODINGS)) {
      const text = Array.from({ length: 12 }, () => `${words(1_000)} ${KEY} `).join('');
      const coded = code(text);
      const findings = scan(`x: ${coded}`);
      const places = Array.from({ length: 12 }, (_, index) => code(text.slice(0, index * 1_020 + 1_012)).length);
      for (const place of places)
        expect(findings.some(({ start, end }) => start <= place + 3 && place + 3 < end)).toBe(true);
    }
  });

  it('is masked only in the half of a piece that has a value', () => {
    const coded = CODINGS['base64']!(`${words(12_000)} ${KEY} ${words(9_000)}`);
    expect(scan(`x: ${coded}`).map(({ start, end }) => end - start)).toEqual([2_048]);
  });

  const pieces = [
    ...Object.values(CODINGS).flatMap((code) => [
      code(block(3_272)),
      code(words(1_500) + block(1_700)),
      code(`${words(1_530)}${KEY} ${words(40)}`),
      code(block(2_000)).slice(0, 3_000),
    ]),
    ' ', ', ', '\n', 'word', 'QUJD', '4b6579', '65, ', body(500), KEY, '%41',
  ]; // prettier-ignore

  it('is found in the same way in a text that arrives in pieces, and no part of it is released early', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(...pieces), { maxLength: 7 }),
        fc.array(fc.nat(), { maxLength: 12 }),
        (parts, places) => {
          const text = parts.join('');
          const at = [...new Set([0, ...places.map((place) => place % (text.length + 1)), text.length])].sort(
            (a, b) => a - b,
          );
          const cut = at.slice(1).map((end, index) => text.slice(at[index], end));
          const whole = scan(text);
          const stream = scan.stream(undefined, CODES);
          const released: Finding[] = [];
          for (const piece of [...cut, undefined]) {
            const { findings, upTo } = piece === undefined ? stream.end() : stream.push(piece);
            released.push(...findings);
            for (const late of whole.slice(released.length)) expect(late.start).toBeGreaterThanOrEqual(upTo);
          }
          expect(released).toEqual(whole);
        },
      ),
      { numRuns: 200 },
    );
  });
});
