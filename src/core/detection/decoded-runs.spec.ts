import { decodedRunsOf, type DecodedRun } from './decoded-runs.js';
import { signsOf } from './text-signs.js';
import { atOnce } from '../steps/steps.js';

const runsOf = (text: string): readonly DecodedRun[] => atOnce(decodedRunsOf(text, atOnce(signsOf(text))));
const decoded = (text: string): string[] => runsOf(text).map((run) => run.text);
const stands = (text: string): string[] => runsOf(text).map(({ from, to }) => text.slice(from, to));

/** North American Braille Computer Code, by pattern. */
const OF_COMPUTERS = ' A1B\'K2L@CIF/MSP"E3H9O6R^DJG>NTQ,*5<-U8V.%[$+X!&;:4\\0Z7(_?W]#Y)=';
const inUtf16 = (text: string): string => Buffer.from(text, 'utf16le').swap16().toString('base64').replace(/=+$/, '');
const WORDS = 'the key is here and now ok';
const code = (letter: string): number => letter.charCodeAt(0);
const each = (spell: (code: number) => string): string => Array.from(WORDS, (letter) => spell(code(letter))).join('');

function uuencoded(words: string): string {
  const sign = (value: number): string => String.fromCharCode(value === 0 ? 0x60 : value + 0x20);
  const lines = words.match(/[^]{1,45}/g)!.map((line) => {
    const bytes = Buffer.concat([Buffer.from(line), Buffer.alloc((3 - (line.length % 3)) % 3)]);
    let signs = sign(line.length);
    for (let at = 0; at < bytes.length; at += 3) {
      const three = bytes.readUIntBE(at, 3);
      signs += [18, 12, 6, 0].map((shift) => sign((three >> shift) & 63)).join('');
    }
    return signs;
  });
  return `begin 644 a.txt\n${lines.join('\n')}\n\u0060\nend\n`;
}

function hexDump(words: string, head: string, group: number, column: (line: string) => string): string {
  const lines = words.match(/[^]{1,16}/g)!.map((line, index) => {
    const groups = Buffer.from(line)
      .toString('hex')
      .match(new RegExp(`.{1,${group * 2}}`, 'g'))!;
    return `${(index * 16).toString(16).padStart(8, '0')}${head}${groups.join(' ')}${column(line)}`;
  });
  return lines.join('\n');
}

describe('the text that a run of characters encodes', () => {
  it.each([
    ['a uuencoded file', uuencoded(WORDS.repeat(4)), WORDS.repeat(4)],
    ['a dump by xxd', hexDump(WORDS, ': ', 2, (line) => `  ${line}`), WORDS],
    ['a dump by xxd without letters', hexDump(WORDS, ': ', 2, () => ''), WORDS],
    ['a dump by hexdump', hexDump(WORDS, '  ', 1, (line) => `  |${line}|`), WORDS],
    ['binary digits in one row', each((point) => point.toString(2).padStart(8, '0')), WORDS],
    [
      'bytes as variation selectors',
      `\u{1f600}${each((point) => String.fromCodePoint(point < 16 ? 0xfe00 + point : 0xe0100 + point - 16))}`,
      WORDS,
    ],
    ['text from right to left', `\u202e${[...WORDS].reverse().join('')}\u202c`, WORDS],
    [
      'base64 in groups',
      Buffer.from(WORDS)
        .toString('base64')
        .match(/.{1,4}/g)!
        .join(' '),
      WORDS,
    ],
    ['codes of three decimal digits in one row', each((point) => String(point).padStart(3, '0')), WORDS],
    ['codes of three octal digits in one row', each((point) => point.toString(8).padStart(3, '0')), WORDS],
    ['bytes as patterns of Braille', each((point) => String.fromCharCode(0x2800 + point)), WORDS],
    [
      'Braille of computers',
      each((point) =>
        String.fromCharCode(0x2800 + OF_COMPUTERS.indexOf(String.fromCharCode(point).toUpperCase())),
      ).replace(/^\u2800+/, ''),
      WORDS.toUpperCase(),
    ],
    ['Braille', '⠠⠞⠑⠇ ⠼⠁⠃⠚⠤⠼⠉⠙⠰⠁⠼⠑⠲⠼⠋⠒ ⠠⠠⠁⠃⠉⠼⠛⠈⠁⠭⠽⠨⠤⠵⠲⠙⠑', 'Tel 120-34a5.6: ABC7@xy_z.de'],
    ['Braille without signs of capitals', '⠁⠃⠉⠙⠑⠋⠛⠓⠊⠚⠅⠇⠍⠝⠕⠏⠟⠗⠎⠞⠥⠧⠺⠭⠽⠵', 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'],
    ['Braille with a seventh dot in capitals', '⡁⠃⡉⠙⡑⠋⡛⠓⡊⠚⡅⠇', 'AbCdEfGhIjKl'],
    ['UTF-7', `+${inUtf16('the key is here')}-.now+${inUtf16('@')}-ok`, 'the key is here.now@ok'],
    ['a credential backwards', 'Kc9Zx8mN7qLp2Rw4T_yek', 'key_T4wR2pLq7Nm8xZ9cK'],
    ['an account number backwards', '00031023504400407398ED', 'DE89370400440532013000'],
    ['an address backwards', 'moc.elpmaxe@lleb.ana', 'ana.bell@example.com'],
  ])('is read from %s', (_what, text, words) => {
    expect(decoded(`see ${text} there`).map((one) => one.trimEnd())).toContain(words);
    expect(decoded(`see\n${text}\nthere`).map((one) => one.trimEnd())).toContain(words);
  });

  const wide = (text: string): string => text.replace(/[!-~]/g, (sign) => String.fromCharCode(code(sign) + 0xfee0));
  it.each<[string, (text: string) => string]>([
    ['an invisible character', (text) => `${text.slice(0, 9)}\u200b${text.slice(9)}`],
    ['invisible characters throughout', (text) => [...text].join('\u2060\u200b')],
    ['a percent sign', (text) => `${text.slice(0, 9)}%${code(text[9]!).toString(16)}${text.slice(10)}`],
    ['an entity', (text) => `${text.slice(0, 9)}&#${code(text[9]!)};${text.slice(10)}`],
    ['an escape', (text) => `${text.slice(0, 9)}\\u00${code(text[9]!).toString(16)}${text.slice(10)}`],
    ['escapes throughout', (text) => Array.from(text, (sign) => `\\x${code(sign).toString(16)}`).join('')],
    ['full-width letters', wide],
  ])('is read from base64 and hexadecimal digits with %s, over the range of the run', (_what, spell) => {
    for (const coding of ['base64', 'hex'] as const) {
      const run = spell(Buffer.from(`!${WORDS}!`).toString(coding).replace(/=+$/, ''));
      const text = `see ${run} there`;
      expect(runsOf(text)).toContainEqual({ text: `!${WORDS}!`, from: 4, to: 4 + run.length });
    }
  });

  it('is read from base64 with escaped slashes', () => {
    const run = Buffer.from(`${WORDS}???`).toString('base64');
    expect(run).toContain('/');
    expect(decoded(`see ${run.replaceAll('/', '\\/')} there`)).toContain(`${WORDS}???`);
    expect(decoded(`see ${run} there`)).not.toContain(`${WORDS}???`);
  });

  it('is decoded from long runs in overlapping pieces', () => {
    const long = Array.from({ length: 2_000 }, (_, index) => `line ${index}`).join(',');
    const texts = decoded(uuencoded(long));
    expect(texts.length).toBeGreaterThan(2);
    for (let at = 0; at < long.length; at += 50)
      expect(texts.some((text) => text.includes(long.slice(at, at + 1_000)))).toBe(true);
  });

  it('is reported with the range of the whole run', () => {
    const file = uuencoded(WORDS);
    expect(stands(`a\n${file}b`)).toEqual([file.slice(0, file.indexOf('\u0060\nend'))]);
  });

  it.each([
    'begin 644 words that are no file\nand go on in the next line\n',
    'Berlin 2024 12345678 abcdef 0101 1010',
    '0'.repeat(200),
    'this have that with from they will your more than some word',
    '葛\u{e0100}飾\u{e0101}区\u{e0102}',
    'cafe babe dead beef',
    'd41d8cd98f00b204e9800998ecf8427e 2026-11-27 550e8400-e29b-41d4-a716-446655440000',
    'internationalization and misunderstandings, ana.bell@example.com and a+b@example.org',
    '+1 650 555 0100 and C++ and a+Abc',
    '12345678901234567890 98765432109876543210',
    '⠋⠙⠹ loading',
  ])('does not exist for %j', (text) => {
    expect(decoded(text)).toEqual([]);
  });
});
