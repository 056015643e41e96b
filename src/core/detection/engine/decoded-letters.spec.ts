import fc from 'fast-check';
import type { Finding } from '../../model/finding.js';
import { compilePatterns } from './compile-patterns.js';
import { isInvisible } from './ignorable.js';
import { hides } from './disguises.js';
import type { Pattern } from './pattern.js';

type Code = 'KEY' | 'MAIL' | 'SSN' | 'IBAN';

const PATTERNS: readonly Pattern<Code>[] = [
  {
    code: 'KEY',
    regex: /(?<![A-Za-z0-9])key_[A-Za-z0-9]{12}(?![A-Za-z0-9_-])/,
    trigger: { on: 'literals', literals: ['key_'] },
    score: 0.9,
  },
  {
    code: 'MAIL',
    regex: /(?<![a-z0-9.])[a-z0-9.]{1,20}@[a-z0-9]{1,20}\.[a-z]{2,6}(?![a-z])/i,
    trigger: { on: 'literals', literals: ['@'], before: 20 },
    score: 0.9,
  },
  {
    code: 'SSN',
    regex: /(?<![\w-])\d{3}-\d{2}-\d{4}(?![\w-])/,
    trigger: { on: 'token', token: 'digit' },
    score: 0.9,
  },
  {
    code: 'IBAN',
    regex: /(?<![A-Z0-9])DE\d{2}(?: \d{4}){4} \d{2}(?!\d)/,
    trigger: { on: 'literals', literals: ['DE'] },
    score: 0.9,
  },
];
const codes: ReadonlySet<Code> = new Set(['KEY', 'MAIL', 'SSN', 'IBAN']);
const scan = compilePatterns(PATTERNS, { codes });
const found = (text: string): string[] => scan(text).map(({ code, start, end }) => `${code}:${text.slice(start, end)}`);

const KEY = 'key_Ab3dEf6hIj9k';
const MAIL = 'ana.bell@example.com';
const SSN = '123-45-6789';
const each = (text: string, spell: (character: string) => string): string => Array.from(text, spell).join('');
const inBase64 = (text: string): string => Buffer.from(text, 'latin1').toString('base64').replace(/=+$/, '');
const inHex = (text: string): string => Buffer.from(text, 'latin1').toString('hex');
const spelt = (text: string, spell: (code: string) => string): string =>
  text.replace(/[^]/g, (unit) => spell(unit.charCodeAt(0).toString(16).padStart(4, '0')));
const digitsFrom = (zero: number): string => SSN.replace(/\d/g, (digit) => String.fromCodePoint(zero + Number(digit)));

const SEPARATORS = ['\u200b', '\u00ad', '\u3164', '\ufe0f', '\u2060\u200b', '\u200b'.repeat(40), '\u{e0001}'];

describe('An invisible character between two values', () => {
  it.each(SEPARATORS)('is a boundary: both values are found (%j)', (parting) => {
    for (const one of [KEY, SSN]) {
      for (const other of [KEY, SSN])
        expect(found(`see ${one}${parting}${other}.`).map((finding) => finding.slice(4))).toEqual([one, other]);
    }
  });

  it.each(SEPARATORS)('does not hide a value behind a word (%j)', (parting) => {
    expect(found(`my token${parting}${KEY}`)).toEqual([`KEY:${KEY}`]);
    expect(found(`number${parting}${SSN}`)).toEqual([`SSN:${SSN}`]);
  });

  it.each(SEPARATORS)('inside a value does not hide it (%j)', (parting) => {
    for (const [code, value] of Object.entries({ KEY, SSN, MAIL })) {
      const hidden = value.slice(0, 9) + parting + value.slice(9);
      expect(found(`see ${hidden}.`)).toEqual([`${code}:${hidden}`]);
    }
  });

  it('is a sign of hidden letters for every invisible character before a word', () => {
    const missed = Array.from({ length: 0xe1000 }, (_, point) => point)
      .filter((point) => isInvisible(point))
      .filter((point) => !hides(`a${String.fromCodePoint(point)}b`));
    expect(missed.map((point) => point.toString(16))).toEqual([]);
  });
});

describe('Any number of invisible characters', () => {
  it.each([
    ['in one place', `key_${'\u200b'.repeat(500)}Ab3dEf6hIj9k`],
    ['after each letter', [...KEY].join('\u200b'.repeat(20))],
    ['of several kinds after each letter', [...KEY].join('\u200b\u2060\u{e0fff}\u034f'.repeat(9))],
    ['around a look-alike', `k${'\u200b'.repeat(30)}\u0435${'\u200b'.repeat(30)}y_Ab3dEf6hIj9k`],
  ])('%s does not hide a value', (_what, hidden) => {
    expect(found(`see ${hidden} now`)).toEqual([`KEY:${hidden}`]);
  });
});

describe('Decoded characters are normalised:', () => {
  it.each<[string, Code, string]>([
    ['a dash as an entity', 'SSN', '123&#8211;45&#8211;6789'],
    ['a dash that does not break', 'SSN', '123&#8209;45&#x2011;6789'],
    ['a dash as a named entity', 'SSN', '123&ndash;45&minus;6789'],
    ['a dash as an escape', 'SSN', String.raw`123\u201345\u20136789`],
    ['a dash in percent signs', 'SSN', '123%E2%80%9345%E2%80%936789'],
    ['digits of another script as entities', 'SSN', each(digitsFrom(0x660), (sign) => `&#${sign.charCodeAt(0)};`)],
    ['digits of another script as escapes', 'SSN', spelt(digitsFrom(0x966), (hex) => `\\u${hex}`)],
    ['digits of another script in some escapes', 'SSN', String.raw`12\u0663-45-6789`],
    ['digits beyond the basic plane as escapes', 'SSN', spelt(digitsFrom(0x1e950), (hex) => `\\u${hex}`)],
    ['digits in percent signs', 'SSN', encodeURIComponent(digitsFrom(0x6f0))],
    ['a look-alike as an entity', 'KEY', 'k&#1077;y_Ab3dEf6hIj9k'],
    ['a look-alike as an escape', 'KEY', String.raw`k\u0435y_Ab3dEf6hIj9k`],
    ['a look-alike in percent signs', 'KEY', 'k%D0%B5y_Ab3dEf6hIj9k'],
    ['bold letters as escapes', 'KEY', String.raw`\ud835\udc24\ud835\udc1e\ud835\udc32_Ab3dEf6hIj9k`],
    ['small capitals as escapes', 'MAIL', String.raw`\u1d00na.bell@example.com`],
    ['an entity with many zeros', 'MAIL', 'ana.bell&#00000000064;example.com'],
    ['an escape with many zeros', 'MAIL', String.raw`ana.bell\u{0000000040}example.com`],
    ['an escape of Perl', 'MAIL', String.raw`ana.bell\x{40}example.com`],
    ['an invisible character as a named entity', 'MAIL', 'ana.bell&lrm;@exam&InvisibleTimes;ple.com'],
    ['blanks as entities', 'IBAN', 'DE89&nbsp;3704&nbsp;0044&nbsp;0532&nbsp;0130&nbsp;00'],
    ['other blanks as entities', 'IBAN', 'DE89&thinsp;3704&#8239;0044&emsp13;0532&ensp;0130&NonBreakingSpace;00'],
  ])('%s', (_what, code, hidden) => {
    expect(found(`see ${hidden} now`)).toEqual([`${code}:${hidden}`]);
  });

  it('an entity with more digits than any character has is not decoded', () => {
    expect(found(`ana.bell&#${'0'.repeat(30)}64;example.com`)).toEqual([]);
  });
});

describe('Control characters in an encoded text', () => {
  it.each<[string, Code, string]>([
    ['a login by SASL PLAIN', 'MAIL', `\0${MAIL}\0hunter2hunter2`],
    ['a login for another user', 'MAIL', `a\0${MAIL}\0hunter2hunter2`],
    ['a separator after a letter', 'KEY', `a\u0001${KEY}`],
    ['a zero after a letter', 'KEY', `a\0${KEY}`],
    ['a colour', 'KEY', `\u001b[32m${KEY}\u001b[0m`],
  ])('do not hide a value: %s', (_what, code, text) => {
    for (const run of [inBase64(text), inHex(text)])
      expect(found(`AUTH PLAIN ${run}`).map((finding) => finding.replace(/:.*$/s, ''))).toContain(code);
  });

  it('do not make random bytes a text', () => {
    expect(found(inHex(`\0\0\0\0${KEY}`))).toEqual([]);
  });
});

describe('Colour sequences of terminals', () => {
  it.each(['\u001b', String.raw`\x1b`, String.raw`\e`, String.raw`\033`, String.raw`\u001b`])(
    'do not hide a value: %j',
    (esc) => {
      expect(found(`token: ${esc}[1;32m${KEY}${esc}[0m`)).toEqual([`KEY:${KEY}`]);
    },
  );
});

const PIECES = [
  ...SEPARATORS, KEY, MAIL, SSN, 'key_', 'Ab3dEf6hIj9k', '123-45', '-6789', ' ', 'k', '\u0435', 'y_', '\u3002', '\u200b'.repeat(300),
  '&', 'nbsp;', '&ndash;', '&#8211;', '&#0000', '0000064;', '\\', 'u0435', '\\u0663', '\\ud835', '\\udc24', '\\x{', '40}', '\\x1b', '\\e', '\u001b', '[3',
  '2m', '[0m', 'm', '%E2%80%93', '%u0435', '\u1d0b', '\u0661', '\u{1e951}', inBase64(`\0${MAIL}\0x`), inHex(`a\u0001${KEY}`), inBase64(`\u001b[32m${KEY}`),
]; // prettier-ignore

describe('A streamed scan of such texts', () => {
  it('finds the same as the scan of the whole text for every split, and releases no part of a finding early', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(...PIECES), { maxLength: 16 }),
        fc.array(fc.nat(), { maxLength: 12 }),
        (parts, places) => {
          const text = parts.join('');
          const at = [...new Set([...places.map((place) => place % (text.length + 1)), text.length])].sort(
            (a, b) => a - b,
          );
          const whole = scan(text);
          const stream = scan.stream(undefined, codes);
          const released: Finding[] = [];
          let from = 0;
          for (const end of [...at, undefined]) {
            const { findings, upTo } = end === undefined ? stream.end() : stream.push(text.slice(from, end));
            from = end ?? from;
            released.push(...findings);
            for (const { start } of whole.slice(released.length)) expect(start).toBeGreaterThanOrEqual(upTo);
          }
          expect(released).toEqual(whole);
        },
      ),
      { numRuns: Number(process.env['WEIR_TEST_HIDDEN_RUNS'] ?? 400) },
    );
  });
});
