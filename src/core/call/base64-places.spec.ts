import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { charsetOfDataUrl, checkingLooseBase64, filesIn, findingBase64 } from './base64-places.js';

/** All beginnings in one pattern: a slower reference implementation. */
const FILE =
  /(?<![A-Za-z0-9+/_-])(?:JVBERi0|UEsDB|0M8R4KGx|H4sI|e1xydG|PCFET0NUWVBF|PCFkb2N0eXBl|PGh0bWw|PD94bWwg)[A-Za-z0-9+/_-]{40,}={0,2}/g;
const part = fc.oneof(
  fc.constantFrom(
    'JVBERi0',
    'UEsDB',
    '0M8R4KGx',
    'H4sI',
    'e1xydG',
    'PCFET0NUWVBF',
    'PCFkb2N0eXBl',
    'PGh0bWw',
    'PD94bWwg',
  ),
  fc.constantFrom('"', ' ', ':', '=', '==', 'ß', '-', 'a'),
  fc.integer({ min: 30, max: 50 }).map((length) => 'QmFz'.repeat(13).slice(0, length)),
);

/** The number of stops of a search, and its result. */
function counted<Result>(steps: Generator<void, Result, void>): { stops: number; result: Result } {
  let stops = 0;
  for (let step = steps.next(); ; step = steps.next(), stops++) {
    if (step.done === true) return { stops, result: step.value };
  }
}

describe('Data URLs inside a text', () => {
  /** The whole head in one pattern: a slower reference implementation. */
  const DATA_URL = /data:[^,\s"'<>()]{0,200};base64,/gi;
  /** The content of a URL in a text: long lines, the last line, and padding with the letters directly after it. */
  const CONTENT = /(?:[\w+/-]{60,256}\r?\n[ \t]{0,64}(?=[\w+/-]+={0,2}(?:["'`()<>\r\n]|$)))*[\w+/-]*(?:=[\w+/=-]*)?/y;
  const at = (pattern: RegExp, text: string, start: number): string => {
    pattern.lastIndex = start;
    return pattern.exec(text)?.[0] ?? '';
  };
  const part = fc.oneof(
    fc.constantFrom('data:', 'DATA:', ';base64,', ';Base64,', ';charset=utf-16', 'text/plain', 'QUJD'),
    fc.constantFrom(' ', ',', '"', '(', ':', ';', '\u00a0', '\u0130', '=\n', '\n', '\r\n', '==', 'QUJD'.repeat(16)),
    fc.integer({ min: 170, max: 210 }).map((length) => 'x'.repeat(length)),
  );

  it('are found at any position, with their charset, and end where the base64 ends', () => {
    fc.assert(
      fc.property(fc.array(part, { maxLength: 20 }), (parts) => {
        const text = `${parts.join('')} and words for the length`;
        const meant = [...text.matchAll(DATA_URL)].flatMap(({ index, 0: head }) => {
          const start = index + head.length;
          const whole = at(/[\w+/=\-\s]*/y, text, start);
          const isQuoted = text[index - 1] === '"' && text[start + whole.length] === '"';
          const isInLines = /^[\w+/-]*\s/.test(whole) && !/\S[^\S\r\n]+\S|=\s*[^=\s]/.test(whole);
          const content = isQuoted && isInLines ? whole : at(CONTENT, text, start);
          const charset = charsetOfDataUrl(head);
          const place = { start, end: start + content.length };
          return content === '' ? [] : [charset === undefined ? place : { ...place, charset }];
        });
        expect([...counted(findingBase64(text)).result.urls]).toEqual(meant);
      }),
      { numRuns: 2_000 },
    );
  });

  /** The range that is found in a text: its first URL begins after `base64,`. */
  const contentOf = (text: string): string[] =>
    [...counted(findingBase64(text)).result.urls].map(({ start, end }) => text.slice(start, end));

  it.each<[string, string]>([
    ['words', 'Why is data:text/plain;base64,SGVsbG8gd29ybGQ= not decoded'],
    ['words without padding', 'Why is data:text/plain;base64,SGVsbG8gd29ybGQ not decoded'],
    ['words after a URL at the beginning', 'data:text/plain;base64,SGVsbG8gd29ybGQ why is this not decoded'],
    ['another line', 'LOGO=data:text/plain;base64,SGVsbG8gd29ybGQ=\nNEXT_VAR=1'],
    ['another line without padding', 'LOGO=data:text/plain;base64,SGVsbG8gd29ybGQ\nDONE'],
    ['words in quotes', '"data:text/plain;base64,SGVsbG8gd29ybGQ= is not decoded"'],
    ['a closing quote as an escape', 'url(%22data:text/plain;base64,SGVsbG8gd29ybGQ%22)'],
    ['words after an escaped blank', 'Why is data:text/plain;base64,SGVsbG8gd29ybGQ%20not decoded'],
  ])('do not include the text after them: %s', (_, text) => {
    expect(contentOf(text)).toEqual([expect.stringMatching(/^SGVsbG8gd29ybGQ=?$/)]);
  });

  it('include no other assignment after a long line without padding', () => {
    const letters = 'QUJD'.repeat(16);
    expect(contentOf(`LOGO=data:image/png;base64,${letters}\nNEXT_VAR=1\n`)).toEqual([letters]);
    expect(contentOf(`LOGO=data:image/png;base64,${letters.repeat(9)}\nDONE\n`)).toEqual([letters.repeat(9)]);
  });

  it('include all lines of the length that mails have, and lines of any length in quotes or as the whole text', () => {
    const wrapped = `${`${'QUJD'.repeat(19)}\r\n`.repeat(3)}QQ==`;
    expect(contentOf(`the logo: data:image/png;base64,${wrapped}\r\nand words`)).toEqual([wrapped]);
    const short = 'QUJD\n  REVG\n\tQQ==\n';
    for (const [before, after] of ['""', "''", '``', '()', '<>'])
      expect(contentOf(`src=${before!}data:image/png;base64,${short}${after!} and words`)).toEqual([short]);
    expect(contentOf(`data:image/png;base64,${short}`)).toEqual([short]);
  });

  it('include letters directly after padding, which decoders read differently', () => {
    expect(contentOf('see data:text/plain;base64,QUI=QUJD, please')).toEqual(['QUI=QUJD']);
  });

  it.each<[string, string]>([
    ['with a parameter in quotes', 'see data:text/plain;charset="utf-8";base64,QUJD, please'],
    ['with parameters in quotes and without', "see data:text/plain;a=b;charset='utf-8';c=d;base64,QUJD, please"],
    ['in quotes in JSON', '{"a":"data:text/plain;charset=\\"utf-8\\";base64,QUJD"}'],
    ['with blanks before the last part of the head', 'see data:text/plain;   Base64,QUJD, please'],
    ['with escaped padding', 'see data:text/plain;base64,QUJD%3D%3d, please'],
  ])('are found %s', (_, text) => {
    expect(contentOf(text)).toEqual(['QUJD']);
  });

  it('include escapes among the letters', () => {
    expect(contentOf('see data:text/plain;base64,QU%4aD%3Da, please')).toEqual(['QU%4aD%3Da']);
  });

  it('are found where two steps of the search meet', () => {
    for (let before = 262_100; before < 262_150; before++) {
      const text = `${'x'.repeat(before)} data:text/plain;base64,QUJD" end`;
      const start = text.indexOf('QUJD');
      expect([...counted(findingBase64(text)).result.urls]).toEqual([{ start, end: start + 4 }]);
    }
  });

  it('are searched for in many steps, even if a text consists of beginnings of their heads', () => {
    const text = `${'data:'.repeat(600_000)};base64,QUJD"`;
    const { stops, result } = counted(findingBase64(text));
    expect([...result.urls]).toEqual([{ start: 3_000_008, end: 3_000_012 }]);
    expect(stops).toBeGreaterThan(20);
  });
});

describe('Base64 with characters outside of it', () => {
  const loose = (text: string): boolean => counted(checkingLooseBase64(text)).result;

  it('has at most one such character in ten, besides white space of any kind', () => {
    expect(loose('QUJDREVG:'.repeat(10))).toBe(false);
    expect(loose('QUJDREVGR:'.repeat(10))).toBe(true);
    expect(loose('QUJDREVGR:'.repeat(10).slice(1))).toBe(false);
    expect(loose('QU=+/-_ \t\u00a0\u2003\ufeff'.repeat(10))).toBe(true);
    expect(loose('QUJDREVGß\ud83d'.repeat(10))).toBe(false);
    expect(loose('QUJD')).toBe(false);
  });

  it('is checked in many steps, but only as far as necessary', () => {
    expect(counted(checkingLooseBase64('QUJD'.repeat(100_000))).stops).toBeGreaterThan(5);
    expect(counted(checkingLooseBase64(':'.repeat(600_000)))).toEqual({ stops: 0, result: false });
  });
});

describe('Files encoded inside a text', () => {
  it('are found in base64 at any position, and end where the base64 ends', () => {
    fc.assert(
      fc.property(fc.array(part, { maxLength: 30 }), (parts) => {
        const text = parts.join('');
        const meant = [...text.matchAll(FILE)].map(({ index, 0: found }) => ({
          start: index,
          end: index + found.length,
        }));
        expect(filesIn(text)).toEqual(text.length < 64 ? [] : meant);
      }),
      { numRuns: 2_000 },
    );
  });

  it('are found at the end of a long text, which is searched in many steps', () => {
    const file = gzipSync('some words '.repeat(20)).toString('base64');
    const steps = findingBase64(`${'words and more words '.repeat(100_000)}${file}`);
    let count = 0;
    for (let step = steps.next(); ; step = steps.next(), count++) {
      if (step.done !== true) continue;
      expect(step.value.places).toEqual([{ start: 2_100_000, end: 2_100_000 + file.length }]);
      break;
    }
    expect(count).toBeGreaterThan(6);
  });

  it('are found in hexadecimal digits, with or without a prefix such as 0x', () => {
    const digits = gzipSync('key_'.repeat(20) + 'and words').toString('hex');
    for (const before of ['', 'x ', '0x', '"', "X'", '\\x', 'b: '])
      for (const spelt of [digits, digits.toUpperCase()]) {
        const text = `${before}${spelt}" and more words in this text behind it`;
        const start = before.length;
        expect(filesIn(text)).toEqual([{ start, end: start + spelt.length, hex: true }]);
      }
  });

  it.each<[string, string]>([
    ['bzip2', '425a6831314159265359'],
    ['bzip2 in large blocks', '425a6839314159265359'],
    ['xz', 'fd377a585a00'],
    ['7z', '377abcaf271c'],
    ['RAR', '526172211a07'],
    ['LZ4', '04224d18'],
  ])('are found in both codings: %s', (_, head) => {
    const bytes = Buffer.from(head + '9f'.repeat(60), 'hex');
    for (const written of [bytes.toString('base64'), bytes.toString('base64url'), bytes.toString('hex')])
      expect(filesIn(`{"file":"${written}"}`)).toMatchObject([{ start: 9, end: 9 + written.length }]);
  });

  it('are found in lines of hexadecimal digits, which end with the first shorter line', () => {
    const digits = gzipSync(Array.from({ length: 99 }, (_, at) => at * at).join()).toString('hex');
    for (const [lines, end] of [
      [digits.match(/.{1,60}/g)!, '\n'],
      [digits.match(/.{1,254}/g)!, '\r\n'],
    ] as const) {
      const written = lines.join(end);
      expect(filesIn(`a dump:${end}${written}${end}and words behind it`)).toEqual([
        { start: 7 + end.length, end: 7 + end.length + written.length, hex: true },
      ]);
    }
    const narrow = digits.replace(/.{10}/g, '$&\n');
    expect(counted(findingBase64(narrow)).result.places).toEqual([{ start: 0, end: narrow.length, hex: true }]);
  });

  it('do not include hashes or other numbers', () => {
    const hash = `789c${'0123456789ab'.repeat(5)}`;
    const others = [
      hash,
      `1f8b08${'0'.repeat(51)}`,
      `2f8b08${'0'.repeat(60)}`,
      `1f8b08${'0'.repeat(60)}g`,
      'cafe'.repeat(30),
    ];
    for (const text of others)
      expect(filesIn(`the number is ${text} and nothing else, as all of us can see`)).toEqual([]);
  });
});
