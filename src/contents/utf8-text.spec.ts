import fc from 'fast-check';
import { atOnce } from '../core/index.js';
import { Utf8Pieces, utf8Bytes, utf8Text, writingUtf8 } from './utf8-text.js';

const bytes = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'binary' }).map((text) => Buffer.from(text)),
      fc.uint8Array({ maxLength: 4 }).map((array) => Buffer.from(array)),
      fc.constantFrom('\ufffd', 'é', '€', '😀').map((text) => Buffer.from(text)),
      fc
        .constantFrom([0xed, 0xa0, 0x80], [0xf4, 0x90, 0x80, 0x80], [0xc0, 0xaf], [0xe2, 0x82])
        .map((list) => Buffer.from(list)),
    ),
    { maxLength: 8 },
  )
  .map((parts) => Buffer.concat(parts));

describe('UTF-8 in pieces', () => {
  it('is converted to text and back into the same bytes, whatever the bytes are and however they are split', () => {
    fc.assert(
      fc.property(bytes, fc.array(fc.nat(), { maxLength: 6 }), (whole, cuts) => {
        const places = [...new Set([0, ...cuts.map((cut) => cut % (whole.length + 1)), whole.length])].sort(
          (a, b) => a - b,
        );
        const reader = new Utf8Pieces();
        const texts = places.slice(1).map((end, index) => reader.push(whole.subarray(places[index], end)));
        const text = [...texts, reader.end()].join('');
        expect(utf8Bytes(text)).toEqual(whole);
      }),
      { numRuns: 2_000 },
    );
  });

  it('is read as the same text if it is well-formed', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.nat(), (text, cut) => {
        const whole = Buffer.from(text);
        const reader = new Utf8Pieces();
        const at = cut % (whole.length + 1);
        expect(reader.push(whole.subarray(0, at)) + reader.push(whole.subarray(at)) + reader.end()).toBe(text);
      }),
    );
  });
});

describe('A long text', () => {
  it('is encoded in many steps into the same bytes, wherever its characters are cut', () => {
    const sign = fc.constantFrom('a', 'é', '€', '😀', '\ud83d', '\ude00');
    fc.assert(
      fc.property(fc.array(sign, { maxLength: 6 }), fc.nat({ max: 6 }), sign, (signs, before, filling) => {
        const text = filling.repeat(65_536 - before) + signs.join('') + filling.repeat(70_000);
        expect(atOnce(writingUtf8(text)).equals(Buffer.from(text))).toBe(true);
        expect([...writingUtf8(text)].length).toBeGreaterThan(3);
      }),
      { numRuns: 50 },
    );
    expect(atOnce(writingUtf8('Hélène 😀')).toString()).toBe('Hélène 😀');
  });
});

describe('Bytes as UTF-8', () => {
  it('are decoded as usual where they are well-formed, and every other byte is preserved', () => {
    fc.assert(
      fc.property(bytes, (whole) => {
        const text = utf8Text(whole);
        expect(utf8Bytes(text)).toEqual(whole);
        // Decoders replace ill-formed bytes with one replacement character for each byte, or with one for several bytes.
        const withoutStrays = text.replace(/(?<![\ud800-\udbff])[\udc80-\udcff]/g, '');
        const decoded = new TextDecoder('utf-8', { ignoreBOM: true }).decode(whole);
        expect(decoded.replaceAll('\ufffd', '')).toBe(withoutStrays.replaceAll('\ufffd', ''));
      }),
      { numRuns: 2_000 },
    );
  });
});
