import { finished, pipeline, type Readable } from 'node:stream';
import zlib from 'node:zlib';
import { afterOthersIfLate } from '../judgement/index.js';
import { CodingError, isWrappedDeflate, RATIO_FREE_BYTES, type UnpackedLimits } from '../calls/index.js';

type Unpacker = zlib.Gunzip | zlib.Inflate | zlib.InflateRaw | zlib.BrotliDecompress | zlib.ZstdDecompress;

const FLUSHED = { flush: zlib.constants.Z_SYNC_FLUSH };

/** Functions that create the decoder of a content coding when the first byte arrives. */
const UNPACKERS: ReadonlyMap<string, (firstByte: number) => Unpacker> = new Map<
  string,
  (firstByte: number) => Unpacker
>([
  ['gzip', () => zlib.createGunzip(FLUSHED)],
  ['x-gzip', () => zlib.createGunzip(FLUSHED)],
  ['deflate', (first) => (isWrappedDeflate(first) ? zlib.createInflate(FLUSHED) : zlib.createInflateRaw(FLUSHED))],
  ['br', () => zlib.createBrotliDecompress({ flush: zlib.constants.BROTLI_OPERATION_FLUSH })],
  ['zstd', () => zlib.createZstdDecompress()],
]);

/** A body that is decoded as it arrives. The decoded size has the same limit as that of a complete body. */
export class UnpackedPieces {
  private unpacker: Unpacker | undefined;
  private packedBytes = 0;
  private unpackedBytes = 0;
  private bodyError: Error | undefined;

  /** @param coding the `Content-Encoding` header; at most one coding is understood */
  constructor(
    private readonly body: Readable,
    private readonly coding: string | undefined,
    private readonly limits: Pick<UnpackedLimits, 'ratio'>,
  ) {}

  /**
   * The unread pieces. When a reader stops, the next one continues where it stopped.
   * @throws CodingError; the body's own error when it fails
   */
  read(): AsyncIterableIterator<Buffer> {
    const name = (this.coding ?? 'identity').trim().toLowerCase();
    return name === 'identity' || name === '' ? leavable(this.body) : this.unpacked(name);
  }

  private async *unpacked(name: string): AsyncGenerator<Buffer> {
    this.unpacker ??= await this.begin(name);
    const { unpacker } = this;
    try {
      for await (const chunk of leavable(unpacker)) {
        this.unpackedBytes += chunk.length;
        const most = Math.max(RATIO_FREE_BYTES, this.packedBytes * this.limits.ratio);
        if (this.unpackedBytes > most) throw new CodingError('too_large');
        yield chunk;
      }
    } catch (error) {
      if (error instanceof CodingError) throw error;
      throw this.bodyError ?? new CodingError('malformed');
    }
    // Unread bytes are a part of the answer that the client would not receive.
    if (unpacker.bytesWritten < this.packedBytes) throw new CodingError('malformed');
  }

  /** Ends the call. */
  destroy(): void {
    this.body.destroy();
    this.unpacker?.destroy();
  }

  private async begin(name: string): Promise<Unpacker> {
    const create = UNPACKERS.get(name);
    if (create === undefined) throw new CodingError('unknown');
    const unpacker = create((await beginningOf(this.body))[0] ?? 0);
    this.body.on('data', (chunk: Buffer) => (this.packedBytes += chunk.length));
    this.body.on('error', (error) => (this.bodyError = error));
    pipeline(this.body, unpacker, () => undefined);
    return unpacker;
  }
}

/** A body's chunks. When a reader stops, the body stays open, so that another reader can continue. */
export function leavable(body: Readable): AsyncIterableIterator<Buffer> {
  return new LeavableChunks(body);
}

const NO_MORE: IteratorReturnResult<undefined> = { done: true, value: undefined };

/**
 * Does the work of `Readable.iterator` for one reader at a time; a generator would cost several promises for each
 * chunk.
 */
class LeavableChunks implements AsyncIterableIterator<Buffer> {
  private leaveBody: (() => void) | undefined;
  /** The error that ended the body; null at its regular end, undefined while it is open. */
  private ended: Error | null | undefined;
  private wake: () => void = () => undefined;

  constructor(private readonly body: Readable) {}

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<Buffer>> {
    this.leaveBody ??= this.listen();
    const value = this.read();
    return value === null ? this.nextLater() : Promise.resolve({ done: false, value });
  }

  return(): Promise<IteratorResult<Buffer>> {
    this.ended = null;
    this.wake();
    return this.nextLater();
  }

  private async nextLater(): Promise<IteratorResult<Buffer>> {
    while (this.ended === undefined) {
      await new Promise<void>((resolve) => (this.wake = resolve));
      const value = this.read();
      if (value !== null) return { done: false, value };
    }
    this.leaveBody?.();
    this.leaveBody = () => undefined;
    const failure = this.ended;
    this.ended = null;
    if (failure !== null) throw failure;
    return NO_MORE;
  }

  private read(): Buffer | null {
    return this.ended === null || this.body.destroyed ? null : (this.body.read() as Buffer | null);
  }

  /** @returns the function that removes the listeners */
  private listen(): () => void {
    const wake = (): void => this.wake();
    this.body.on('readable', wake);
    const forget = finished(this.body, { writable: false }, (error) => {
      this.ended ??= error ?? null;
      this.wake();
    });
    return () => {
      this.body.off('readable', wake);
      forget();
    };
  }
}

/**
 * The first bytes of a body, as soon as there are enough; empty for a body that ends without any or fails before. The body itself is
 * unchanged.
 *
 * @param least the number of bytes to wait for, unless the body ends before
 */
export function beginningOf(body: Readable, least = 1): Promise<Buffer> {
  return new Promise((resolve) => {
    const answer = (bytes: Buffer): void => {
      body.off('readable', look);
      forget();
      resolve(bytes);
    };
    const look = (): void => {
      const first = body.destroyed ? null : (body.read(least) as Buffer | null);
      if (first === null) return;
      const rest = body.read() as Buffer | null;
      const bytes = rest === null ? first : Buffer.concat([first, rest]);
      body.unshift(bytes);
      answer(bytes);
    };
    body.on('readable', look);
    // The reader of the body receives its error.
    const forget = finished(body, { writable: false }, () => answer(Buffer.alloc(0)));
    look();
  });
}

/** The result for a chunk, and whether the following chunks are ignored. */
export interface MappedChunk {
  readonly bytes: Buffer;
  readonly isLast: boolean;
}

/**
 * Maps each chunk, in order; a chunk may map to nothing. While the receiver applies backpressure, only the result is
 * kept: a generator with the chunk in a variable would also keep that, and with it a whole network buffer.
 */
export function mapChunks(
  chunks: AsyncIterator<Buffer>,
  turn: (chunk: Buffer) => Promise<MappedChunk>,
): AsyncIterableIterator<Buffer, undefined> {
  let isOver = false;
  const leave = async (): Promise<IteratorReturnResult<undefined>> => {
    isOver = true;
    await chunks.return?.();
    return NO_MORE;
  };
  const mapped: AsyncIterableIterator<Buffer, undefined> = {
    [Symbol.asyncIterator]: () => mapped,
    next: async () => {
      try {
        while (!isOver) {
          const result = await chunks.next();
          if (result.done === true) break;
          const { bytes, isLast } = await turn(result.value);
          const late = afterOthersIfLate();
          if (late !== undefined) await late;
          if (isLast) await leave();
          if (bytes.length > 0) return { done: false, value: bytes };
        }
      } catch (error) {
        await leave();
        throw error;
      }
      return isOver ? NO_MORE : leave();
    },
    return: leave,
  };
  return mapped;
}
