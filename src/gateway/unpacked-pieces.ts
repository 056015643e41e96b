import { pipeline, type Readable } from 'node:stream';
import zlib from 'node:zlib';
import { beginningOf } from './beginning.js';
import { CodingError, isWrappedDeflate, RATIO_FREE_BYTES, type UnpackedLimits } from './content-coding.js';
import { leavable } from './drained.js';

type Unpacker = zlib.Gunzip | zlib.Inflate | zlib.InflateRaw | zlib.BrotliDecompress | zlib.ZstdDecompress;

const FLUSHED = { flush: zlib.constants.Z_SYNC_FLUSH };

/** Made when the first byte is there. */
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

/**
 * A body without its content coding, as it comes. What it unpacks to is limited like that of a whole body.
 * @param coding the `Content-Encoding` header; at most one coding is understood
 * @throws CodingError; whatever the body fails with
 */
export async function* unpackedPieces(
  body: Readable,
  coding: string | undefined,
  { ratio }: Pick<UnpackedLimits, 'ratio'>,
): AsyncGenerator<Buffer> {
  const name = (coding ?? 'identity').trim().toLowerCase();
  if (name === 'identity' || name === '') {
    yield* leavable(body);
    return;
  }
  const create = UNPACKERS.get(name);
  if (create === undefined) throw new CodingError('unknown');
  let packedBytes = 0;
  let unpackedBytes = 0;
  let bodyError: Error | undefined;
  const unpacker = create((await beginningOf(body))[0] ?? 0);
  body.on('data', (chunk: Buffer) => (packedBytes += chunk.length));
  body.on('error', (error) => (bodyError = error));
  pipeline(body, unpacker, () => undefined);
  try {
    for await (const chunk of unpacker as AsyncIterable<Buffer>) {
      unpackedBytes += chunk.length;
      if (unpackedBytes > Math.max(RATIO_FREE_BYTES, packedBytes * ratio)) throw new CodingError('too_large');
      yield chunk;
    }
  } catch (error) {
    if (error instanceof CodingError) throw error;
    throw bodyError ?? new CodingError('malformed');
  }
  // What nobody read is a part of the answer that the client would miss.
  if (unpacker.bytesWritten < packedBytes) throw new CodingError('malformed');
}
