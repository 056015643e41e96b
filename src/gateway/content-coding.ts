import { promisify } from 'node:util';
import zlib from 'node:zlib';
import type { AppConfig } from '../config/index.js';

/** A body that is not what its `Content-Encoding` says, or says something unknown. */
export class CodingError extends Error {
  override readonly name = 'CodingError';

  constructor(readonly problem: 'unknown' | 'malformed' | 'too_large') {
    super(`the body's content coding is ${problem}`);
  }
}

/** How large a body may be when it is unpacked. */
export interface UnpackedLimits {
  readonly bytes: number;
  /** How many times its own size: text reaches a hundred at most, bombs pass it tenfold. */
  readonly ratio: number;
}

/** Any body may unpack to this size, whatever its ratio. */
export const RATIO_FREE_BYTES = 1024 * 1024;

type Unpack = (body: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>;

/** RFC 9110 section 8.4.1, RFC 7932 (br), RFC 8878 (zstd). */
const UNPACK: ReadonlyMap<string, Unpack> = new Map([
  ['gzip', promisify(zlib.gunzip) as Unpack],
  ['x-gzip', promisify(zlib.gunzip) as Unpack],
  ['deflate', unpackDeflate],
  ['br', promisify(zlib.brotliDecompress) as Unpack],
  ['zstd', promisify(zlib.zstdDecompress) as Unpack],
]);

/**
 * The body without its content coding.
 *
 * @param coding the `Content-Encoding` header; at most one coding is understood
 * @throws CodingError
 */
export async function unpackBody(body: Buffer, coding: string | undefined, limits: UnpackedLimits): Promise<Buffer> {
  const name = (coding ?? 'identity').trim().toLowerCase();
  if (name === 'identity' || name === '') return body;
  const unpack = UNPACK.get(name);
  if (unpack === undefined) throw new CodingError('unknown');
  const maxOutputLength = Math.min(limits.bytes, Math.max(RATIO_FREE_BYTES, body.length * limits.ratio));
  try {
    return await unpack(body, { maxOutputLength });
  } catch (error) {
    throw new CodingError(codeOf(error) === 'ERR_BUFFER_TOO_LARGE' ? 'too_large' : 'malformed');
  }
}

/** Senders disagree whether `deflate` has the zlib wrapper (RFC 9110, section 8.4.1.2): its first byte tells. */
function unpackDeflate(body: Buffer, options: { maxOutputLength: number }): Promise<Buffer> {
  const wrapped = ((body[0] ?? 0) & 0x0f) === 8;
  return (wrapped ? promisify(zlib.inflate) : promisify(zlib.inflateRaw))(body, options) as Promise<Buffer>;
}

function codeOf(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
}

/** For what providers answer. */
export function answerLimits({ proxy }: Pick<AppConfig, 'proxy'>): UnpackedLimits {
  return { bytes: proxy.answerLimitBytes, ratio: proxy.maxCompressionRatio };
}
