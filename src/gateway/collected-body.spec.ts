import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { CollectedBody } from './collected-body.js';
import { SpillFile } from './spill-file.js';

const KIB = 1024;

describe('CollectedBody', () => {
  it.each([0, 1, 100 * KIB, 128 * KIB, 700 * KIB])(
    'returns exactly the %d bytes it received, in whatever chunks they arrived',
    async (length) => {
      const bytes = randomBytes(length);
      const collected = new CollectedBody(KIB * KIB);
      const chunks: Buffer[] = [];
      for (let at = 0; at < length; at += 10_007) chunks.push(bytes.subarray(at, at + 10_007));
      expect((await collected.readAll(Readable.from(chunks))).equals(bytes)).toBe(true);
      expect(collected.bytes.equals(bytes)).toBe(true);
      expect(collected).toHaveLength(length);
      const pieces = [...collected.pieces()];
      expect(Buffer.concat(pieces).equals(bytes)).toBe(true);
      expect(pieces.every((piece) => piece.length <= 32 * KIB)).toBe(true);
    },
  );

  it('reads a complete body, and rejects one that was closed early or exceeds the limit', async () => {
    const ended = Readable.from([]);
    for await (const chunk of ended) expect(chunk).toBeUndefined();
    expect(await new CollectedBody(10).readAll(ended)).toHaveLength(0);

    const closed = new Readable({ read: () => undefined });
    const reading = new CollectedBody(10).readAll(closed);
    closed.destroy();
    await expect(reading).rejects.toThrow('closed before its end');
    await expect(new CollectedBody(10).readAll(closed)).rejects.toThrow('closed before its end');

    const broken = new Readable({ read: () => undefined });
    const whole = new CollectedBody(10).readAll(broken);
    broken.destroy(new Error('reset'));
    await expect(whole).rejects.toThrow('reset');
    await expect(new CollectedBody(10).readAll(broken)).rejects.toThrow('reset');

    const long = Readable.from([Buffer.alloc(8), Buffer.alloc(8)]);
    await expect(new CollectedBody(10).readAll(long)).rejects.toMatchObject({
      message: expect.stringContaining('exceeds the size limit for judged answers') as string,
      options: { retryHelps: false },
    });
    expect(long.destroyed).toBe(true);
  });

  it('keeps blocks in memory when the disk has no room for them', () => {
    const nowhere = new SpillFile(0);
    const collected = new CollectedBody(KIB * KIB, nowhere);
    const bytes = randomBytes(700 * KIB);
    collected.add(bytes);
    expect(collected.bytes.equals(bytes)).toBe(true);
    expect(nowhere.size).toBe(0);
  });

  it('keeps only a small part of a long body in memory', () => {
    const disk = new SpillFile(64 * KIB);
    const bodies = Array.from({ length: 20 }, () => new CollectedBody(10 * KIB * KIB, disk));
    for (let at = 0; at < 10; at++) for (const body of bodies) body.add(randomBytes(100 * KIB));
    expect(disk.size).toBeGreaterThan(20 * 25);
    expect(bodies.every(({ bytes }) => bytes.length === 1_000 * KIB)).toBe(true);
    disk.close();
    expect(() => bodies[0]!.bytes).toThrow('a stored part of an answer differs from the written one');
  });

  it('keeps nothing beyond its limit', () => {
    const collected = new CollectedBody(10);
    expect(collected.add(Buffer.from('12345678'))).toBe(true);
    expect(collected.add(Buffer.from('abc'))).toBe(false);
    expect(collected.add(Buffer.from('d'))).toBe(false);
    expect(collected.bytes.toString()).toBe('12345678');
  });
});
