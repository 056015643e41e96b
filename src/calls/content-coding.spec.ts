import zlib from 'node:zlib';
import { unpackBody } from './content-coding.js';

const LIMIT_BYTES = 4 * 1024 * 1024;
const LIMIT = { bytes: LIMIT_BYTES, ratio: 100 };
const text = Buffer.from('hello '.repeat(100));

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
  ] as const)('lets nothing stand behind a body in %s, which others might read', async (coding, pack) => {
    const body = Buffer.concat([pack(text), Buffer.from('more')]);
    await expect(unpackBody(body, coding, LIMIT)).rejects.toMatchObject({ problem: 'malformed' });
  });

  it('refuses a bomb in many frames', async () => {
    const frame = zlib.zstdCompressSync(Buffer.alloc(LIMIT_BYTES / 2));
    const bomb = Buffer.concat([frame, frame, frame, Buffer.alloc(200_000)]);
    await expect(unpackBody(bomb, 'zstd', LIMIT)).rejects.toMatchObject({ problem: 'too_large' });
    const many = Buffer.concat(Array.from({ length: 1025 }, () => zlib.zstdCompressSync(Buffer.alloc(0))));
    await expect(unpackBody(many, 'zstd', LIMIT)).rejects.toMatchObject({ problem: 'malformed' });
  });

  it.each([
    ['gzip', zlib.gzipSync],
    ['deflate', zlib.deflateSync],
    ['br', zlib.brotliCompressSync],
    ['zstd', zlib.zstdCompressSync],
  ] as const)('refuses a bomb in %s by size and by ratio', async (coding, pack) => {
    const bySize = pack(Buffer.alloc(LIMIT_BYTES + 1, 'ab'));
    await expect(unpackBody(bySize, coding, LIMIT)).rejects.toMatchObject({ problem: 'too_large' });
    const byRatio = pack(Buffer.alloc(3 * 1024 * 1024));
    await expect(unpackBody(byRatio, coding, LIMIT)).rejects.toMatchObject({ problem: 'too_large' });
  });

  it('takes the ratio that it is told to', async () => {
    const body = zlib.gzipSync(Buffer.alloc(3 * 1024 * 1024));
    expect(await unpackBody(body, 'gzip', { ...LIMIT, ratio: 10_000 })).toHaveLength(3 * 1024 * 1024);
  });

  it('refuses what is cut, false or unknown', async () => {
    await expect(unpackBody(zlib.gzipSync(text).subarray(0, 20), 'gzip', LIMIT)).rejects.toMatchObject({
      problem: 'malformed',
    });
    await expect(unpackBody(text, 'br', LIMIT)).rejects.toMatchObject({ problem: 'malformed' });
    await expect(unpackBody(text, 'gzip, br', LIMIT)).rejects.toMatchObject({ problem: 'unknown' });
    await expect(unpackBody(text, 'compress', LIMIT)).rejects.toMatchObject({ problem: 'unknown' });
  });
});
