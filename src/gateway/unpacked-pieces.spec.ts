import { Readable } from 'node:stream';
import zlib from 'node:zlib';
import { CodingError } from '../calls/content-coding.js';
import { beginningOf, leavable, mapChunks, UnpackedPieces } from './unpacked-pieces.js';

const text = Buffer.from(Array.from({ length: 400 }, (_, n) => `data: ${n * 7919}\n\n`).join(''));
const LIMITS = { ratio: 100 };

/** A body that arrives in pieces of a few bytes. */
function* pieces(body: Buffer): Generator<Buffer> {
  for (let at = 0; at < body.length; at += 7) yield body.subarray(at, at + 7);
}

function piecesOf(body: Readable, coding: string | undefined): AsyncIterable<Buffer> {
  return new UnpackedPieces(body, coding, LIMITS).read();
}

async function unpacked(body: Buffer, coding: string | undefined): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of piecesOf(Readable.from(pieces(body), { objectMode: false }), coding)) {
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

const CODINGS = [
  ['gzip', zlib.gzipSync],
  ['x-gzip', zlib.gzipSync],
  ['deflate', zlib.deflateSync],
  ['deflate', zlib.deflateRawSync],
  ['br', zlib.brotliCompressSync],
  ['zstd', zlib.zstdCompressSync],
] as const;

describe('The beginning of a body', () => {
  const bodyOf = (bytes: Buffer): Readable => Readable.from(pieces(bytes), { objectMode: false });
  const rest = async (body: Readable): Promise<Buffer> => Buffer.concat((await body.toArray()) as Buffer[]);

  it.each([
    ['as soon as there is any', 1],
    ['when there is enough', 1_000],
    ['when there is enough, although the body has a small buffer', 100_000],
  ])('is there %s, and is not taken away from the body', async (_when, least) => {
    const bytes = Buffer.alloc(200_000, text);
    const body = bodyOf(bytes);
    const beginning = await beginningOf(body, least);
    expect(beginning.length).toBeGreaterThanOrEqual(least);
    expect(bytes.subarray(0, beginning.length).equals(beginning)).toBe(true);
    expect((await beginningOf(body)).subarray(0, beginning.length).equals(beginning)).toBe(true);
    expect((await rest(body)).equals(bytes)).toBe(true);
  });

  it('is all of a body that is shorter', async () => {
    const body = bodyOf(text.subarray(0, 50));
    expect((await beginningOf(body, 1_000)).equals(text.subarray(0, 50))).toBe(true);
    expect((await rest(body)).equals(text.subarray(0, 50))).toBe(true);
  });

  it('is empty if the body is empty, or fails before there is enough', async () => {
    expect(await beginningOf(Readable.from([], { objectMode: false }), 1_000)).toHaveLength(0);
    const failing = new Readable({ read: () => undefined });
    failing.push('few bytes');
    setImmediate(() => failing.destroy(new RangeError('reset')));
    expect(await beginningOf(failing, 1_000)).toHaveLength(0);
    await expect(rest(failing)).rejects.toThrow();
  });
});

describe('UnpackedPieces', () => {
  it.each([[undefined, (body: Buffer) => body] as const, ...CODINGS])(
    'returns the text of a body in %s',
    async (coding, pack) => {
      expect((await unpacked(pack(text), coding)).equals(text)).toBe(true);
    },
  );

  it.each(CODINGS)(
    'refuses a decompression bomb, a truncated body and bytes after the end, in %s',
    async (coding, pack) => {
      const bomb = pack(Buffer.alloc(8 * 1024 * 1024));
      await expect(unpacked(bomb, coding)).rejects.toMatchObject({ problem: 'too_large' });
      await expect(unpacked(pack(text).subarray(0, -9), coding)).rejects.toThrow(CodingError);
      await expect(unpacked(Buffer.concat([pack(text), Buffer.from('more words')]), coding)).rejects.toThrow(
        CodingError,
      );
    },
  );

  it.each(CODINGS)('lets a second reader continue where the first one stopped, in %s', async (coding, pack) => {
    const body = new UnpackedPieces(Readable.from(pieces(pack(text)), { objectMode: false }), coding, LIMITS);
    const read: Buffer[] = [];
    for (let readers = 0; readers < 3; readers++) {
      for await (const chunk of body.read()) {
        read.push(chunk);
        if (readers < 2) break;
      }
    }
    expect(Buffer.concat(read).equals(text)).toBe(true);
  });

  it('refuses a coding that it does not know', async () => {
    await expect(unpacked(text, 'gzip, br')).rejects.toMatchObject({ problem: 'unknown' });
  });

  it('fails with the error of the body', async () => {
    const torn = new Readable({ read: () => undefined });
    torn.push(zlib.gzipSync(text).subarray(0, 30));
    const all = async (): Promise<void> => {
      for await (const chunk of piecesOf(torn, 'gzip')) expect(chunk.length).toBeGreaterThan(0);
    };
    const ended = all();
    setImmediate(() => torn.destroy(new Error('torn')));
    await expect(ended).rejects.toThrow('torn');
  });
});

describe('a body whose reader may stop', () => {
  const torn = new Error('torn');
  const next = async (chunks: AsyncIterator<Buffer>): Promise<string> => String((await chunks.next()).value);

  it('delivers the chunks that have arrived, later chunks, and the end', async () => {
    const body = new Readable({ read: () => undefined });
    const chunks = leavable(body);
    body.push('a');
    expect(await next(chunks)).toBe('a');
    const later = next(chunks);
    setImmediate(() => body.push('b'));
    expect(await later).toBe('b');
    body.push(null);
    expect(await chunks.next()).toEqual({ done: true, value: undefined });
    expect(await chunks.next()).toEqual({ done: true, value: undefined });
  });

  it.each([
    ['fails', torn, 'torn'],
    ['is closed', undefined, 'Premature close'],
  ])('throws when the body %s, without losing the chunks received before', async (_, error, message) => {
    const body = new Readable({ read: () => undefined });
    const chunks = leavable(body);
    body.push('a');
    expect(await next(chunks)).toBe('a');
    const ended = chunks.next();
    setImmediate(() => body.destroy(error));
    await expect(ended).rejects.toThrow(message);
    expect(await chunks.next()).toEqual({ done: true, value: undefined });
  });

  it('throws if it failed before the first read', async () => {
    const body = new Readable({ read: () => undefined });
    body.on('error', () => undefined).destroy(torn);
    await expect(leavable(body).next()).rejects.toThrow('torn');
  });

  it('ends the wait of a reader that stops, and keeps none of the listeners of the reader', async () => {
    const body = new Readable({ read: () => undefined });
    const before = body.eventNames();
    const chunks = leavable(body);
    const waits = chunks.next();
    await chunks.return!();
    expect(await waits).toEqual({ done: true, value: undefined });
    expect(body.eventNames()).toEqual(before);
    body.push('rest');
    expect(await next(leavable(body))).toBe('rest');
  });
});

describe('mapped chunks', () => {
  const seen: string[] = [];
  let isLeft: boolean;
  async function* chunks(...texts: readonly string[]): AsyncGenerator<Buffer> {
    try {
      for (const text of texts) yield Buffer.from(text);
    } finally {
      isLeft = true;
    }
  }
  const turn = async (chunk: Buffer) => {
    const text = chunk.toString();
    seen.push(text);
    return { bytes: Buffer.from(text.replace('quiet', '').toUpperCase()), isLast: text === 'stop' };
  };
  const all = async (bytes: AsyncIterable<Buffer>): Promise<string[]> => {
    const out: string[] = [];
    for await (const chunk of bytes) out.push(chunk.toString());
    return out;
  };
  beforeEach(() => {
    seen.length = 0;
    isLeft = false;
  });

  it('arrive in order, without those that map to nothing', async () => {
    expect(await all(mapChunks(chunks('a', 'quiet', 'b'), turn))).toEqual(['A', 'B']);
    expect(isLeft).toBe(true);
  });

  it('end with the last mapped chunk, and nothing more is read', async () => {
    expect(await all(mapChunks(chunks('a', 'stop', 'b'), turn))).toEqual(['A', 'STOP']);
    expect([seen, isLeft]).toEqual([['a', 'stop'], true]);
  });

  it('yield to other work when many chunks are available at once and take long', async () => {
    const order: string[] = [];
    const turned = mapChunks(chunks('a', 'b', 'c'), (chunk) => {
      for (const sinceMs = performance.now(); performance.now() - sinceMs < 10;);
      order.push(String(chunk));
      return turn(chunk);
    });
    setImmediate(() => order.push('another'));
    await all(turned);
    expect(order).toEqual(['a', 'another', 'b', 'c']);
  });

  it('release their source when the receiver stops, and when mapping fails', async () => {
    for await (const chunk of mapChunks(chunks('a', 'b'), turn)) if (chunk.length > 0) break;
    expect([seen, isLeft]).toEqual([['a'], true]);
    isLeft = false;
    const failing = mapChunks(chunks('a'), () => Promise.reject(new RangeError('no')));
    await expect(all(failing)).rejects.toThrow(RangeError);
    expect(isLeft).toBe(true);
  });
});
