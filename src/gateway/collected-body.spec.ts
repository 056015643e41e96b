import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { CollectedBody } from './collected-body.js';

const KIB = 1024;

describe('CollectedBody', () => {
  it.each([0, 1, 100 * KIB, 128 * KIB, 700 * KIB])(
    'gives back the very %d bytes, however they came',
    async (length) => {
      const bytes = randomBytes(length);
      const collected = new CollectedBody(KIB * KIB);
      const chunks: Buffer[] = [];
      for (let at = 0; at < length; at += 10_007) chunks.push(bytes.subarray(at, at + 10_007));
      expect((await collected.readAll(Readable.from(chunks))).equals(bytes)).toBe(true);
      expect(collected.bytes.equals(bytes)).toBe(true);
    },
  );

  it('keeps nothing beyond its limit', () => {
    const collected = new CollectedBody(10);
    expect(collected.add(Buffer.from('12345678'))).toBe(true);
    expect(collected.add(Buffer.from('abc'))).toBe(false);
    expect(collected.add(Buffer.from('d'))).toBe(false);
    expect(collected.bytes.toString()).toBe('12345678');
  });
});
