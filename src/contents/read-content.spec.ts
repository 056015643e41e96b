import fc from 'fast-check';
import { atOnce } from '../core/index.js';
import { readingOtherwise } from './other-readings.js';
import { readContent } from './read-content.js';

const chunk = (type: string, data: Buffer): Buffer => {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  return Buffer.concat([length, Buffer.from(type), data, Buffer.alloc(4)]);
};
const png = (data: Buffer): Buffer =>
  Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', Buffer.alloc(13)),
    chunk('IDAT', data),
    chunk('IEND', Buffer.alloc(0)),
  ]);
const OTHER = Buffer.from([0x80, 0x81, 0x82, 0x83, 0x84, 0x85]);

describe('An image', () => {
  it('counts as ambiguous when thousands of its lines begin like JSON', () => {
    const lines = Buffer.concat(Array.from({ length: 2_000 }, () => Buffer.concat([OTHER, Buffer.from('\r{')])));
    const picture = png(Buffer.concat([lines, Buffer.from('}\n'), OTHER]));
    expect(readContent(picture)).toMatchObject({ kind: 'text', why: 'ambiguous' });
  });

  it('is recognised when thousands of its lines begin like JSON, but none ends like JSON', () => {
    const lines = Buffer.concat(Array.from({ length: 2_000 }, () => Buffer.concat([OTHER, Buffer.from('\r{')])));
    expect(readContent(png(Buffer.concat([lines, Buffer.from('\n'), OTHER])))).toMatchObject({ kind: 'media' });
  });

  it.each(['\n', '\r', '\n \t', '\r{\r'])('counts as ambiguous when JSON follows %j in its data', (before) => {
    const data = Buffer.concat([OTHER, Buffer.from(`${before}{"prompt":"say this"} \t\u00a0\n`), OTHER]);
    expect(readContent(png(data))).toMatchObject({ kind: 'text', why: 'ambiguous' });
  });
});

describe('Words with escapes', () => {
  const word = fc.oneof(
    fc.constantFrom('plain', '\\u0041BC', 'x\\u00e4', '+AEE-', 'a+AGIAYw-', '\\u00', '+-', '😀'),
    fc.string({ maxLength: 12 }).map((text) => text.replace(/\s/g, '')),
  );
  const space = fc.constantFrom(' ', '\n', '\u00a0', ' \t\n');

  it('are read in a text of any length as each word is read alone', () => {
    const times = fc.constantFrom(1, 40_000);
    fc.assert(
      fc.property(fc.array(fc.tuple(word, space), { minLength: 1, maxLength: 6 }), times, (pairs, count) => {
        const text = pairs.map(([one, between]) => one + between).join('');
        const long = text.repeat(Math.ceil(count / text.length));
        const alone = new Set(pairs.flatMap(([one]) => atOnce(readingOtherwise(one))));
        expect(new Set(atOnce(readingOtherwise(long)))).toEqual(alone);
        expect(atOnce(readingOtherwise(long))).toHaveLength(
          Math.ceil(count / text.length) * atOnce(readingOtherwise(text)).length,
        );
      }),
      { numRuns: 100 },
    );
  });
});
