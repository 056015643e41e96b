import { documentFormatsOf } from '../recognise.js';

/**
 * Pictures of an RTF file that are no files of their own: bitmaps without a file header (`\dibitmap`) and PICT (`\macpict`). Bytes that a
 * reader could also open as a document count as none of them.
 */

const FILE_HEAD = 14;
const HEADERS: ReadonlySet<number> = new Set([40, 52, 56, 108, 124]);
const DEPTHS: ReadonlySet<number> = new Set([1, 4, 8, 16, 24, 32]);
const PLAIN = 0;
const BY_MASKS = 3;
const MASK_BYTES = 12;
const MOST_COLOURS = 256;

/** A bitmap as a BMP file; undefined unless its pixels fill the bytes (https://learn.microsoft.com/windows/win32/gdi/bitmap-storage). */
export function bitmapFile(bytes: Buffer): Buffer | undefined {
  if (bytes.length < 40 || !HEADERS.has(bytes.readUInt32LE(0)) || bytes.readUInt16LE(12) !== 1) return undefined;
  const [head, depth, compression] = [bytes.readUInt32LE(0), bytes.readUInt16LE(14), bytes.readUInt32LE(16)];
  if (!DEPTHS.has(depth) || (compression !== PLAIN && compression !== BY_MASKS)) return undefined;
  const [width, height] = [bytes.readInt32LE(4), Math.abs(bytes.readInt32LE(8))];
  const used = bytes.readUInt32LE(32);
  const colours = used === 0 && depth <= 8 ? 2 ** depth : used;
  if (width <= 0 || height === 0 || colours > MOST_COLOURS) return undefined;
  const pixels = head + (compression === BY_MASKS && head === 40 ? MASK_BYTES : 0) + 4 * colours;
  const end = pixels + 4 * Math.ceil((width * depth) / 32) * height;
  if (end > bytes.length || bytes.subarray(end).some((byte) => byte !== 0)) return undefined;
  if (documentFormatsOf(bytes).length > 0) return undefined;
  const file = Buffer.alloc(FILE_HEAD);
  file.write('BM');
  file.writeUInt32LE(FILE_HEAD + bytes.length, 2);
  file.writeUInt32LE(FILE_HEAD + pixels, 10);
  return Buffer.concat([file, bytes]);
}

const FRAME_END = 10;
const SHORTEST_PICT = 14;

/** Whether bytes are a picture of QuickDraw: its size, its frame, a version, and an end ("Imaging With QuickDraw", appendix A). */
export function isPict(bytes: Buffer): boolean {
  if (bytes.length < SHORTEST_PICT) return false;
  const hasFrame = bytes.readInt16BE(6) > bytes.readInt16BE(2) && bytes.readInt16BE(8) > bytes.readInt16BE(4);
  if (!hasFrame) return false;
  const end = lengthWithoutZeros(bytes);
  const isFirst = bytes.readUInt16BE(FRAME_END) === 0x1101;
  const isSecond = bytes.readUInt32BE(FRAME_END) === 0x001102ff && bytes.readUInt16BE(end - 2) === 0x00ff;
  return ((isFirst && bytes[end - 1] === 0xff) || isSecond) && documentFormatsOf(bytes).length === 0;
}

function lengthWithoutZeros(bytes: Buffer): number {
  let end = bytes.length;
  while (end > 0 && bytes[end - 1] === 0) end--;
  return Math.max(2, end);
}
