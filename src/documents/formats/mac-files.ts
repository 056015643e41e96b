import { documentFormatsOf } from '../recognise.js';

/**
 * Files that macOS adds to archives: the metadata of a file (`__MACOSX/._name`) and the settings of a folder (`.DS_Store`). They contain
 * no text of a document, except in names and in attributes, which are read as pieces of text.
 */

/** Larger files could contain other files. */
const MOST_BYTES = 128 * 1024;
/** The largest attributes, such as the addresses from which a file was loaded, have a few hundred bytes. */
const MOST_ATTRIBUTE_BYTES = 4_096;

const DOUBLE_MAGIC = 0x00051607;
const DOUBLE_VERSION = 0x00020000;
const DOUBLE_HEAD = 26;
const DOUBLE_ENTRY = 12;
const RESOURCES = 2;
const FINDER = 9;
/** The size of a file of resources without any, which contains a sentence about that. */
const BLANK_BYTES = 286;
const BLANK = 'This resource fork intentionally left blank';

interface Range {
  readonly start: number;
  readonly end: number;
}

/** AppleDouble (RFC 1740, appendices A and B): a list of entries, of which these files contain only two kinds, and the entries. */
export function isAppleDouble(bytes: Buffer): boolean {
  if (bytes.length < DOUBLE_HEAD + DOUBLE_ENTRY || bytes.length > MOST_BYTES) return false;
  if (bytes.readUInt32BE(0) !== DOUBLE_MAGIC || bytes.readUInt32BE(4) !== DOUBLE_VERSION) return false;
  const listEnd = DOUBLE_HEAD + DOUBLE_ENTRY * bytes.readUInt16BE(24);
  if (listEnd === DOUBLE_HEAD || listEnd > bytes.length) return false;
  let end = listEnd;
  for (let at = DOUBLE_HEAD; at < listEnd; at += DOUBLE_ENTRY) {
    const start = bytes.readUInt32BE(at + 4);
    const entry = { start, end: start + bytes.readUInt32BE(at + 8) };
    if (start < listEnd || entry.end > bytes.length || !isHarmless(bytes, bytes.readUInt32BE(at), entry)) return false;
    end = Math.max(end, entry.end);
  }
  return bytes.subarray(end).every((byte) => byte === 0);
}

function isHarmless(bytes: Buffer, kind: number, { start, end }: Range): boolean {
  if (kind === FINDER) return end - start === FINDER_BYTES || hasSmallAttributes(bytes, { start, end });
  const isBlank = end - start === BLANK_BYTES && bytes.subarray(start, end).includes(BLANK);
  return kind === RESOURCES && (end === start || isBlank);
}

const FINDER_BYTES = 32;
const ATTRIBUTES = 'ATTR';
const ATTRIBUTES_HEAD = 36;
/** The size of an attribute's entry in the list, without its name. */
const ATTRIBUTE = 11;

/** Extended attributes after the information of the Finder (xnu, bsd/vfs/vfs_xattr.c): a list of attributes, and their values. */
function hasSmallAttributes(bytes: Buffer, { start, end }: Range): boolean {
  const head = start + FINDER_BYTES + 2;
  if (head + ATTRIBUTES_HEAD > end || bytes.toString('latin1', head, head + 4) !== ATTRIBUTES) return false;
  let at = head + ATTRIBUTES_HEAD;
  for (let left = bytes.readUInt16BE(at - 2); left > 0; left--) {
    if (at + ATTRIBUTE > end) return false;
    const from = bytes.readUInt32BE(at);
    const length = bytes.readUInt32BE(at + 4);
    if (length > MOST_ATTRIBUTE_BYTES || from + length > bytes.length) return false;
    if (documentFormatsOf(bytes.subarray(from, from + length)).length > 0) return false;
    // Each entry begins at a multiple of four.
    at += Math.ceil((ATTRIBUTE + bytes.readUInt8(at + 10)) / 4) * 4;
  }
  return at <= end;
}

const SETTINGS_HEAD = 20;
const SETTINGS_MAGIC = 'Bud1';

/** The settings of a folder: a number, a word, and the place of the first block, which is given twice. */
export function isFolderSettings(bytes: Buffer): boolean {
  if (bytes.length < SETTINGS_HEAD || bytes.length > MOST_BYTES) return false;
  if (bytes.readUInt32BE(0) !== 1 || bytes.toString('latin1', 4, 8) !== SETTINGS_MAGIC) return false;
  const [start, length] = [bytes.readUInt32BE(8), bytes.readUInt32BE(12)];
  return start === bytes.readUInt32BE(16) && 4 + start + length <= bytes.length;
}
