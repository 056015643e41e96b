import fc from 'fast-check';
import { pdfOf } from '../../test/support/documents.js';
import { atOnce } from '../core/index.js';
import { readingOtherwise } from './other-readings.js';
import { isForReader, readContent } from './read-content.js';

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

describe('A text in UTF-8', () => {
  /** A GIF whose data are the words, in blocks of at most 120 bytes. */
  const gifOf = (words: string): Buffer => {
    const block = Buffer.from(words.repeat(Math.floor(120 / Buffer.byteLength(words))));
    const blocks = Array.from({ length: 20 }, () => Buffer.concat([Buffer.of(block.length), block]));
    const head = Buffer.from('GIF89a@@@@@@@,@@@@@@@@@@', 'latin1');
    return Buffer.concat([head, ...blocks, Buffer.from('\0;', 'latin1')]);
  };

  it.each([
    ['in Russian', 'секретный ключ '],
    ['in Chinese', '机密文件编号'],
    ['in Greek with words in English', 'μυστικό key '],
  ])('is read although it is also an image: %s', (_, words) => {
    expect(readContent(gifOf(words))).toMatchObject({
      kind: 'text',
      text: expect.stringContaining(words.slice(0, 5)) as string,
      why: 'ambiguous',
    });
  });

  it('is not found in an image that consists of control characters', () => {
    const [head, wave] = [Buffer.from('RIFF\x24\x02\0\0WAVEfmt ', 'latin1'), Buffer.alloc(540)];
    wave.set([16], 0);
    wave.write('data', 20, 'latin1');
    wave.writeUInt32LE(512, 24);
    wave[4] = 0xc3;
    wave[5] = 0xa9;
    expect(readContent(Buffer.concat([head, wave]))).toEqual({ kind: 'media', type: 'audio/wav' });
  });
});

describe('A PDF file without its header', () => {
  const pdf = pdfOf({ pages: [['words']] });
  const headless = pdf.subarray(pdf.indexOf('1 0 obj'));

  it.each<[string, Buffer]>([
    ['alone', headless],
    ['after many words', Buffer.concat([Buffer.from('words '.repeat(300)), headless])],
    ['with its header after many words', Buffer.concat([Buffer.from('words '.repeat(300)), pdf])],
  ])('is a document although it consists of characters: %s', (_, bytes) => {
    expect(readContent(bytes)).toMatchObject({ kind: 'text', why: 'document' });
    expect(isForReader(bytes, bytes.toString('latin1'))).toBe(true);
  });

  it('is a document among other bytes', () => {
    const noise = Buffer.from(Array.from({ length: 2_000 }, (_, at) => (at * 167 + (at >> 3)) % 256));
    expect(readContent(Buffer.concat([noise, headless]))).toMatchObject({ kind: 'unread', why: 'document' });
  });

  it('is not found in words about the format', () => {
    const words = Buffer.from(
      'An obj ends with endobj, a stream with endstream, the file with a trailer and startxref.',
    );
    expect(readContent(words)).not.toHaveProperty('why');
    expect(isForReader(words, words.toString())).toBe(false);
  });
});

describe('A shift of UTF-7', () => {
  it('is decoded in many steps if it is long, and completely, whatever its length is', () => {
    for (let more = 0; more < 10; more++) {
      const signs = 'AEEAQQBB'.repeat(16_384) + 'AEEAQQBBA'.slice(0, more);
      const meant = 'A'.repeat(3 * 16_384 + Math.floor(Math.floor((more * 6) / 8) / 2));
      const steps = readingOtherwise(`x+${signs}-y`);
      let stops = 0;
      let step = steps.next();
      for (; step.done !== true; step = steps.next()) stops++;
      expect(step.value).toEqual([`x${meant}y`]);
      expect(stops).toBeGreaterThanOrEqual(3);
    }
  });

  it('is not decoded if any of its characters is not ASCII', () => {
    const ascii = 'AEEAQQBB'.repeat(16_384);
    for (const word of [`+${ascii}AOQ-`, `+AOQAQQBB${ascii}-`, `+${ascii}+AOQ-x`]) {
      const read = atOnce(readingOtherwise(word));
      expect(read).toEqual(word.endsWith('x') ? [`${'A'.repeat(3 * 16_384)}+AOQ-x`] : []);
    }
  });
});

describe('Words with escapes', () => {
  const word = fc.oneof(
    fc.constantFrom('plain', '\\u0041BC', 'x\\u00e4', '+AEE-', 'a+AGIAYw-', '\\u00', '+-', '😀'),
    fc.string({ maxLength: 12 }).map((text) => text.replace(/\s/g, '')),
  );
  const space = fc.constantFrom(' ', '\n', '\u00a0', ' \t\n');

  it('are read in a text of any length like the same words alone', () => {
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
