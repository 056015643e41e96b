import { constants, inflateRawSync, inflateSync } from 'node:zlib';
import { OverLimit } from '../reading.js';

/** The result of undoing one filter of a PDF stream. */
interface Unfiltered {
  readonly bytes: Buffer;
  /** The number of bytes that the filter read. */
  readonly used: number;
  /** False if the end is missing: another reader could read more. */
  readonly isWhole: boolean;
}

/**
 * @param bytes from the first byte of the stream to the end of the file, because most filters mark the end of their data
 * @param end the end of the stream, for data without such a mark
 * @param room maximum bytes of the result
 */
type Filter = (bytes: Buffer, end: number, room: number) => Unfiltered;

/** Filters by their names and the abbreviations of these (ISO 32000-1, sections 7.4 and 8.9.7). */
export const PDF_FILTERS: ReadonlyMap<string, Filter> = new Map<string, Filter>(
  (
    [
      [['FlateDecode', 'Fl'], inflated],
      [['LZWDecode', 'LZW'], (bytes, end, room) => lzw(bytes.subarray(0, end), room)],
      [['ASCII85Decode', 'A85'], ascii85],
      [['ASCIIHexDecode', 'AHx'], hexadecimal],
      [['RunLengthDecode', 'RL'], runs],
    ] satisfies [string[], Filter][]
  ).flatMap(([names, filter]) => names.map((name) => [name, filter] as const)),
);

/** Filters of images: their output is not text. */
export const PDF_PICTURE_FILTERS: ReadonlySet<string> = new Set([
  'DCTDecode',
  'DCT',
  'JPXDecode',
  'CCITTFaxDecode',
  'CCF',
  'JBIG2Decode',
]);

function inflated(bytes: Buffer, end: number, room: number): Unfiltered {
  const stream = bytes.subarray(0, end);
  return inflatedFrom(stream, room) ?? inflatedFrom(bytes, room) ?? beginningOf(stream, room);
}

const ZLIB_HEAD_BYTES = 2;

/** @returns undefined if the data ends too early */
function inflatedFrom(bytes: Buffer, room: number): Unfiltered | undefined {
  try {
    return inflatedBy(inflateSync, bytes, room);
  } catch (error) {
    if (codeOf(error) === 'ERR_BUFFER_TOO_LARGE') throw new OverLimit();
    if (!hasZlibHead(bytes)) throw error;
  }
  try {
    // Readers of PDF files ignore a wrong or missing checksum.
    return inflatedBy(inflateRawSync, bytes.subarray(ZLIB_HEAD_BYTES), room);
  } catch (error) {
    if (codeOf(error) === 'ERR_BUFFER_TOO_LARGE') throw new OverLimit();
    if (codeOf(error) !== 'Z_BUF_ERROR') throw error;
    return undefined;
  }
}

/** RFC 1950, section 2.2. */
function hasZlibHead([first = 0, second = 0]: Buffer): boolean {
  return (first & 0x0f) === 8 && ((first << 8) | second) % 31 === 0;
}

function inflatedBy(inflate: typeof inflateSync, bytes: Buffer, room: number): Unfiltered {
  // zlib's types do not describe the result with `info`.
  const { buffer, engine } = inflate(bytes, { maxOutputLength: Math.max(1, room), info: true }) as unknown as {
    readonly buffer: Buffer;
    readonly engine: { readonly bytesWritten: number };
  };
  return { bytes: buffer, used: engine.bytesWritten, isWhole: true };
}

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}

/** Unpacks the readable part of a stream whose end is missing, such as a sample of an image. */
export function beginningOf(bytes: Buffer, room: number): Unfiltered {
  const finishFlush = constants.Z_SYNC_FLUSH;
  const read = inflateSync(bytes, { finishFlush, maxOutputLength: Math.max(1, room) });
  return { bytes: read, used: bytes.length, isWhole: false };
}

/** Collects bytes up to a limit. */
class Sink {
  private buffer = Buffer.alloc(4_096);
  length = 0;

  constructor(private readonly room: number) {}

  get bytes(): Buffer {
    return this.buffer.subarray(0, this.length);
  }

  /** @throws OverLimit */
  push(byte: number): void {
    if (this.length >= this.room) throw new OverLimit();
    if (this.length === this.buffer.length) this.buffer = Buffer.concat([this.buffer, Buffer.alloc(this.length)]);
    this.buffer[this.length++] = byte;
  }

  /** Repeats bytes from an earlier place; the range may include bytes that this call adds. */
  repeat(from: number, length: number): void {
    for (let at = from; at < from + length; at++) this.push(this.buffer[at] ?? 0);
  }
}

const LZW_CLEAR = 256;
const LZW_END = 257;
const LZW_CODES = 4_096;

/** Section 7.4.4. Each string of the table is a range of the output: the previous string and the character after it. */
function lzw(bytes: Buffer, room: number): Unfiltered {
  const sink = new Sink(room);
  const starts = new Uint32Array(LZW_CODES);
  const lengths = new Uint32Array(LZW_CODES);
  let next = LZW_END + 1;
  let before = { start: 0, length: 0 };
  let bits = 0;
  let width = 0;
  for (let at = 0; at < bytes.length;) {
    const needed = next >= 2_047 ? 12 : next >= 1_023 ? 11 : next >= 511 ? 10 : 9;
    while (width < needed && at < bytes.length) {
      bits = ((bits & 0xfff) << 8) | (bytes[at++] ?? 0);
      width += 8;
    }
    if (width < needed) break;
    width -= needed;
    const code = (bits >> width) & ((1 << needed) - 1);
    if (code === LZW_END) return { bytes: sink.bytes, used: at, isWhole: true };
    if (code === LZW_CLEAR) {
      next = LZW_END + 1;
      before = { start: 0, length: 0 };
      continue;
    }
    const start = sink.length;
    if (code < LZW_CLEAR) sink.push(code);
    else if (code < next) sink.repeat(starts[code] ?? 0, lengths[code] ?? 0);
    else if (code === next && before.length > 0) sink.repeat(before.start, before.length + 1);
    else throw new Error('not LZW');
    if (before.length > 0 && next < LZW_CODES) {
      starts[next] = before.start;
      lengths[next++] = before.length + 1;
    }
    before = { start, length: sink.length - start };
  }
  return { bytes: sink.bytes, used: bytes.length, isWhole: false };
}

/** Section 7.4.3: five characters for four bytes, `z` for four zeros. */
function ascii85(bytes: Buffer, end: number, room: number): Unfiltered {
  const { stop, isWhole } = upTo('~', bytes, end);
  const sink = new Sink(room);
  const group: number[] = [];
  const flush = (count: number): void => {
    let value = 0;
    for (let at = 0; at < 5; at++) value = value * 85 + (group[at] ?? 84);
    for (let at = 0; at < count; at++) sink.push(Math.floor(value / 256 ** (3 - at)) & 0xff);
    group.length = 0;
  };
  for (const byte of bytes.subarray(0, stop)) {
    if (byte === 0x7a && group.length === 0) group.push(0, 0, 0, 0, 0);
    else if (byte >= 0x21 && byte <= 0x75) group.push(byte - 0x21);
    else if (byte > 0x20) throw new Error('not ASCII85');
    if (group.length === 5) flush(4);
  }
  if (group.length > 1) flush(group.length - 1);
  return { bytes: sink.bytes, used: stop, isWhole };
}

/** Section 7.4.2. */
function hexadecimal(bytes: Buffer, end: number): Unfiltered {
  const { stop, isWhole } = upTo('>', bytes, end);
  const digits = bytes.toString('latin1', 0, stop).replace(/[\0\s]+/g, '');
  if (/[^0-9A-Fa-f]/.test(digits)) throw new Error('not hexadecimal');
  return { bytes: Buffer.from(digits.length % 2 === 0 ? digits : `${digits}0`, 'hex'), used: stop, isWhole };
}

/** The offset of the mark that ends a text filter, or the end of a stream without one. */
function upTo(mark: string, bytes: Buffer, end: number): { stop: number; isWhole: boolean } {
  const at = bytes.subarray(0, end).indexOf(mark);
  return at < 0 ? { stop: end, isWhole: false } : { stop: at, isWhole: true };
}

const RUNS_END = 128;

/** Section 7.4.5. */
function runs(bytes: Buffer, end: number, room: number): Unfiltered {
  const sink = new Sink(room);
  for (let at = 0; at < bytes.length;) {
    const length = bytes[at++] ?? RUNS_END;
    if (length === RUNS_END) return { bytes: sink.bytes, used: at, isWhole: true };
    if (at >= end) break;
    const isRun = length > RUNS_END;
    const count = isRun ? 257 - length : length + 1;
    for (let copied = 0; copied < count; copied++) sink.push(bytes[isRun ? at : at + copied] ?? 0);
    at += isRun ? 1 : count;
  }
  return { bytes: sink.bytes, used: end, isWhole: false };
}

/** Undoes the prediction of bytes from adjacent bytes; each row begins with its type of prediction (PNG, section 9). */
export function unpredicted(bytes: Buffer, rowBytes: number, pixelBytes: number): Buffer {
  const rows = Math.ceil(bytes.length / (rowBytes + 1));
  const out = Buffer.alloc(rows * rowBytes);
  for (let row = 0; row < rows; row++) {
    const kind = bytes[row * (rowBytes + 1)] ?? 0;
    for (let at = 0; at < rowBytes; at++) {
      const to = row * rowBytes + at;
      const left = at < pixelBytes ? 0 : (out[to - pixelBytes] ?? 0);
      const above = row === 0 ? 0 : (out[to - rowBytes] ?? 0);
      const corner = row === 0 || at < pixelBytes ? 0 : (out[to - rowBytes - pixelBytes] ?? 0);
      out[to] = (bytes[row * (rowBytes + 1) + 1 + at] ?? 0) + predictionOf(kind, left, above, corner);
    }
  }
  return out;
}

function predictionOf(kind: number, left: number, above: number, corner: number): number {
  if (kind === 1) return left;
  if (kind === 2) return above;
  if (kind === 3) return (left + above) >> 1;
  if (kind !== 4) return 0;
  const estimate = left + above - corner;
  const toLeft = Math.abs(estimate - left);
  const toAbove = Math.abs(estimate - above);
  const toCorner = Math.abs(estimate - corner);
  if (toLeft <= toAbove && toLeft <= toCorner) return left;
  return toAbove <= toCorner ? above : corner;
}
