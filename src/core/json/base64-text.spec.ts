import fc from 'fast-check';
import { atOnce } from '../steps/steps.js';
import { readingBase64Text, type Base64Text } from './base64-text.js';

const readBase64Text = (value: string, start: number, end: number): Base64Text | undefined =>
  atOnce(readingBase64Text(value, start, end));

const base64 = (text: string | Uint8Array): string => Buffer.from(text as string).toString('base64');
const textIn = (value: string, start = 0): string | undefined => readBase64Text(value, start, value.length)?.text;
const CONTROL = /[\0-\x08\x0e-\x1a\x1c-\x1f\x7f]/;

describe('readingBase64Text', () => {
  it.each(['a', 'ab', 'abc', 'caf\u00e9 \u20ac \ud83d\ude00', 'a,b\r\n1,2\t3', 'x'.repeat(10_000)])(
    'reads %j',
    (text) => {
      expect(textIn(base64(text))).toBe(text);
      expect(textIn(`data:,${Buffer.from(text).toString('base64url')}`, 6)).toBe(text);
      expect(textIn(base64(text).replace(/(.{2})/g, '$1\r\n'))).toBe(text);
    },
  );

  it.each<[string, string]>([
    ['the beginning of a picture', base64(Uint8Array.of(0x89, 0x50, 0x4e, 0x47))],
    ['an overlong UTF-8 sequence', base64(Uint8Array.of(0xc0, 0xaf))],
    ['control characters', base64('GIF89a\u0001\0')],
    ['no base64', 'a*b='],
    ['both alphabets at once', 'a+b_c-d/'],
    ['padding in the middle', 'YQ==YQ=='],
    ['nothing', ''],
  ])('finds no text in %s', (_, value) => {
    expect(textIn(value)).toBeUndefined();
  });

  it('reads every text that Buffer can encode', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), (text) => {
        fc.pre(!CONTROL.test(text));
        expect(textIn(base64(text))).toBe(text);
      }),
    );
  });
});

const CODINGS: readonly (readonly [string, (text: string) => Buffer])[] = [
  ['UTF-8', (text) => Buffer.from(text)],
  ['UTF-8 with a mark', (text) => Buffer.from(`\ufeff${text}`)],
  ['UTF-16 LE', (text) => Buffer.from(text, 'utf16le')],
  ['UTF-16 LE with a mark', (text) => Buffer.from(`\ufeff${text}`, 'utf16le')],
  ['UTF-16 BE', (text) => Buffer.from(text, 'utf16le').swap16()],
  ['UTF-16 BE with a mark', (text) => Buffer.from(`\ufeff${text}`, 'utf16le').swap16()],
  ['UTF-32 LE', (text) => utf32(text)],
  ['UTF-32 LE with a mark', (text) => utf32(`\ufeff${text}`)],
  ['UTF-32 BE with a mark', (text) => utf32(`\ufeff${text}`).swap32()],
  ['Latin-1', (text) => Buffer.from(text, 'latin1')],
];

function utf32(text: string): Buffer {
  const codes = Array.from(text, (char) => char.codePointAt(0)!);
  const bytes = Buffer.alloc(codes.length * 4);
  codes.forEach((code, at) => bytes.writeUInt32LE(code, at * 4));
  return bytes;
}

const SPELLINGS: readonly (readonly [string, (bytes: Buffer) => string])[] = [
  ['base64', (bytes) => bytes.toString('base64')],
  ['base64 without padding', (bytes) => bytes.toString('base64').replace(/=+$/, '')],
  ['base64url', (bytes) => bytes.toString('base64url')],
  ['base64url with padding', (bytes) => bytes.toString('base64').replaceAll('+', '-').replaceAll('/', '_')],
  ['base64 in lines', (bytes) => bytes.toString('base64').replace(/.{76}/g, '$&\r\n')],
  ['base64 in lines, ended', (bytes) => `${bytes.toString('base64').replace(/.{64}(?=.)/g, '$&\n')}\n`],
];

describe('Base64 with a masked value', () => {
  const cases = CODINGS.flatMap(([coding, encode]) =>
    SPELLINGS.map(([spelling, write]) => [coding, spelling, (text: string) => write(encode(text))] as const),
  );

  it.each(cases)('keeps the encoding and the spelling of the original: %s, %s', (_coding, _spelling, write) => {
    // Text whose characters exist in every encoding, and that is recognised as text in each of them.
    const latin = fc.string({
      unit: fc.constantFrom(...'abcXYZ 019,.;@\n\u00e4\u00e9\u00ff\u00bf>?~'),
      maxLength: 200,
    });
    fc.assert(
      fc.property(latin, latin, (before, after) => {
        const text = `The address of this person is ${before}mail@example.com${after}, they say.`;
        const read = readBase64Text(write(text), 0, write(text).length);
        expect(read?.text).toBe(text);
        const masked = text.replace('mail@example.com', '[EMAIL]');
        const written = read!.write(masked);
        expect(unpadded(written)).toBe(unpadded(write(masked)));
        expect(readBase64Text(written, 0, written.length)?.text).toBe(masked);
        expect(read!.write(text).replace(/=+\s*$/, '')).toBe(write(text).replace(/=+\s*$/, ''));
      }),
      { numRuns: 25 },
    );
  });
});

/** Base64 that needs no padding does not show whether its client pads; base64 in one line does not show the line length. */
function unpadded(value: string): string {
  return value
    .replace(/[=\s]+/g, '')
    .replaceAll('-', '+')
    .replaceAll('_', '/');
}
