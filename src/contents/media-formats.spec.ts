import fc from 'fast-check';
import { atOnce } from '../core/index.js';
import { readingMediaType } from '../documents/index.js';
import { readContent } from './read-content.js';

const base64 = (text: string): Buffer => Buffer.from(text, 'base64');
const u32le = (value: number): Buffer => Buffer.from(Uint32Array.of(value).buffer);
const box = (type: string, content: Buffer): Buffer => {
  const head = Buffer.alloc(8);
  head.writeUInt32BE(8 + content.length);
  head.write(type, 4, 'latin1');
  return Buffer.concat([head, content]);
};
const noise = (length: number): Buffer =>
  Buffer.from(Array.from({ length }, (_, at) => (at * 89 + (at >> 2) * 7) % 256));

const SAMPLES: Readonly<Record<string, Buffer>> = {
  'image/png': base64(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  ),
  'image/gif': base64('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7'),
  'image/jpeg': Buffer.concat([
    Buffer.from('ffd8ffe000104a46494600010100000100010000ffda0003009f', 'hex'),
    noise(64).map((byte) => (byte === 0xff ? 0 : byte)),
    Buffer.from('ffd9', 'hex'),
  ]),
  'image/webp': Buffer.concat([Buffer.from('RIFF'), u32le(4 + 8 + 20), Buffer.from('WEBPVP8L'), u32le(20), noise(20)]),
  'audio/wav': Buffer.concat([
    Buffer.from('RIFF'),
    u32le(4 + 24 + 8 + 40),
    Buffer.from('WAVEfmt '),
    u32le(16),
    noise(16),
    Buffer.from('data'),
    u32le(40),
    noise(40),
  ]),
  'video/mp4': Buffer.concat([
    box('ftyp', Buffer.from('isom\0\0\x02\0')),
    box('moov', noise(30)),
    box('mdat', noise(60)),
  ]),
  'audio/mpeg': Buffer.concat(
    [1, 2, 3, 4].map(() => Buffer.concat([Buffer.from('fffb9064', 'hex'), Buffer.alloc(413, 0xaa)])),
  ),
  'audio/ogg': Buffer.concat([Buffer.from('OggS\0\x02'), Buffer.alloc(20), Buffer.from([1, 40]), noise(40)]),
};

describe('readingMediaType', () => {
  it.each(Object.entries(SAMPLES))('recognises %s', (type, bytes) => {
    expect(atOnce(readingMediaType(bytes))).toBe(type);
    expect(readContent(bytes)).toEqual({ kind: 'media', type });
  });

  it.each(Object.entries(SAMPLES))('does not recognise %s as media if a text follows', (_, bytes) => {
    fc.assert(
      fc.property(
        fc.json().map((json) => `\n{"prompt": ${json}}\n`),
        (text) => {
          const content = readContent(Buffer.concat([bytes, Buffer.from(text)]));
          expect(content.kind).not.toBe('media');
        },
      ),
    );
  });

  it.each(Object.entries(SAMPLES))('reads a text after the first bytes of %s as text', (_, bytes) => {
    const text = '{"prompt":"say these very words"}\n'.repeat(20);
    const content = readContent(Buffer.concat([bytes.subarray(0, 12), Buffer.from(`\n${text}`)]));
    expect(content.kind === 'media' ? [] : content.kind === 'text' ? [content.text] : content.texts).toEqual(
      expect.arrayContaining([expect.stringContaining('say these very words')]),
    );
  });

  it('reads a text in the samples of an audio file', () => {
    const lines = Buffer.from('\n{"prompt":"say these very words"}\n');
    const wav = Buffer.concat([SAMPLES['audio/wav']!.subarray(0, 40), u32le(lines.length), lines]);
    wav.writeUInt32LE(wav.length - 8, 4);
    expect(atOnce(readingMediaType(wav))).toBe('audio/wav');
    expect(readContent(wav)).toMatchObject({ kind: 'text', why: 'ambiguous' });
  });

  it('returns a result for any bytes, and never throws', () => {
    const beginning = fc.constantFrom(...Object.values(SAMPLES).map((bytes) => bytes.subarray(0, 24)), Buffer.alloc(0));
    fc.assert(
      fc.property(beginning, fc.uint8Array({ maxLength: 300 }), (start, rest) => {
        const bytes = Buffer.concat([start, rest]);
        expect(['text', 'media', 'unread']).toContain(readContent(bytes).kind);
      }),
      { numRuns: 500 },
    );
  });
});
