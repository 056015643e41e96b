import zlib from 'node:zlib';
import { OverLimit } from '../reading.js';

/** The parts of a compressed file: its contents, and the texts in its headers. */
export interface PackedContents {
  readonly contents: readonly Buffer[];
  /** Names, comments and other header fields, which unpackers do not show, and bytes after the end. */
  readonly beside: readonly Buffer[];
}

export type PackedFormat = 'gzip' | 'zlib' | 'zstd' | 'deflate' | 'brotli';

interface Unpacked {
  readonly buffer: Buffer;
  readonly engine: { readonly bytesWritten: number };
}

/** Maximum members or frames of one file: each needs a new decoder. */
const MOST_MEMBERS = 1_024;
const GZIP_HEAD = 10;
const GZIP_TAIL = 8;
const ZSTD_MAGIC = 0xfd2fb528;
const SKIPPED = 0x184d2a50;
const SKIPPED_HEAD = 8;

/**
 * Unpacks all members or frames of a compressed file; also returns the data outside them.
 * @param room maximum unpacked bytes
 * @throws OverLimit; Error for bytes of another format
 */
export function unpack(format: PackedFormat, bytes: Buffer, room: number): PackedContents {
  try {
    if (format === 'gzip') return membersOf(bytes, room);
    if (format === 'zstd') return framesOf(bytes, room);
    const { buffer, engine } = run(format, bytes, room);
    return { contents: [buffer], beside: restOf(bytes, engine.bytesWritten) };
  } catch (error) {
    if (isTooLarge(error)) throw new OverLimit();
    throw error;
  }
}

/** Whether the unpacked bytes exceeded `maxOutputLength`. Checks the code, since a truncated header also throws a RangeError. */
function isTooLarge(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE';
}

const UNPACKERS = {
  zlib: zlib.inflateSync,
  deflate: zlib.inflateRawSync,
  brotli: zlib.brotliDecompressSync,
  zstd: zlib.zstdDecompressSync,
};

function run(format: keyof typeof UNPACKERS, bytes: Buffer, room: number): Unpacked {
  // zlib's types do not describe the result with `info`.
  return UNPACKERS[format](bytes, { maxOutputLength: Math.max(1, room), info: true }) as unknown as Unpacked;
}

/** RFC 1952: consecutive members, each with its own header. */
function membersOf(bytes: Buffer, room: number): PackedContents {
  const contents: Buffer[] = [];
  const beside: Buffer[] = [];
  let at = 0;
  for (let left = room; isGzip(bytes, at) && contents.length < MOST_MEMBERS;) {
    const head = headOf(bytes, at);
    const { buffer, engine } = run('deflate', bytes.subarray(head.end), left);
    contents.push(buffer);
    beside.push(...head.fields);
    left -= buffer.length;
    at = head.end + engine.bytesWritten + GZIP_TAIL;
    if (at > bytes.length) throw new Error('ends too early');
  }
  // Unpackers concatenate the members of one file.
  return { contents: [Buffer.concat(contents)], beside: [...beside, ...restOf(bytes, at)] };
}

function isGzip(bytes: Buffer, at: number): boolean {
  return bytes[at] === 0x1f && bytes[at + 1] === 0x8b && bytes[at + 2] === 8;
}

function headOf(bytes: Buffer, at: number): { fields: Buffer[]; end: number } {
  const flags = bytes[at + 3] ?? 0;
  const fields: Buffer[] = [];
  let end = at + GZIP_HEAD;
  if ((flags & 4) !== 0) {
    const length = bytes.readUInt16LE(end);
    fields.push(bytes.subarray(end + 2, end + 2 + length));
    end += 2 + length;
  }
  for (const flag of [8, 16]) {
    if ((flags & flag) === 0) continue;
    const zero = bytes.indexOf(0, end);
    if (zero < 0) throw new Error('ends too early');
    fields.push(bytes.subarray(end, zero));
    end = zero + 1;
  }
  return { fields, end: (flags & 2) === 0 ? end : end + 2 };
}

/** RFC 8878, section 3: consecutive frames, some of which unpackers skip. */
function framesOf(bytes: Buffer, room: number): PackedContents {
  const contents: Buffer[] = [];
  const beside: Buffer[] = [];
  let at = 0;
  for (let left = room, frames = 0; at + SKIPPED_HEAD <= bytes.length && frames < MOST_MEMBERS; frames++) {
    const magic = bytes.readUInt32LE(at);
    if ((magic & 0xfffffff0) === SKIPPED) {
      const end = at + SKIPPED_HEAD + bytes.readUInt32LE(at + 4);
      beside.push(bytes.subarray(at + SKIPPED_HEAD, end));
      at = end;
      continue;
    }
    if (magic !== ZSTD_MAGIC) break;
    const { buffer, engine } = run('zstd', bytes.subarray(at), left);
    contents.push(buffer);
    left -= buffer.length;
    at += engine.bytesWritten;
  }
  return { contents: [Buffer.concat(contents)], beside: [...beside, ...restOf(bytes, at)] };
}

/** The bytes after the end, unless they are only zero padding. */
function restOf(bytes: Buffer, at: number): Buffer[] {
  const rest = bytes.subarray(at);
  return rest.some((byte) => byte !== 0) ? [rest] : [];
}

/** Sample size that shows whether a file is compressed. */
const SAMPLE_BYTES = 4_096;
/** The unpacked bytes after which a sample is recognised: zeros are unpacked to a thousand times their packed size. */
const SAMPLE_ROOM = 65_536;
const SHORTEST_TEXT = 8;

/** Whether bytes start with a zlib header (RFC 1950) and a sample of them can be unpacked. */
export function isZlib(bytes: Buffer): boolean {
  const [first = 0, second = 0] = bytes;
  const begins = (first & 0x0f) === 8 && first >> 4 <= 7 && ((first << 8) | second) % 31 === 0 && (second & 0x20) === 0;
  if (!begins) return false;
  try {
    const options = { finishFlush: zlib.constants.Z_SYNC_FLUSH, maxOutputLength: SAMPLE_ROOM };
    return zlib.inflateSync(bytes.subarray(0, SAMPLE_BYTES), options).length >= SHORTEST_TEXT;
  } catch (error) {
    return isTooLarge(error);
  }
}

/** The format of bytes without a recognisable header: compressed data from the first byte to the last. */
export function packedWithoutHead(bytes: Buffer, room: number): PackedFormat | undefined {
  return (['deflate', 'brotli'] as const).find((format) => {
    try {
      const { buffer, engine } = run(format, bytes, room);
      return engine.bytesWritten === bytes.length && buffer.length >= SHORTEST_TEXT;
    } catch {
      return false;
    }
  });
}

/** Whether a short input, which could pass as single-byte text, is compressed without a header. */
export function isPackedShort(bytes: Buffer): boolean {
  return bytes.length <= SAMPLE_BYTES && packedWithoutHead(bytes, SAMPLE_BYTES * 200) !== undefined;
}
