import { promisify } from 'node:util';
import zlib from 'node:zlib';

/** A body that is not what its `Content-Encoding` says, or says something unknown. */
export class CodingError extends Error {
  override readonly name = 'CodingError';

  constructor(readonly problem: 'unknown' | 'malformed' | 'too_large') {
    super(`the body's content coding is ${problem}`);
  }
}

/** What text reaches at most, and bombs pass a thousandfold. */
const DEFAULT_MAX_RATIO = 100;
/** Any body may unpack to this size, whatever its ratio. */
const RATIO_FREE_BYTES = 1024 * 1024;

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
 * @param limitBytes for the unpacked body
 * @param maxRatio how many times its own size it may unpack to
 * @throws CodingError
 */
export async function unpackBody(
  body: Buffer,
  coding: string | undefined,
  limitBytes: number,
  maxRatio: number = DEFAULT_MAX_RATIO,
): Promise<Buffer> {
  const name = (coding ?? 'identity').trim().toLowerCase();
  if (name === 'identity' || name === '') return body;
  const unpack = UNPACK.get(name);
  if (unpack === undefined) throw new CodingError('unknown');
  const maxOutputLength = Math.min(limitBytes, Math.max(RATIO_FREE_BYTES, body.length * maxRatio));
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
