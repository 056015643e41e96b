import zlib from 'node:zlib';
import { WeirError } from '../http/index.js';
import { unpackBody, unpackedOrUnreadable } from './content-coding.js';

const LIMIT_BYTES = 4 * 1024 * 1024;
const LIMIT = { bytes: LIMIT_BYTES, ratio: 100 };
const text = Buffer.from('hello '.repeat(100));
/** Packs megabytes: the default quality of Brotli would take long. */
const quickBrotli = (bytes: Buffer): Buffer =>
  zlib.brotliCompressSync(bytes, { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 4 } });

describe('unpackBody', () => {
  it.each<[string | undefined, Buffer]>([
    [undefined, text],
    ['identity', text],
    ['gzip', zlib.gzipSync(text)],
    ['GZIP', zlib.gzipSync(text)],
    ['x-gzip', zlib.gzipSync(text)],
    ['deflate', zlib.deflateSync(text)],
    ['deflate', zlib.deflateRawSync(text)],
    ['br', zlib.brotliCompressSync(text)],
    ['zstd', zlib.zstdCompressSync(text)],
    ['gzip', Buffer.concat([zlib.gzipSync(text.subarray(0, 50)), zlib.gzipSync(text.subarray(50))])],
    ['zstd', Buffer.concat([zlib.zstdCompressSync(text.subarray(0, 50)), zlib.zstdCompressSync(text.subarray(50))])],
  ])('unpacks %s', async (coding, body) => {
    expect((await unpackBody(body, coding, LIMIT)).equals(text)).toBe(true);
  });

  it.each([
    ['gzip', zlib.gzipSync],
    ['deflate', zlib.deflateSync],
    ['deflate', zlib.deflateRawSync],
    ['br', zlib.brotliCompressSync],
    ['zstd', zlib.zstdCompressSync],
  ] as const)(
    'refuses data after the end of a body in %s, because other readers might read such data',
    async (coding, pack) => {
      const body = Buffer.concat([pack(text), Buffer.from('more')]);
      await expect(unpackBody(body, coding, LIMIT)).rejects.toMatchObject({ problem: 'malformed' });
    },
  );

  it('refuses a decompression bomb in many frames', async () => {
    const frame = zlib.zstdCompressSync(Buffer.alloc(LIMIT_BYTES / 2));
    const bomb = Buffer.concat([frame, frame, frame, Buffer.alloc(200_000)]);
    await expect(unpackBody(bomb, 'zstd', LIMIT)).rejects.toMatchObject({ problem: 'too_large' });
    const many = Buffer.concat(Array.from({ length: 1025 }, () => zlib.zstdCompressSync(Buffer.alloc(0))));
    await expect(unpackBody(many, 'zstd', LIMIT)).rejects.toMatchObject({ problem: 'malformed' });
  });

  it.each([
    ['gzip', zlib.gzipSync],
    ['deflate', zlib.deflateSync],
    ['br', quickBrotli],
    ['zstd', zlib.zstdCompressSync],
  ] as const)('refuses a decompression bomb in %s by size and by ratio', async (coding, pack) => {
    const bySize = pack(Buffer.alloc(LIMIT_BYTES + 1, 'ab'));
    await expect(unpackBody(bySize, coding, LIMIT)).rejects.toMatchObject({ problem: 'too_large' });
    const byRatio = pack(Buffer.alloc(3 * 1024 * 1024));
    await expect(unpackBody(byRatio, coding, LIMIT)).rejects.toMatchObject({ problem: 'too_large' });
  });

  it.each([
    ['gzip', zlib.gzipSync],
    ['deflate', zlib.deflateSync],
    ['br', zlib.brotliCompressSync],
    ['zstd', zlib.zstdCompressSync],
  ] as const)('announces each growth of an unpacked body in %s until one is refused', async (coding, pack) => {
    const body = pack(Buffer.alloc(500_000));
    const reached: number[] = [];
    const reach = (bytes: number): Promise<void> => {
      reached.push(bytes);
      return bytes > 200_000 ? Promise.reject(new WeirError('overloaded')) : Promise.resolve();
    };
    await expect(unpackBody(body, coding, { ...LIMIT, reach })).rejects.toMatchObject({ type: 'overloaded' });
    expect(reached).toEqual(reached.toSorted((one, other) => one - other));
    expect(reached.at(-2)).toBeLessThanOrEqual(200_000);
    expect(reached.at(-1)).toBeLessThan(400_000);
    const refused = unpackedOrUnreadable({ body, coding }, { ...LIMIT, reach });
    await expect(refused).rejects.toMatchObject({ type: 'overloaded' });
  });

  it('unpacks a body for readers of packed bodies, or leaves it unreadable for them', async () => {
    const plain = { body: text, coding: undefined };
    expect(await unpackedOrUnreadable({ body: zlib.gzipSync(text), coding: 'gzip' }, LIMIT)).toEqual(plain);
    expect(await unpackedOrUnreadable({ body: text, coding: undefined }, LIMIT)).toEqual(plain);
    const { body, coding } = await unpackedOrUnreadable({ body: text, coding: 'gzip' }, LIMIT);
    await expect(unpackBody(body, coding, LIMIT)).rejects.toMatchObject({ problem: 'unknown' });
  });

  it('applies the configured ratio', async () => {
    const body = zlib.gzipSync(Buffer.alloc(3 * 1024 * 1024));
    expect(await unpackBody(body, 'gzip', { ...LIMIT, ratio: 10_000 })).toHaveLength(3 * 1024 * 1024);
  });

  it.each(['gzip', 'deflate', 'br', 'zstd'])('reads the received part of a truncated body in %s', async (coding) => {
    const long = Buffer.from(Array.from({ length: 20_000 }, (_, line) => `line ${line} of ${line * 7919}\n`).join(''));
    const packed = {
      gzip: zlib.gzipSync(long),
      deflate: zlib.deflateSync(long),
      br: quickBrotli(long),
      zstd: zlib.zstdCompressSync(long),
    }[coding]!;
    const cut = packed.subarray(0, packed.length - 10);
    const read = await unpackBody(cut, coding, LIMIT, false);
    expect(read.length).toBeGreaterThan(0);
    expect(long.subarray(0, read.length).equals(read)).toBe(true);
    expect((await unpackBody(packed, coding, LIMIT, false)).equals(long)).toBe(true);
    await expect(unpackBody(cut, coding, LIMIT)).rejects.toMatchObject({ problem: 'malformed' });
  });

  it('applies the size limit to truncated bodies as well', async () => {
    const bomb = zlib.gzipSync(Buffer.alloc(64 * 1024 * 1024));
    const read = unpackBody(bomb.subarray(0, bomb.length - 10), 'gzip', LIMIT, false);
    await expect(read).rejects.toMatchObject({ problem: 'too_large' });
  });

  it('refuses truncated bodies, and wrong or unknown codings', async () => {
    await expect(unpackBody(zlib.gzipSync(text).subarray(0, 20), 'gzip', LIMIT)).rejects.toMatchObject({
      problem: 'malformed',
    });
    await expect(unpackBody(text, 'br', LIMIT)).rejects.toMatchObject({ problem: 'malformed' });
    await expect(unpackBody(text, 'gzip, br', LIMIT)).rejects.toMatchObject({ problem: 'unknown' });
    await expect(unpackBody(text, 'compress', LIMIT)).rejects.toMatchObject({ problem: 'unknown' });
  });
});
