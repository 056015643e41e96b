/** Decodes text whose encoding is unknown or declared wrongly. */

import { decodingWide, eachUnits, Utf16Text, type WideCoding } from './wide-text.js';
import { atOnce, type Steps } from '../steps/steps.js';
import { readingUtf8, utf8Bytes } from './utf8.js';
import { WINDOWS_1252 } from './windows-1252.js';

export interface TextCoding {
  /** `windows-1252` represents every single-byte or multi-byte coding that contains ASCII, including Latin-1. */
  readonly name: 'utf-8' | 'windows-1252' | WideCoding;
  /** Whether the bytes begin with a byte order mark, which is not part of the text. */
  readonly mark: boolean;
}

export interface CodedText {
  readonly text: string;
  readonly coding: TextCoding;
}

const MARKS: readonly (readonly [TextCoding['name'], readonly number[]])[] = [
  ['utf-32le', [0xff, 0xfe, 0, 0]],
  ['utf-32be', [0, 0, 0xfe, 0xff]],
  ['utf-8', [0xef, 0xbb, 0xbf]],
  ['utf-16le', [0xff, 0xfe]],
  ['utf-16be', [0xfe, 0xff]],
];
const WIDE: readonly WideCoding[] = ['utf-32le', 'utf-32be', 'utf-16le', 'utf-16be'];
/** Shorter inputs can look like text by chance, so stricter rules apply to them. */
const FEW_BYTES = 24;

/**
 * Decodes bytes as text: by their byte order mark, as UTF-16 or UTF-32 without one, as UTF-8, or as a coding that contains ASCII. Every
 * character can be encoded back to its original bytes.
 *
 * @param charset the declared encoding; used if the bytes are valid in it and do not show another one
 * @returns undefined for bytes that are not text
 */
export function textOfBytes(bytes: Uint8Array, charset?: string): CodedText | undefined {
  return atOnce(readingTextOfBytes(bytes, charset));
}

/** `textOfBytes` in steps. */
export function* readingTextOfBytes(bytes: Uint8Array, charset?: string): Steps<CodedText | undefined> {
  if (bytes.length === 0) return undefined;
  for (const [name, mark] of MARKS) {
    if (!mark.every((byte, at) => bytes[at] === byte)) continue;
    const content = bytes.subarray(mark.length);
    // Decoders that follow the mark drop an incomplete character at the end.
    const whole =
      name === 'utf-8'
        ? content
        : content.subarray(0, content.length - ((content.length % 4) & (name.startsWith('utf-32') ? 3 : 1)));
    const text = yield* decoding(whole, name);
    if (text !== undefined) return { text, coding: { name, mark: true } };
  }
  const said = WIDE.filter((name) => charsetOf(charset).includes(name));
  for (const name of said) {
    const text = yield* decodingWide(bytes, name);
    if (text !== undefined && (yield* checkingText(text))) return { text, coding: { name, mark: false } };
  }
  return yield* unmarked(bytes);
}

function* unmarked(bytes: Uint8Array): Steps<CodedText | undefined> {
  const utf8 = yield* readingUtf8(bytes);
  if (utf8 !== undefined && !bytes.includes(0)) return utf8Unmarked(bytes, utf8);
  const counts = yield* countingBytes(bytes);
  for (const name of WIDE) {
    const text = yield* readingWide(bytes, name, counts[0]!);
    if (text !== undefined) return { text, coding: { name, mark: false } };
  }
  if (utf8 !== undefined) return utf8Unmarked(bytes, utf8);
  if (!looksSingleByte(counts, bytes.length)) return undefined;
  return { text: WINDOWS_1252.decode(bytes), coding: { name: 'windows-1252', mark: false } };
}

function utf8Unmarked(bytes: Uint8Array, text: string): CodedText | undefined {
  const isText = bytes.length >= FEW_BYTES || bytes.filter(isControl).length * 8 <= bytes.length;
  return isText ? { text, coding: { name: 'utf-8', mark: false } } : undefined;
}

/** Number of occurrences of each byte value. */
type ByteCounts = Readonly<Uint32Array>;
const BYTES_AT_ONCE = 131_072;

function* countingBytes(bytes: Uint8Array): Steps<ByteCounts> {
  const counts = new Uint32Array(256);
  for (let start = 0; start < bytes.length; start += BYTES_AT_ONCE) {
    const end = Math.min(bytes.length, start + BYTES_AT_ONCE);
    for (let at = start; at < end; at++) counts[bytes[at]!]!++;
    if (end < bytes.length) yield;
  }
  return counts;
}

function countOf(counts: ByteCounts, is: (byte: number) => boolean): number {
  return counts.reduce((sum, count, byte) => (is(byte) ? sum + count : sum), 0);
}

/** The bytes of a text in its detected coding. Characters missing in the coding become `?`. */
export function bytesOfText(text: string, { name, mark }: TextCoding): Uint8Array {
  const bytes = encode(text, name);
  if (!mark) return bytes;
  const before = MARKS.find(([each]) => each === name)![1];
  const whole = new Uint8Array(before.length + bytes.length);
  whole.set(before);
  whole.set(bytes, before.length);
  return whole;
}

function* decoding(bytes: Uint8Array, name: TextCoding['name']): Steps<string | undefined> {
  if (name === 'utf-8') return yield* readingUtf8(bytes);
  return name === 'windows-1252' ? WINDOWS_1252.decode(bytes) : yield* decodingWide(bytes, name);
}

function encode(text: string, name: TextCoding['name']): Uint8Array {
  if (name === 'utf-8') return utf8Bytes(text);
  if (name === 'windows-1252') return WINDOWS_1252.encode(text);
  return Utf16Text.encode(text, name);
}

/** Whether a declared encoding is UTF-16 or UTF-32. */
export function isWideCharset(charset: string): boolean {
  return charsetOf(charset).length > 0;
}

/** The wide codings that a charset name can mean. */
function charsetOf(charset: string | undefined): readonly WideCoding[] {
  const match = /^(?:utf-?|ucs-?|iso-?10646-ucs-?)(16|32|2|4)-?(le|be)?$/i.exec(charset?.trim() ?? '');
  if (match === null) return [];
  const bits = match[1] === '16' || match[1] === '2' ? '16' : '32';
  const order = match[2]?.toLowerCase();
  return WIDE.filter((name) => name.startsWith(`utf-${bits}`) && (order === undefined || name.endsWith(order)));
}

/** Characters that suggest binary data: lone surrogates, private-use and unassigned characters, controls. */
const NO_TEXT = /[\0-\x08\x0e-\x1a\x1c-\x1f\x7f\p{Cs}\p{Co}\p{Cn}]/gu;

/** Number of UTF-16 units processed between two stops; takes a few milliseconds at most. */
const UNITS_AT_ONCE = 65_536;
const FIRST_HALF = /[\ud800-\udbff]/;

/** Whether a decoded string consists mostly of text characters, in steps. */
function* checkingText(text: string): Steps<boolean> {
  let strange = 0;
  for (let from = 0; from < text.length;) {
    const end = from + UNITS_AT_ONCE;
    // A surrogate pair must not be split, since its halves would not count as text.
    const to = FIRST_HALF.test(text.charAt(end - 1)) ? end + 1 : end;
    strange += text.slice(from, to).match(NO_TEXT)?.length ?? 0;
    from = to;
    yield;
  }
  return strange * 16 <= text.length;
}

/** Decodes bytes as a wide coding if all of them are valid in it and enough characters are ASCII. */
function* readingWide(bytes: Uint8Array, name: WideCoding, zeros: number): Steps<string | undefined> {
  // Every ASCII character contains a zero byte: with too few zeros, the slower check of each character is skipped.
  const characters = bytes.length / (name.startsWith('utf-32') ? 4 : 2);
  if (zeros * MOST_CHARACTERS_OF_AN_ASCII_ONE < characters) return undefined;
  let ascii = 0;
  const isWhole = yield* eachUnits(bytes, name, (units) => {
    for (const unit of units) if (unit < 0x80) ascii++;
    return true;
  });
  if (!isWhole || characters < 2 || ascii * MOST_CHARACTERS_OF_AN_ASCII_ONE < characters) return undefined;
  const text = yield* decodingWide(bytes, name);
  return text !== undefined && (yield* checkingText(text)) ? text : undefined;
}

/** At least one character in five must be ASCII. */
const MOST_CHARACTERS_OF_AN_ASCII_ONE = 5;

/**
 * Whether bytes look like text in a single-byte coding: such text contains few control characters, including those in the upper range of
 * Latin-1.
 */
function looksSingleByte(counts: ByteCounts, length: number): boolean {
  const controls = countOf(counts, isControl);
  const ascii = countOf(counts, (byte) => byte >= 0x20 && byte < 0x7f);
  const upper = countOf(counts, (byte) => byte >= 0x80 && byte < 0xa0);
  if (upper * 5 > length) return false;
  return (controls === 0 && length >= FEW_BYTES) || (controls * 32 <= length && ascii * 10 >= length * 7);
}

function isControl(byte: number): boolean {
  return byte === 0x7f || (byte < 0x20 && !(byte >= 0x09 && byte <= 0x0d) && byte !== 0x1b);
}
