import { isUtf8 } from 'node:buffer';
import {
  atOnce,
  bytesOfText,
  joinedLists,
  JsonSyntaxError,
  parsingJson,
  readingTextOfBytes,
  THINGS_BETWEEN_STOPS,
  isStop,
  oneStep,
  textOfBytes,
  type Steps,
  type UnreadReason,
} from '../core/index.js';
import { documentFormatsOf, isPackedShort, readingMediaType, textFormatsOf } from '../documents/index.js';
import { readingOtherwise } from './other-readings.js';
import { readingUtf8, utf8Bytes } from './utf8-text.js';

/** The kind of some bytes, regardless of their name. */
export type ContentReading = TextContent | MediaContent | UnreadContent;

/** Text in UTF-8, or in an encoding that can be converted back into the same bytes. */
export interface TextContent {
  readonly kind: 'text';
  readonly text: string;
  /** The byte order mark in front of the text. */
  readonly mark?: Buffer;
  encode(text: string): Buffer;
  /** The bytes of the text, if they are known. */
  readonly written?: Buffer;
  /** The texts for a reader that decodes the bytes one by one. They cannot be changed in place. */
  readonly others?: readonly string[];
  /** Set when another reader could find something else in the bytes: they also count as unread. */
  readonly why?: UnreadReason;
}

/** An image, audio or video file: its content is not read. */
export interface MediaContent {
  readonly kind: 'media';
  readonly type: string;
}

/** Bytes that are neither recognised nor read as a whole. */
export interface UnreadContent {
  readonly kind: 'unread';
  readonly why: UnreadReason;
  /** The parts that read like text. They cannot be changed in place. */
  readonly texts: readonly string[];
}

/** Bytes with at most this number of control characters, or at most this share of them, count as text. */
const FEW_CONTROLS = 4;
const CONTROL_SHARE = 0.02;
/** An image with at least this share of printable characters also counts as text. */
const PRINTABLE_SHARE = 0.85;
/** Shorter rows of characters occur by chance; for rows with other bytes between the characters, the minimum (`SHORTEST_RUN`) is higher. */
const SHORTEST_ROW = 12;
const SHORTEST_RUN = 24;
/** The number of one-byte characters in a row that text in UTF-16 has only by chance. */
const SHORTEST_NARROW_ROW = 4;
const LONGEST_NARROW_ROW = 4_096;
/** Shorter lines of JSON contain nothing of interest, and occur in images by chance. */
const SHORTEST_LINE = 8;

/** Byte order marks, the longest first: that of UTF-32 begins like that of UTF-16. */
const MARKS: readonly Buffer[] = [
  [0xff, 0xfe, 0, 0],
  [0, 0, 0xfe, 0xff],
  [0xff, 0xfe],
  [0xfe, 0xff],
].map((mark) => Buffer.from(mark));
/** The number of bytes that are examined in less than a millisecond. */
const BYTES_AT_ONCE = 65_536;
/** The number of times that a whole image may be read in search of lines of JSON. */
const LINES_READ_OVER = 4;
const SAMPLE_BYTES = 64 * 1024;
const ARCHIVES: readonly Buffer[] = [
  Buffer.from([0x1f, 0x8b]),
  Buffer.from([0x28, 0xb5, 0x2f, 0xfd]),
  Buffer.from('BZh'),
  Buffer.from('\xfd7zXZ\0', 'latin1'),
  Buffer.from('7z\xbc\xaf\x27\x1c', 'latin1'),
  Buffer.from('Rar!\x1a\x07', 'latin1'),
];
const DOCUMENTS: readonly Buffer[] = [
  Buffer.from('%PDF-'),
  Buffer.from('PK\x03\x04', 'latin1'),
  Buffer.from('PK\x05\x06', 'latin1'),
  Buffer.from('\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1', 'latin1'),
];
/** An entry in the directory of a ZIP file. */
const ZIP_ENTRY = Buffer.from('PK\x01\x02', 'latin1');

/** Classes of bytes: 0 other, 1 printable ASCII and white space, 2 control characters that texts do not contain. */
const CLASSES = new Uint8Array(256);
for (let byte = 0; byte < 0x80; byte++) {
  const isSpace = byte >= 0x09 && byte <= 0x0d;
  CLASSES[byte] = isSpace || (byte >= 0x20 && byte < 0x7f) ? 1 : byte === 0x1b || byte === 0x1e ? 0 : 2;
}

/**
 * Classifies bytes: a body, a part of one, or base64 content in one. Statements of the sender about them are ignored. All code of Weir
 * that reads bytes uses this function.
 */
export function readContent(bytes: Buffer): ContentReading {
  return atOnce(readingContent(bytes));
}

/** `readContent` in steps, each of which takes a few milliseconds at most, even for an image of megabytes. */
export function* readingContent(bytes: Buffer): Steps<ContentReading> {
  const counts = yield* countingClasses(bytes);
  const isText = counts.controls <= Math.max(FEW_CONTROLS, bytes.length * CONTROL_SHARE);
  const type = isText && counts.others === 0 ? undefined : yield* readingMediaType(bytes);
  if (type !== undefined && !(yield* readsAsText(bytes, counts))) return { kind: 'media', type };
  const wide = type === undefined ? yield* wideText(bytes) : undefined;
  if (wide !== undefined) return wide;
  if (type === undefined && !isText) {
    const runs = yield* runsOfText(bytes);
    return { kind: 'unread', why: reasonOf(bytes), texts: joinedLists([runs, yield* readingAllOtherwise(runs)]) };
  }
  const text: TextContent = { kind: 'text', text: yield* readingUtf8(bytes), encode: utf8Bytes, written: bytes };
  if (type !== undefined) return { ...text, why: 'ambiguous' };
  return (yield* oneStep(() => isAsciiPdf(bytes))) ? { ...text, why: 'document' } : text;
}

/** UTF-16 and UTF-32. A reader that ignores the mark reads the bytes one by one: such a text also counts as unread. */
function* wideText(bytes: Buffer): Steps<TextContent | undefined> {
  const isMarked = MARKS.some((mark) => bytes.subarray(0, mark.length).equals(mark));
  const sample = bytes.subarray(0, SAMPLE_BYTES);
  if (!isMarked && (!sample.includes(0) || !isWide(textOfBytes(sample)))) return undefined;
  const read = yield* readingTextOfBytes(bytes);
  if (read === undefined || !isWide(read)) return undefined;
  const { text, coding } = read;
  const encode = (changed: string): Buffer => Buffer.from(bytesOfText(changed, { ...coding, mark: false }));
  const mark = coding.mark ? { mark: bytes.subarray(0, MARKS.find((each) => bytes.indexOf(each) === 0)!.length) } : {};
  const written = bytes.subarray(mark.mark?.length ?? 0);
  const isAsWritten = yield* checkingWritten(text, written, encode);
  const isAmbiguous = !isAsWritten || (yield* hidesText(bytes));
  const others = yield* narrowRows(bytes);
  return {
    kind: 'text',
    text,
    encode,
    ...mark,
    ...(isAsWritten ? { written } : {}),
    ...(others.length === 0 ? {} : { others: joinedLists([others, yield* readingAllOtherwise(others)]) }),
    ...(isAmbiguous ? { why: 'ambiguous' } : {}),
  };
}

/** Whether encoding a text gives exactly these bytes. */
function* checkingWritten(text: string, bytes: Buffer, encode: (text: string) => Buffer): Steps<boolean> {
  let at = 0;
  for (let from = 0; from < text.length;) {
    const end = from + BYTES_AT_ONCE;
    const to = /[\ud800-\udbff]/.test(text.charAt(end - 1)) ? end + 1 : end;
    const part = encode(text.slice(from, to));
    if (!part.equals(bytes.subarray(at, at + part.length))) return false;
    at += part.length;
    from = to;
    yield;
  }
  return at === bytes.length;
}

/** Rows of one-byte characters. In steps even if there are none, because the search takes as long. */
function* narrowRows(bytes: Buffer): Steps<string[]> {
  const rows: string[] = [];
  let start = 0;
  for (let at = 0; at <= bytes.length; at++) {
    if (at % BYTES_AT_ONCE === BYTES_AT_ONCE - 1) yield;
    const goesOn = at < bytes.length && CLASSES[bytes[at]!] === 1;
    if (goesOn && at - start < LONGEST_NARROW_ROW) continue;
    if (at - start >= SHORTEST_NARROW_ROW) rows.push(bytes.toString('latin1', start, at));
    start = goesOn ? at : at + 1;
  }
  return rows;
}

function* readingAllOtherwise(texts: readonly string[]): Steps<string[]> {
  const read: string[] = [];
  for (const [index, text] of texts.entries()) {
    for (const one of yield* readingOtherwise(text)) read.push(one);
    if (isStop(index)) yield;
  }
  return read;
}

function isWide(read: ReturnType<typeof textOfBytes>): boolean {
  return read !== undefined && read.coding.name.startsWith('utf-') && read.coding.name !== 'utf-8';
}

interface ClassCounts {
  readonly printable: number;
  readonly controls: number;
  readonly others: number;
}

function* countingClasses(bytes: Buffer): Steps<ClassCounts> {
  const counts = [0, 0, 0];
  for (let start = 0; start < bytes.length; start += BYTES_AT_ONCE) {
    const end = Math.min(bytes.length, start + BYTES_AT_ONCE);
    for (let at = start; at < end; at++) counts[CLASSES[bytes[at]!]!]!++;
    if (end < bytes.length) yield;
  }
  return { others: counts[0]!, printable: counts[1]!, controls: counts[2]! };
}

/** Whether a lenient reader finds text in a recognised image: mostly characters, including those beyond ASCII, or lines of JSON. */
function* readsAsText(bytes: Buffer, { printable, others }: ClassCounts): Steps<boolean> {
  const characters = printable + (isUtf8(bytes) ? others : 0);
  return characters >= bytes.length * PRINTABLE_SHARE || (yield* hasJsonLine(bytes));
}

const BRACKETS = [
  { open: '{', close: '}' },
  { open: '[', close: ']' },
];

/**
 * Whether any line is JSON. A line may begin after a carriage return, but is read up to the next line feed, so that bytes with many
 * carriage returns would be read many times. If more bytes have to be read than in an image with random bytes, the bytes count as JSON.
 */
function* hasJsonLine(bytes: Buffer): Steps<boolean> {
  let patience = bytes.length * LINES_READ_OVER;
  for (const { open, close } of BRACKETS) {
    let end = 0;
    let seen = 1;
    for (let at = bytes.indexOf(open); at >= 0; at = bytes.indexOf(open, at + 1)) {
      if (seen++ % THINGS_BETWEEN_STOPS === 0) yield;
      if (!isLineStart(bytes, at)) continue;
      if (at >= end) {
        end = lineEnd(bytes, at);
        // Nothing on this line is JSON.
        if (!mayEndWith(bytes, close, at, end)) at = end - 1;
      }
      if (at === end - 1) continue;
      patience -= end - at;
      if (patience < 0) return true;
      const line = bytes.toString('utf8', at, end).trimEnd();
      if (line.length >= SHORTEST_LINE && line.endsWith(close) && (yield* checkingLine(line))) return true;
    }
  }
  return false;
}

/** Whether a line may end with a character before trailing white space; true after any byte beyond ASCII, which may be white space. */
function mayEndWith(bytes: Buffer, close: string, start: number, end: number): boolean {
  let last = end - 1;
  while (last > start && (bytes[last] === 0x20 || (bytes[last]! >= 0x09 && bytes[last]! <= 0x0d))) last--;
  return bytes[last]! >= 0x80 || bytes[last] === close.charCodeAt(0);
}

function isLineStart(bytes: Buffer, at: number): boolean {
  let before = at - 1;
  while (before >= 0 && (bytes[before] === 0x20 || bytes[before] === 0x09) && at - before < 64) before--;
  return before < 0 || bytes[before] === 0x0a || bytes[before] === 0x0d;
}

function lineEnd(bytes: Buffer, at: number): number {
  const feed = bytes.indexOf(0x0a, at);
  return feed < 0 ? bytes.length : feed;
}

/** Whether a line is JSON. A long line is read in steps, with limits; a line over a limit counts as JSON. */
function* checkingLine(line: string): Steps<boolean> {
  try {
    if (line.length > BYTES_AT_ONCE) yield* parsingJson(line);
    else JSON.parse(line);
    return true;
  } catch (error) {
    return error instanceof JsonSyntaxError && error.overLimit;
  }
}

/** Rows of characters, and longer rows that are interrupted by other bytes, one at a time. */
function* runsOfText(bytes: Buffer): Steps<string[]> {
  const runs: string[] = [];
  let start = 0;
  let printable = 0;
  let streak = 0;
  let longest = 0;
  for (let at = 0; at <= bytes.length; at++) {
    if (at % BYTES_AT_ONCE === BYTES_AT_ONCE - 1) yield;
    if (at < bytes.length && CLASSES[bytes[at]!] === 1) {
      printable++;
      longest = Math.max(longest, ++streak);
      continue;
    }
    streak = 0;
    if (at < bytes.length && at > start && CLASSES[bytes[at - 1]!] === 1 && CLASSES[bytes[at + 1] ?? 0] === 1) continue;
    if (longest >= SHORTEST_ROW || printable >= SHORTEST_RUN) {
      runs.push(bytes.toString('latin1', start, at).replace(/[^\t-\r -~]/g, ''));
    }
    start = at + 1;
    printable = longest = 0;
  }
  return runs;
}

/** Whether ASCII follows a mark of UTF-16: a reader that ignores the mark reads the ASCII. */
function* hidesText(bytes: Buffer): Steps<boolean> {
  return (yield* runsOfText(bytes)).length > 0 && !bytes.includes(0);
}

function reasonOf(bytes: Buffer): UnreadReason {
  const begins = (beginning: Buffer): boolean => bytes.subarray(0, beginning.length).equals(beginning);
  const formats = documentFormatsOf(bytes);
  if (DOCUMENTS.some(begins) || formats.includes('pdf') || formats.includes('zip')) return 'document';
  return ARCHIVES.some(begins) || formats.includes('zlib') || formats.includes('archive') ? 'archive' : 'binary';
}

/** Whether bytes that are text are also a document or a compressed file, such as a PDF file in ASCII or an HTML page. */
export function isForReader(bytes: Buffer, text: string): boolean {
  if (documentFormatsOf(bytes).length > 0 || textFormatsOf(text).length > 0) return true;
  return !isUtf8(bytes) && isPackedShort(bytes);
}

/** Whether a recognised image, audio or video is also a document, which a reader can find in a comment or a private part of the file. */
export function isAlsoDocument(bytes: Buffer): boolean {
  // The end of a ZIP file alone occurs by chance in one of about 65,000 large files.
  return documentFormatsOf(bytes).some((format) => format !== 'zip' || bytes.includes(ZIP_ENTRY));
}

/** Whether a text is a PDF file in ASCII: its streams are encoded, so that it shows something other than its text. */
function isAsciiPdf(bytes: Buffer): boolean {
  return bytes.includes('endstream') && bytes.includes('endobj') && documentFormatsOf(bytes).includes('pdf');
}
