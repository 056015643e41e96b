/** Text in bytes with an unknown or wrongly declared encoding. */

import { decodingWide, eachUnits, Utf16Text, type WideCoding } from './wide-text.js';
import { atOnce, type Steps } from '../steps/steps.js';
import { readingUtf8, utf8Bytes } from './utf8.js';
import { WINDOWS_1252 } from './windows-1252.js';

export interface TextCoding {
  /** `windows-1252` stands for every coding in which ASCII characters are their own bytes; Latin-1 is a part of it. */
  readonly name: 'utf-8' | 'windows-1252' | WideCoding;
  /** Begins with a byte order mark, which is no part of the text. */
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
/** So few bytes are text by chance: they have to look it. */
const FEW_BYTES = 24;

/**
 * The text that bytes are: by their byte order mark, as UTF-16 or UTF-32 without one, as UTF-8, or as a coding that has
 * ASCII in it. Every character can be written back to the byte that it came from.
 *
 * @param charset what the bytes are said to be; believed where they can be that, and do not show that they are another
 * @returns undefined for bytes that are no text
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
    // Half a character at the end is left out by whoever believes the mark.
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

/** How often each byte occurs. */
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

/** The bytes of a text in the coding that it was found in. Characters that the coding does not have become `?`. */
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

/** The wide codings that a name can stand for. */
function charsetOf(charset: string | undefined): readonly WideCoding[] {
  const match = /^(?:utf-?|ucs-?|iso-?10646-ucs-?)(16|32|2|4)-?(le|be)?$/i.exec(charset?.trim() ?? '');
  if (match === null) return [];
  const bits = match[1] === '16' || match[1] === '2' ? '16' : '32';
  const order = match[2]?.toLowerCase();
  return WIDE.filter((name) => name.startsWith(`utf-${bits}`) && (order === undefined || name.endsWith(order)));
}

/** Half surrogate pairs, private characters and controls do not make a text. */
const NO_TEXT = /[\0-\x08\x0e-\x1a\x1c-\x1f\x7f\p{Cs}\p{Co}\p{Cn}]/gu;

/** So much of a text takes less than a few milliseconds. */
const UNITS_AT_ONCE = 65_536;
const FIRST_HALF = /[\ud800-\udbff]/;

/** Whether a text mostly is one, in steps. */
function* checkingText(text: string): Steps<boolean> {
  let strange = 0;
  for (let from = 0; from < text.length;) {
    const end = from + UNITS_AT_ONCE;
    // The halves of a character apart from each other would count as no text.
    const to = FIRST_HALF.test(text.charAt(end - 1)) ? end + 1 : end;
    strange += text.slice(from, to).match(NO_TEXT)?.length ?? 0;
    from = to;
    yield;
  }
  return strange * 16 <= text.length;
}

/** The text of bytes that are characters of several bytes in this order: all of them are, and some are ASCII. */
function* readingWide(bytes: Uint8Array, name: WideCoding, zeros: number): Steps<string | undefined> {
  // An ASCII character has a zero in it; what has too few of them need not be looked at character by character.
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

/** One character in five is ASCII at least. */
const MOST_CHARACTERS_OF_AN_ASCII_ONE = 5;

/** Texts of one byte a character have few controls, and few of the bytes that Latin-1 has for controls. */
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
