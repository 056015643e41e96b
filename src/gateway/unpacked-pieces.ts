import { pipeline, type Readable, type Transform } from 'node:stream';
import zlib from 'node:zlib';
import { CodingError, RATIO_FREE_BYTES, type UnpackedLimits } from './content-coding.js';
import { leavable } from './drained.js';

const UNPACKERS: ReadonlyMap<string, () => Transform> = new Map([
  ['gzip', () => zlib.createGunzip({ flush: zlib.constants.Z_SYNC_FLUSH })],
  ['x-gzip', () => zlib.createGunzip({ flush: zlib.constants.Z_SYNC_FLUSH })],
  ['deflate', () => zlib.createInflate({ flush: zlib.constants.Z_SYNC_FLUSH })],
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
  const unpacker = UNPACKERS.get(name)?.();
  if (unpacker === undefined) throw new CodingError('unknown');
  let packedBytes = 0;
  let unpackedBytes = 0;
  let bodyError: Error | undefined;
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
}
