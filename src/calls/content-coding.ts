import { promisify } from 'node:util';
import zlib from 'node:zlib';
import type { AppConfig } from '../config/index.js';

/** A body that does not match its `Content-Encoding`, or has an unknown one. */
export class CodingError extends Error {
  override readonly name = 'CodingError';

  constructor(readonly problem: 'unknown' | 'malformed' | 'too_large') {
    super(`the body's content coding is ${problem}`);
  }
}

/** The maximum size of an unpacked body. */
export interface UnpackedLimits {
  readonly bytes: number;
  /** The maximum ratio of unpacked to packed size: text reaches a hundred at most, decompression bombs a thousand. */
  readonly ratio: number;
}

/** The size up to which any body may be unpacked, whatever its ratio. */
export const RATIO_FREE_BYTES = 1024 * 1024;
/** The maximum number of frames in one body, because each needs a decoder. */
const MOST_FRAMES = 1024;

interface UnpackedFrame {
  readonly buffer: Buffer;
  /** `bytesWritten` is the number of input bytes that were read. */
  readonly engine: { readonly bytesWritten: number };
}

interface UnpackOptions {
  readonly maxOutputLength: number;
  readonly info: true;
  readonly finishFlush?: number;
}

type Unpack = (body: Buffer, options: UnpackOptions) => Promise<UnpackedFrame>;

/** The supported content codings: RFC 9110 section 8.4.1, RFC 7932 (br), RFC 8878 (zstd). */
const UNPACK: ReadonlyMap<string, Unpack> = new Map([
  ['gzip', unpackerOf(zlib.gunzip)],
  ['x-gzip', unpackerOf(zlib.gunzip)],
  ['deflate', unpackDeflate],
  ['br', unpackerOf(zlib.brotliDecompress)],
  ['zstd', unpackerOf(zlib.zstdDecompress)],
]);

/** The flush modes with which truncated data is unpacked as far as it can be read. */
const AS_FAR_AS_IT_CAME: Readonly<Record<string, number>> = {
  br: zlib.constants.BROTLI_OPERATION_FLUSH,
  zstd: zlib.constants.ZSTD_e_flush,
};

/** The type of zlib's functions does not include the result of the option `info`. */
function unpackerOf(unpack: Parameters<typeof promisify>[0]): Unpack {
  return promisify(unpack) as unknown as Unpack;
}

/**
 * Removes the content coding from a body.
 *
 * @param coding the `Content-Encoding` header; at most one coding is understood
 * @param whole false for a body that broke off: its received part is unpacked
 * @throws CodingError
 */
export async function unpackBody(
  body: Buffer,
  coding: string | undefined,
  limits: UnpackedLimits,
  whole = true,
): Promise<Buffer> {
  const name = (coding ?? 'identity').trim().toLowerCase();
  if (name === 'identity' || name === '') return body;
  const unpack = UNPACK.get(name);
  if (unpack === undefined) throw new CodingError('unknown');
  const maxOutputLength = Math.min(limits.bytes, Math.max(RATIO_FREE_BYTES, body.length * limits.ratio));
  const finishFlush = whole ? undefined : (AS_FAR_AS_IT_CAME[name] ?? zlib.constants.Z_SYNC_FLUSH);
  const mostFrames = name === 'zstd' ? MOST_FRAMES : 1;
  try {
    return await unpackFrames(body, unpack, mostFrames, { maxOutputLength, finishFlush });
  } catch (error) {
    if (error instanceof CodingError) throw error;
    throw new CodingError(codeOf(error) === 'ERR_BUFFER_TOO_LARGE' ? 'too_large' : 'malformed');
  }
}

/**
 * Unpacks all of a body, because some readers would read bytes after its end and others would not. Content in zstd may be
 * several frames (RFC 8878, section 3), of which Node.js reads only the first one; it reads all members of gzip.
 */
async function unpackFrames(
  body: Buffer,
  unpack: Unpack,
  mostFrames: number,
  { maxOutputLength, finishFlush }: { readonly maxOutputLength: number; readonly finishFlush: number | undefined },
): Promise<Buffer> {
  const parts: Buffer[] = [];
  const ending = finishFlush === undefined ? {} : { finishFlush };
  let left = maxOutputLength;
  for (let rest = body; parts.length < mostFrames;) {
    const { buffer, engine } = await unpack(rest, { maxOutputLength: Math.max(left, 1), info: true, ...ending });
    parts.push(buffer);
    left -= buffer.length;
    if (left < 0) throw new CodingError('too_large');
    rest = rest.subarray(engine.bytesWritten);
    if (rest.length === 0) return Buffer.concat(parts);
  }
  throw new CodingError('malformed');
}

function unpackDeflate(...[body, options]: Parameters<Unpack>): Promise<UnpackedFrame> {
  return unpackerOf(isWrappedDeflate(body[0] ?? 0) ? zlib.inflate : zlib.inflateRaw)(body, options);
}

/** Whether `deflate` data has the zlib wrapper, which some senders omit (RFC 9110, section 8.4.1.2): the first byte shows it. */
export function isWrappedDeflate(firstByte: number): boolean {
  return (firstByte & 0x0f) === 8;
}

function codeOf(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
}

/** The limits for providers' answers. */
export function answerLimits({ proxy }: Pick<AppConfig, 'proxy'>): UnpackedLimits {
  return { bytes: proxy.answerLimitBytes, ratio: proxy.maxCompressionRatio };
}
