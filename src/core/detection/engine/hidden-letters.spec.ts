import fc from 'fast-check';
import type { Finding } from '../../model/finding.js';
import { compilePatterns } from './compile-patterns.js';
import { begunSign } from './disguises.js';
import { wordHead } from './word-head.js';
import { MAIL_AND_KEY } from '../../../../test/support/mail-and-key-patterns.js';
import { sampled } from '../../../../test/support/sampled.js';

const scan = compilePatterns(MAIL_AND_KEY, { codes: new Set(['KEY', 'MAIL'] as const) });
const found = (text: string): string[] => scan(text).map(({ code, start, end }) => `${code}:${text.slice(start, end)}`);

const KEY = 'key_Ab3dEf6hIj9kLm';
const MAIL = 'ana.bell@example.com';
const each = (text: string, spell: (character: string) => string): string => Array.from(text, spell).join('');
const hex = (character: string, digits: number): string => character.charCodeAt(0).toString(16).padStart(digits, '0');
const inBase64 = (text: string, coding: BufferEncoding): string => Buffer.from(text, coding).toString('base64url');
const base64 = (text: string): string => Buffer.from(text).toString('base64');

function base32(text: string, alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'): string {
  const bits = [...Buffer.from(text)].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  return (bits.match(/.{1,5}/g) ?? []).map((five) => alphabet.charAt(Number.parseInt(five.padEnd(5, '0'), 2))).join('');
}

const base32hex = (text: string): string => base32(text, '0123456789ABCDEFGHIJKLMNOPQRSTUV');
const octal = (text: string): string[] => [...text].map((character) => character.charCodeAt(0).toString(8));

const ignorable = Array.from({ length: 0x110000 }, (_, point) => point)
  .filter((point) => point < 0xd800 || point > 0xdfff)
  .map((point) => String.fromCodePoint(point))
  .filter((character) => /[\p{Default_Ignorable_Code_Point}\p{Cf}]/u.test(character));
const controls = Array.from({ length: 0x20 }, (_, unit) => String.fromCharCode(unit)).filter(
  (unit) => !/[\t\n\r]/.test(unit),
);

describe('hidden letters', () => {
  it('are found with any ignorable, blank or control character between them', () => {
    expect(ignorable.length).toBeGreaterThan(4_000);
    const hiding = [...sampled(ignorable, 8), ...controls, '\u007f', '\u2800', '\u3164', '\uffa0', '\u034f'];
    const missed = hiding.filter((sign) => {
      const once = `key_Ab3d${sign}Ef6hIj9kLm`;
      return found(`see ${once}.`)[0] !== `KEY:${once}`;
    });
    expect(missed.map((sign) => sign.codePointAt(0)!.toString(16))).toEqual([]);
    const others = ['\u0000', '\u2800', '\u200b\u200d\u2060', '\ufff0\ufff0', '\ufff9', '\ufffb\ufffa'];
    for (const sign of [...sampled(ignorable, 8), ...others]) {
      const throughout = [...MAIL].join(sign);
      expect([sign, found(`to ${throughout}!`)]).toEqual([sign, [`MAIL:${throughout}`]]);
    }
  });

  it('are found with any combining mark, including enclosing ones', () => {
    const marks = Array.from({ length: 0x70 }, (_, at) => String.fromCharCode(0x300 + at));
    const missed = [
      ...marks,
      '\u0483',
      '\u1ab0',
      '\u1dc0',
      '\ufe20',
      '\u20dd\u20e3',
      '\u20dd',
      '\u20e3',
      '\u20d2',
      '\u0488',
      '\u0336\u0332',
    ].filter((mark) => {
      const marked = each(KEY, (character) => character + mark);
      return found(`see ${marked}.`)[0]?.startsWith('KEY:k') !== true;
    });
    expect(missed.map((mark) => mark.codePointAt(0)!.toString(16))).toEqual([]);
  });

  it.each<[string, string, string]>([
    ['a percent sign', 'MAIL', 'ana.bell%40example.com'],
    ['percent signs throughout', 'MAIL', each(MAIL, (character) => `%${hex(character, 2)}`)],
    ['a percent sign of a percent sign', 'MAIL', 'ana.bell%2540example.com'],
    ['a wide percent sign', 'MAIL', 'ana.bell％40example.com'],
    ['an entity', 'MAIL', 'ana.bell&#64;example.com'],
    ['an entity in hexadecimal digits', 'MAIL', 'ana.bell&#x00040;example.com'],
    ['a named entity', 'MAIL', 'ana.bell&commat;example&period;com'],
    ['an entity of an entity', 'MAIL', 'ana.bell&amp;#64;example.com'],
    ['entities throughout', 'KEY', each(KEY, (character) => `&#${character.charCodeAt(0)};`)],
    ['an entity in percent signs', 'MAIL', 'ana.bell%26%2364%3Bexample.com'],
    ['an escape of C', 'MAIL', String.raw`ana.bell\x40example.com`],
    ['escapes of C throughout', 'KEY', each(KEY, (character) => `\\x${hex(character, 2)}`)],
    ['an escape of C in octal digits', 'MAIL', String.raw`ana.bell\100example.com`],
    [
      'escapes of C in octal digits throughout',
      'KEY',
      each(KEY, (character) => `\\${character.charCodeAt(0).toString(8).padStart(3, '0')}`),
    ],
    ['an escape of JSON', 'MAIL', String.raw`ana.bell\u0040example.com`],
    ['escapes of JSON throughout', 'KEY', each(KEY, (character) => `\\u${hex(character, 4)}`)],
    ['an escaped escape', 'MAIL', String.raw`ana.bell\\u0040example.com`],
    ['escaped escapes throughout', 'KEY', each(KEY, (character) => `\\\\u${hex(character, 4)}`)],
    ['an escape in braces', 'MAIL', String.raw`ana.bell\u{40}example.com`],
    ['an escaped invisible character', 'KEY', String.raw`key_Ab3dEf\u200b6hIj9kLm`],
    ['three invisible characters each', 'KEY', [...KEY].join('\u200b\u200c\u200d')],
    ['letters in squares', 'MAIL', '🅰🅽🅰@🄴🅇ample.com'],
    ['letters in circles', 'MAIL', 'ⓐⓝⓐ@ⓔⓧⓐⓜⓟⓛⓔ.com'],
    ['base64', 'MAIL', base64(MAIL).replace(/=+$/, '')],
    ['base64 of a sentence in the alphabet for URLs', 'MAIL', Buffer.from(`Write to ${MAIL}?>~`).toString('base64url')],
    ['base64 with padding', 'KEY', base64(`${KEY}!!`)],
    ['base64 in lines', 'KEY', base64(`${'Some words. '.repeat(9)}${KEY}`).replace(/.{64}/g, '$&\n')],
    ['base64 in lines of a string', 'KEY', base64(`${'Some words. '.repeat(9)}${KEY}`).replace(/.{64}/g, '$&\\n')],
    ['base64 of base64', 'KEY', base64(base64(`take ${KEY}`)).replace(/=+$/, '')],
    ['base64 of an escape', 'KEY', base64(String.raw`key_Ab3d\x45f6hIj9kLm`).replace(/=+$/, '')],
    ['base64 of Latin-1', 'KEY', inBase64(`caf\u00e9 \u00fcber ${KEY} na\u00efve`, 'latin1')],
    ['base64 of Windows-1252, in quotes', 'KEY', inBase64(`\u0093${KEY}\u0094`, 'latin1')],
    ['base64 of UTF-16', 'MAIL', inBase64(`write to ${MAIL} \u0434\u0430`, 'utf16le')],
    ['base64 of UTF-16 with its mark', 'MAIL', inBase64(`\ufeff\u2019write\u2019 to ${MAIL}`, 'utf16le')],
    [
      'base64 of UTF-16 in the other order',
      'KEY',
      Buffer.from(`take ${KEY}`, 'utf16le').swap16().toString('base64url'),
    ],
    ['hexadecimal digits of Latin-1', 'KEY', Buffer.from(`d\u00e9j\u00e0 ${KEY}`, 'latin1').toString('hex')],
    [
      'percent signs as in the escape function of JavaScript',
      'MAIL',
      each(MAIL, (character) => `%u${hex(character, 4)}`),
    ],
    ['quoted-printable', 'MAIL', 'ana.bell=40example.com'],
    ['quoted-printable throughout', 'KEY', each(KEY, (character) => `=${hex(character, 2).toUpperCase()}`)],
    ['quoted-printable in small letters', 'KEY', each(KEY, (character) => `=${hex(character, 2)}`)],
    ['quoted-printable over two lines', 'KEY', 'key_Ab3dE=\r\nf6hIj9kLm'],
    ['base64 of quoted-printable', 'MAIL', base64('to ana.bell=40example.com')],
    ['hexadecimal digits', 'KEY', each(KEY, (character) => hex(character, 2))],
  ])('are found in %s, over their whole range', (_what, code, hidden) => {
    expect(found(`see ${hidden} now`)).toEqual([`${code}:${hidden}`]);
    expect(found(`see "${hidden}"`)).toEqual([`${code}:${hidden}`]);
  });

  it.each<[string, string]>([
    ['blanks', ' '],
    ['colons', ':'],
    ['line ends and blanks', '\n  '],
    ['0x', ', 0x'],
    ['backslashes', ' \\x'],
    ['the names of characters', ' U+00'],
    ['calls of a function', ').chr(0x'],
  ])(
    'are found in hexadecimal digits with %s between the letters; the finding begins at the third letter or later',
    (_what, between) => {
      const hidden = [...KEY].map((character) => hex(character, 2)).join(between);
      const from = 2 * (2 + between.length);
      const begin = /0x$|00$/.test(between) ? from - 2 : from;
      expect(found(`[${hidden}]`).map((one) => hidden.slice(begin).endsWith(one.slice(4)))).toEqual([true]);
    },
  );

  it.each<[string, string]>([
    ['a list', ', '],
    ['lines', ',\n    '],
    ['calls of a function', ').chr('],
    ['sums', '+[char]'],
    ['a row with a letter between two', 'x'],
  ])('are found in decimal numbers in %s', (_what, between) => {
    expect(found(`(${[...KEY].map((character) => character.charCodeAt(0)).join(between)})`)).toHaveLength(1);
  });

  it('are found in decimal numbers after numbers that are codes in another base', () => {
    // A quotation mark in UTF-8, whose last byte is the code of a letter in octal digits.
    expect(found(`[${[...Buffer.from(`\u201c${KEY}`)].join(', ')}]`)).toHaveLength(1);
  });

  it.each([
    base32(`a ${KEY}`),
    base32(`to ${MAIL}`).toLowerCase(),
    base32hex(`a ${KEY}`),
    base32hex(`to ${MAIL}`).toLowerCase(),
  ])('are found in base32: %s', (hidden) => {
    expect(found(`see ${hidden} now`).map((one) => hidden.endsWith(one.replace(/^\w+:/, '')))).toEqual([true]);
  });

  it.each(['0x', '0X', '\\x', "x'", 'x'])('are found in one row of hexadecimal digits after %s', (mark) => {
    for (const value of [KEY, MAIL]) {
      const digits = Buffer.from(value).toString('hex');
      for (const text of [digits, digits.toUpperCase()])
        expect(found(`see ${mark}${text} now`).map((one) => one.replace(/^\w+:/, ''))).toEqual([text]);
    }
  });

  it.each<[string, string, string]>([
    ['blanks', '', ' '],
    ['commas', '', ','],
    ['backslashes', '\\', '\\'],
    ['a zero in front', '0', ', 0'],
    ['backslashes and a zero', '\\0', '\\0'],
    ['0o', '0o', ' 0o'],
    ['calls of a function', 'chr(0o', ').chr(0o'],
  ])('are found in octal digits with %s', (_what, before, between) => {
    for (const value of [KEY, MAIL]) {
      expect(found(`see ${before}${octal(value).join(between)} now`).length).toBeGreaterThan(0);
      const padded = octal(value).map((digits) => digits.padStart(3, '0'));
      expect(found(`see ${before}${padded.join(between)} now`).length).toBeGreaterThan(0);
    }
  });

  it.each(['0x', '0X', ' 0x', ',0X', '\n0x'])('are found in hexadecimal numbers that each begin with %j', (mark) => {
    for (const value of [KEY, MAIL])
      expect(found(`see ${mark}${[...value].map((character) => hex(character, 2)).join(mark)} now`)).toHaveLength(1);
  });

  it('of any value are found in any encoding of its characters', () => {
    const value = fc.stringMatching(/^key_[A-Za-z0-9]{12,24}$/);
    const spelt: ((text: string) => string)[] = [
      (text) => base32hex(`a ${text}`),
      (text) => base32hex(text).toLowerCase(),
      (text) => `0x${Buffer.from(text).toString('hex')}`,
      (text) => octal(text).join(' '),
      (text) => `\\${octal(text).join('\\')}`,
      (text) => `0o${octal(text).join(', 0o')}`,
      (text) => each(text, (character) => `0x${hex(character, 2)}`),
      (text) => each(text, (character) => `0X${hex(character, 2).toUpperCase()} `),
      (text) => each(text, (character) => `0b${character.charCodeAt(0).toString(2).padStart(8, '0')} `),
    ];
    fc.assert(
      fc.property(value, fc.constantFrom(...spelt), (text, spell) => {
        expect(found(`see ${spell(text)} now`).map((one) => one.slice(0, 4))).toContain('KEY:');
      }),
    );
  });

  it('are found in binary digits', () => {
    const bits = [...KEY].map((character) => character.charCodeAt(0).toString(2).padStart(8, '0'));
    expect(found(`it is ${bits.join(' ')}`)).toHaveLength(1);
  });

  it('in base64 are held back in a stream until the finding is complete, except for the first words of the run', () => {
    const keys = new Set(['KEY'] as const);
    const scanKeys = compilePatterns(MAIL_AND_KEY, { codes: keys });
    const letters = [...'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ'];
    const beginnings = letters.flatMap((first) => letters.map((second) => `${first}${second}y`));
    const runs = beginnings
      .map((beginning) => base64(`${beginning} ${KEY}!!`))
      .filter((run) => wordHead(run, 0, 12) > 0);
    expect(runs.length).toBeGreaterThan(20);
    for (const run of sampled(runs, 8)) {
      const text = `see ${run} now`;
      const start = 4 + wordHead(run, 0, 12);
      expect(scanKeys(text)).toMatchObject([{ code: 'KEY', start, end: 4 + run.length }]);
      for (let cut = 1; cut < 4 + run.length; cut++) {
        const stream = scanKeys.stream(undefined, keys);
        expect([run, cut, stream.push(text.slice(0, cut)).upTo <= start]).toEqual([run, cut, true]);
      }
    }
  });

  it('are not assumed where a control character separates two values: both are found', () => {
    const [key, mail] = scan(`${KEY}\u0000${MAIL}`);
    expect([key?.start, mail?.end]).toEqual([0, KEY.length + 1 + MAIL.length]);
    expect(key!.end).toBeGreaterThanOrEqual(KEY.length);
  });

  it('are not found in numbers, names and hashes', () => {
    const plain = [
      '50%40',
      'AT&T',
      String.raw`C:\x64\u0`,
      String.raw`C:\145\08`,
      'd41d8cd98f00b204e9800998ecf8427e',
      'internationalization',
    ];
    for (const text of plain) expect(found(text)).toEqual([]);
  });

  it('are found in the pieces of a long run of base64 that contain them', () => {
    const run = base64(`${'lorem ipsum dolor '.repeat(1_000)}${KEY} ${'sit amet '.repeat(1_000)}`);
    const [first] = scan(`x ${run} y`);
    expect(first!.code).toBe('KEY');
    expect(first!.end - first!.start).toBeLessThanOrEqual(4_096);
    expect(Buffer.from(run.slice(first!.start - 2, first!.end - 2), 'base64').toString()).toContain(KEY);
  });
});

const PIECES = [
  KEY, MAIL, 'key_', 'Ab3dEf6hIj', 'ana@', 'example.com', ' ', '\n', '%40', '%', '4', '0', '%25', '&', '#64', ';', '&#64;', '&amp;', '\\', 'x40', 'u0040',
  '\\u0040', '\\x', 'u', '\u0000', '\u2800', '\u200b', '\u200b\u200b', '\u0336', '\u034f', 'a', 'R', '=', '\u{1f170}', '\ud83c', '\udd70', '\u{e0041}', '\u{1bca0}', '\ud82f', '\u{1d173}', '\u{e0fff}', '\\100', '\\1', '\\04', '％', 'é', '🅰',
  base64(MAIL), base64(`a ${KEY} b`), inBase64(`\u00e9 ${KEY} \u00fc`, 'latin1'), inBase64(`a ${KEY}`, 'utf16le'), inBase64('\u00ff\u00fe\u00e9', 'latin1'), base64(base64(MAIL)), base64(KEY).slice(0, 13), hex('k', 2), '6b65795f', 'x'.repeat(1_100), 'ab '.repeat(400),
  base32(`a ${KEY}`), base32(MAIL).slice(0, 20), base32hex(`a ${KEY}`), base32hex(MAIL).slice(0, 20), '0x', '\\x', `x${Buffer.from(KEY).toString('hex')}`, each(KEY, (character) => `0x${hex(character, 2)}`), octal(KEY).join(' '), octal(MAIL).join('\\'), `0o${octal(KEY).join(' 0o')}`, '0o153', '\\153', '153 145', '0b01101011', each(KEY, (character) => `${hex(character, 2)} `), each(MAIL, (character) => `${character.charCodeAt(0)}, `), '0x6b', ', ', '115, 107', '6b 65', ':', '0', 'x', '=40', '=', '=\r\n', '=6B', '%u0040', '%u', '\u0600', '\u{110bd}', '\ud804',
  base64('words and words '.repeat(200) + KEY + ' words'.repeat(50)), '\\n', '\r\n', 'QUJDREVGR0hJSktMTU5P',
]; // prettier-ignore

function streamed(pieces: readonly string[]): { released: Finding[]; early: boolean } {
  const stream = scan.stream(undefined, new Set(['KEY', 'MAIL'] as const));
  const whole = scan(pieces.join(''));
  const released: Finding[] = [];
  let early = false;
  for (const piece of [...pieces, undefined]) {
    const { findings, upTo } = piece === undefined ? stream.end() : stream.push(piece);
    released.push(...findings);
    early ||= whole.slice(released.length).some(({ start }) => start < upTo);
  }
  return { released, early };
}

describe('a streamed scan of hidden letters', () => {
  const texts = fc.array(fc.constantFrom(...PIECES), { maxLength: 16 });

  it('finds the same as the scan of the whole text for every split, and releases no part of a finding early', () => {
    fc.assert(
      fc.property(texts, fc.array(fc.nat(), { maxLength: 12 }), (parts, places) => {
        const text = parts.join('');
        const at = [...new Set([0, ...places.map((place) => place % (text.length + 1)), text.length])].sort(
          (a, b) => a - b,
        );
        const pieces = at.slice(1).map((end, index) => text.slice(at[index], end));
        expect(streamed(pieces)).toEqual({ released: scan(text), early: false });
      }),
      { numRuns: Number(process.env['WEIR_TEST_HIDDEN_RUNS'] ?? 400) },
    );
  });

  it('finds the same as the scan of the whole text when every character arrives separately', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(...PIECES.filter(({ length }) => length < 100)), { maxLength: 12 }),
        (parts) => {
          const text = parts.join('');
          expect(streamed(text.split(''))).toEqual({ released: scan(text), early: false });
        },
      ),
      { numRuns: 200 },
    );
  });

  it('releases prose immediately', () => {
    const stream = scan.stream(undefined, new Set(['KEY', 'MAIL'] as const));
    expect(
      ['The quick ', 'brown fox. ', 'A 100% sure ', 'or 2 to 20 times 30 of '].map((piece) => stream.push(piece).upTo),
    ).toEqual([10, 21, 33, 56]);
  });

  it.each(['=', '%', '&', '\\', '%u', '=4'])(
    'quickly decides whether a sign has begun when many marks follow %s',
    (begun) => {
      const text = `${begun}${'\u034f'.repeat(60)}!`;
      const before = performance.now();
      expect(begunSign(text)).toBe(text.length);
      expect(performance.now() - before).toBeLessThan(1_000);
    },
  );
});
