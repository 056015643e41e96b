import fc from 'fast-check';
import { decodeBase64Text, encodeBase64Text } from './base64-text.js';

const base64 = (text: string | Uint8Array): string => Buffer.from(text as string).toString('base64');
const CONTROL = /[\0-\x08\x0e-\x1f\x7f]/;

describe('decodeBase64Text', () => {
  it.each(['a', 'ab', 'abc', 'caf\u00e9 \u20ac \ud83d\ude00', 'a,b\r\n1,2\t3', 'x'.repeat(10_000)])(
    'reads %j',
    (text) => {
      expect(decodeBase64Text(base64(text), 0)).toBe(text);
      expect(decodeBase64Text(`data:,${Buffer.from(text).toString('base64url')}`, 6)).toBe(text);
      expect(decodeBase64Text(base64(text).replace(/(.{2})/g, '$1\r\n'), 0)).toBe(text);
    },
  );

  it.each<[string, string]>([
    ['bytes that are no UTF-8', base64(Uint8Array.of(0x89, 0x50, 0x4e, 0x47))],
    ['a character longer than it has to be', base64(Uint8Array.of(0xc0, 0xaf))],
    ['half a surrogate pair', base64(Uint8Array.of(0xed, 0xa0, 0x80))],
    ['half a character', base64(Uint8Array.of(0x61, 0xe2, 0x82))],
    ['control characters', base64('GIF89a\u0001\0')],
    ['a PDF file', base64('%PDF-1.4 words')],
    ['no base64', 'a*b='],
    ['nothing', ''],
  ])('finds no text in %s', (_, value) => {
    expect(decodeBase64Text(value, 0)).toBeUndefined();
  });

  it('reads what the platform reads, and takes no bytes for text that are none', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.uint8Array(),
          fc.string({ unit: 'binary' }).map((text) => Buffer.from(text)),
        ),
        (bytes) => {
          const text = Buffer.from(bytes).toString('utf8');
          const isText = Buffer.from(text).equals(Buffer.from(bytes)) && text !== '' && !CONTROL.test(text);
          expect(decodeBase64Text(base64(bytes), 0)).toBe(isText ? text : undefined);
        },
      ),
    );
  });
});

describe('encodeBase64Text', () => {
  it('writes what the platform writes', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(encodeBase64Text(text)).toBe(Buffer.from(text).toString('base64'));
      }),
    );
  });
});
