import zlib from 'node:zlib';
import type { AppConfig } from '../config/index.js';
import { WeirError } from '../http/index.js';

/** A body that does not match its `Content-Encoding`, or has an unknown one. */
export class CodingError extends Error {
  override readonly name = 'CodingError';

  constructor(readonly problem: 'unknown' | 'malformed' | 'too_large') {
    super(`the body's content coding is ${problem}`);
  }
}

/** A body as it was received. */
export interface CodedBody {
  readonly body: Buffer;
  /** Its `Content-Encoding`. */
  readonly coding: string | undefined;
}

/** The maximum size of an unpacked body. */
export interface UnpackedLimits {
  readonly bytes: number;
  /** The maximum ratio of unpacked to packed size: text reaches a hundred at most, decompression bombs a thousand. */
  readonly ratio: number;
  /**
   * Called before the unpacked part of a body grows to this number of bytes. Absent: no other memory limit applies.
   * @throws WeirError `overloaded` if there is no memory for it; then the body is not unpacked further
   */
  readonly reach?: (bytes: number) => Promise<void>;
}

/** The size up to which any body may be unpacked, whatever its ratio. */
export const RATIO_FREE_BYTES = 1024 * 1024;
/** The maximum number of frames in one body, because each needs a decoder. */
const MOST_FRAMES = 1024;
/** The size of the pieces in which a body is unpacked. */
const PIECE_BYTES = 64 * 1024;

type Unpacker = zlib.Gunzip | zlib.Inflate | zlib.InflateRaw | zlib.BrotliDecompress | zlib.ZstdDecompress;

interface UnpackerOptions {
  readonly chunkSize: number;
  readonly finishFlush?: number;
}

type CreateUnpacker = (firstByte: number, options: UnpackerOptions) => Unpacker;

/** The supported content codings: RFC 9110 section 8.4.1, RFC 7932 (br), RFC 8878 (zstd). */
const UNPACKERS: ReadonlyMap<string, CreateUnpacker> = new Map<string, CreateUnpacker>([
  ['gzip', (_first, options) => zlib.createGunzip(options)],
  ['x-gzip', (_first, options) => zlib.createGunzip(options)],
  [
    'deflate',
    (first, options) => (isWrappedDeflate(first) ? zlib.createInflate(options) : zlib.createInflateRaw(options)),
  ],
  ['br', (_first, options) => zlib.createBrotliDecompress(options)],
  ['zstd', (_first, options) => zlib.createZstdDecompress(options)],
]);

/** The flush modes with which truncated data is unpacked as far as it can be read. */
const AS_FAR_AS_IT_CAME: Readonly<Record<string, number>> = {
  br: zlib.constants.BROTLI_OPERATION_FLUSH,
  zstd: zlib.constants.ZSTD_e_flush,
};

/** A coding that does not exist: readers treat a body with this coding like any body that cannot be unpacked. */
const UNREADABLE = 'unreadable';

/**
 * Removes the content coding from a body.
 *
 * @param coding the `Content-Encoding` header; at most one coding is understood
 * @param whole false for a body that broke off: its received part is unpacked
 * @throws CodingError; WeirError the error of `limits.reach`
 */
export async function unpackBody(
  body: Buffer,
  coding: string | undefined,
  limits: UnpackedLimits,
  whole = true,
): Promise<Buffer> {
  const name = (coding ?? 'identity').trim().toLowerCase();
  if (name === 'identity' || name === '') return body;
  const create = UNPACKERS.get(name);
  if (create === undefined) throw new CodingError('unknown');
  const most = Math.min(limits.bytes, Math.max(RATIO_FREE_BYTES, body.length * limits.ratio));
  const finishFlush = whole ? undefined : (AS_FAR_AS_IT_CAME[name] ?? zlib.constants.Z_SYNC_FLUSH);
  const mostFrames = name === 'zstd' ? MOST_FRAMES : 1;
  try {
    return await unpackFrames(body, create, { most, mostFrames, finishFlush, reach: limits.reach });
  } catch (error) {
    if (error instanceof CodingError || error instanceof WeirError) throw error;
    throw new CodingError('malformed');
  }
}

/**
 * Unpacks a body whose reader accepts packed and unreadable bodies alike.
 *
 * @returns the body without its coding; an empty body with a coding that nobody can read, if this body does not match its coding
 * @throws WeirError the error of `limits.reach`
 */
export async function unpackedOrUnreadable(
  { body, coding }: CodedBody,
  limits: UnpackedLimits,
  whole = true,
): Promise<CodedBody> {
  try {
    return { body: await unpackBody(body, coding, limits, whole), coding: undefined };
  } catch (error) {
    if (error instanceof CodingError) return { body: Buffer.alloc(0), coding: UNREADABLE };
    throw error;
  }
}

interface UnpackLimits {
  readonly most: number;
  readonly mostFrames: number;
  readonly finishFlush: number | undefined;
  readonly reach: UnpackedLimits['reach'];
}

/**
 * Unpacks all of a body, because some readers would read bytes after its end and others would not. Content in zstd may be
 * several frames (RFC 8878, section 3), of which Node.js reads only the first one; it reads all members of gzip.
 */
async function unpackFrames(
  body: Buffer,
  create: CreateUnpacker,
  { most, mostFrames, finishFlush, reach }: UnpackLimits,
): Promise<Buffer> {
  const pieces: Buffer[] = [];
  const options = { chunkSize: PIECE_BYTES, ...(finishFlush === undefined ? {} : { finishFlush }) };
  let bytes = 0;
  let rest = body;
  for (let frame = 0; frame < mostFrames; frame++) {
    const unpacker = create(rest[0] ?? 0, options);
    unpacker.end(rest);
    for await (const piece of unpacker as AsyncIterable<Buffer>) {
      bytes += piece.length;
      if (bytes > most) throw new CodingError('too_large');
      await reach?.(bytes);
      pieces.push(piece);
    }
    rest = rest.subarray(unpacker.bytesWritten);
    if (rest.length === 0) return Buffer.concat(pieces);
  }
  throw new CodingError('malformed');
}

/** Whether `deflate` data has the zlib wrapper, which some senders omit (RFC 9110, section 8.4.1.2): the first byte shows it. */
export function isWrappedDeflate(firstByte: number): boolean {
  return (firstByte & 0x0f) === 8;
}

/** The limits for providers' answers. */
export function answerLimits({ proxy }: Pick<AppConfig, 'proxy'>): UnpackedLimits {
  return { bytes: proxy.answerLimitBytes, ratio: proxy.maxCompressionRatio };
}
