import { atOnce } from '../../core/index.js';
import { findingMediaEnd, readingMediaType } from './media-formats.js';

/**
 * Recognises the images, audio, videos and fonts in documents by their structure, from the first to the last byte. Any text can begin like
 * an image, and readers that ignore the beginning show the text.
 */

type IsWhole = (bytes: Buffer) => boolean;

/** Whether only zeros follow from a position on, and this position is not beyond the end. */
function isEnd(bytes: Buffer, at: number): boolean {
  return at <= bytes.length && bytes.subarray(at).every((byte) => byte === 0);
}

const EMF_END = 14;

/** [MS-EMF], section 2.3: records with their type and size; the last one is `EMR_EOF`. */
const isEmf: IsWhole = (bytes) => {
  for (let at = 0; at + 8 <= bytes.length;) {
    const isLast = bytes.readUInt32LE(at) === EMF_END;
    const size = bytes.readUInt32LE(at + 4);
    if (size < 8 || size % 4 !== 0) return false;
    at += size;
    if (isLast) return isEnd(bytes, at);
  }
  return false;
};

const PLACEABLE_HEAD = 22;
const WMF_HEAD = 18;
const WMF_RECORD_HEAD = 6;

/** [MS-WMF], section 2.3: an optional header with the placement, a header, and records with their size in words; the last one is empty. */
const isWmf: IsWhole = (bytes) => {
  const start = bytes[0] === 0xd7 ? PLACEABLE_HEAD : 0;
  for (let at = start + WMF_HEAD; at + WMF_RECORD_HEAD <= bytes.length;) {
    const size = 2 * bytes.readUInt32LE(at);
    if (size < WMF_RECORD_HEAD) return false;
    if (bytes.readUInt16LE(at + 4) === 0) return isEnd(bytes, at + size);
    at += size;
  }
  return false;
};

const ICON_HEAD = 6;
const ICON_ENTRY = 16;

/** https://learn.microsoft.com/previous-versions/ms997538(v=msdn.10): a list of images, and the images. */
const isIcon: IsWhole = (bytes) => {
  if (bytes.length < ICON_HEAD + ICON_ENTRY) return false;
  const listEnd = ICON_HEAD + ICON_ENTRY * bytes.readUInt16LE(4);
  if (listEnd === ICON_HEAD || listEnd > bytes.length) return false;
  let end = listEnd;
  for (let at = ICON_HEAD; at < listEnd; at += ICON_ENTRY) {
    const start = bytes.readUInt32LE(at + 12);
    if (start < listEnd) return false;
    end = Math.max(end, start + bytes.readUInt32LE(at + 8));
  }
  return isEnd(bytes, end);
};

/** ISO/IEC 15444-1, annex I, and 14496-12: boxes up to the end. */
const isOfBoxes: IsWhole = (bytes) => {
  let at = 0;
  while (at + 8 <= bytes.length) {
    const size = bytes.readUInt32BE(at);
    const isLong = size === 1 && at + 16 <= bytes.length;
    const length = isLong ? Number(bytes.readBigUInt64BE(at + 8)) : size === 0 ? bytes.length - at : size;
    if (length < 8) return false;
    at += length;
  }
  return at === bytes.length;
};

const FONT_HEAD = 12;
const FONT_ENTRY = 16;
const TABLE_NAME = /^[ -~]{4}$/;

/** OpenType 1.9, "Organization of an OpenType font", and the formats WOFF and WOFF 2, whose headers contain the size of the file. */
export const isFont: IsWhole = (bytes) => {
  if (bytes.length < FONT_HEAD + FONT_ENTRY) return false;
  if (bytes.toString('latin1', 0, 3) === 'wOF') {
    return bytes.readUInt32BE(8) === bytes.length && bytes.readUInt16BE(12) > 0;
  }
  const listEnd = FONT_HEAD + FONT_ENTRY * bytes.readUInt16BE(4);
  if (listEnd === FONT_HEAD || listEnd > bytes.length) return false;
  let end = listEnd;
  for (let at = FONT_HEAD; at < listEnd; at += FONT_ENTRY) {
    const start = bytes.readUInt32BE(at + 8);
    if (!TABLE_NAME.test(bytes.toString('latin1', at, at + 4)) || start < listEnd) return false;
    end = Math.max(end, start + bytes.readUInt32BE(at + 12));
  }
  return isEnd(bytes, end);
};

/** The formats that readers of calls do not recognise, or only in some variants. */
const FORMATS: ReadonlyMap<string, IsWhole> = new Map([
  ['video/mp4', isOfBoxes],
  ['image/emf', isEmf],
  ['image/wmf', isWmf],
  ['image/x-icon', isIcon],
  ['image/jp2', isOfBoxes],
  ['font', isFont],
]);

const NOTHING: Buffer = Buffer.alloc(0);

/**
 * The bytes after the end of an image, audio or video: many cameras and programs add data of their own.
 *
 * @param type the type according to the first bytes
 * @returns undefined for bytes that only begin like an image, audio, a video or a font
 */
export function restOfMedia(bytes: Buffer, type: string): Buffer | undefined {
  if (FORMATS.get(type)?.(bytes) === true || atOnce(readingMediaType(bytes)) !== undefined) return NOTHING;
  const end = atOnce(findingMediaEnd(bytes));
  return end === undefined ? undefined : bytes.subarray(end);
}
