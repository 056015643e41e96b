/**
 * Base64, UTF-8 and other encodings of text, implemented here because core must not use platform APIs. Invalid bytes are reported and
 * never replaced.
 */

/** Base64 (RFC 4648, both alphabets). Implemented here because core must not use platform APIs. */

import { atOnce, type Steps } from '../steps/steps.js';

const STANDARD = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const URL_SAFE = `${STANDARD.slice(0, 62)}-_`;
/** Values by character code; -1 for characters outside both alphabets, -2 for white space. */
const VALUES = new Int8Array(128).fill(-1);
for (const [value, char] of [...STANDARD].entries()) VALUES[char.charCodeAt(0)] = value;
const FIRST_OF_ONE_ALPHABET = 62;
const HYPHEN = 0x2d;
const UNDERSCORE = 0x5f;
VALUES[HYPHEN] = 62;
VALUES[UNDERSCORE] = 63;
const SPACE = -2;
for (const char of ' \t\r\n\f\v') VALUES[char.charCodeAt(0)] = SPACE;

/** The written form of a base64 text, independent of the encoded bytes. */
export interface Base64Spelling {
  readonly alphabet: 'standard' | 'url';
  /** Padded with `=` to complete groups of four. */
  readonly padded: boolean;
  /** White space before the first and after the last character. */
  readonly before: string;
  readonly after: string;
  /** For text in lines: the number of characters of each, and the line end. */
  readonly lines?: { readonly length: number; readonly end: string };
}

export interface Base64Bytes {
  readonly bytes: Uint8Array;
  readonly spelling: Base64Spelling;
}

/**
 * Decodes a base64 text in either alphabet, padded or not, with white space anywhere.
 *
 * @returns undefined for invalid base64: other characters, both alphabets in one text (which decoders handle differently), an
 * incomplete last group of one character, padding before the end
 */
export function decodeBase64(value: string, start = 0, end = value.length): Base64Bytes | undefined {
  return atOnce(decodingBase64(value, start, end));
}

/** `decodeBase64` in steps. */
export function* decodingBase64(value: string, start: number, end: number): Steps<Base64Bytes | undefined> {
  const body = bodyRange(value, start, end);
  if (body === undefined) return undefined;
  const bytes = new Uint8Array(Math.ceil(((body.end - body.start) * 3) / 4));
  const found: Found = { bits: 0, letters: 0, length: 0, standard: false, url: false, spaces: false };
  for (let at = body.start; at < body.end; at += CHARACTERS_AT_ONCE) {
    if (!decodeInto(bytes, value, at, Math.min(body.end, at + CHARACTERS_AT_ONCE), found)) return undefined;
    if (at + CHARACTERS_AT_ONCE < body.end) yield;
  }
  if (found.letters % 4 === 1 || (found.standard && found.url)) return undefined;
  return { bytes: bytes.subarray(0, found.length), spelling: spellingOf(value, start, end, body, found) };
}

/** Whether `decodeBase64` returns bytes for the text; in steps. */
export function* checkingBase64(value: string, start: number, end: number): Steps<boolean> {
  const body = bodyRange(value, start, end);
  if (body === undefined) return false;
  const seen: Seen = { letters: 0, alphabets: 0 };
  for (let at = body.start; at < body.end; at += CHARACTERS_AT_ONCE) {
    if (!look(value, at, Math.min(body.end, at + CHARACTERS_AT_ONCE), seen)) return false;
    if (at + CHARACTERS_AT_ONCE < body.end) yield;
  }
  return seen.letters % 4 !== 1 && seen.alphabets !== 3;
}

/** Progress of the check: number of letters, and the alphabets seen, as bits. */
interface Seen {
  letters: number;
  alphabets: number;
}

/** @returns whether the range is base64 */
function look(value: string, start: number, end: number, seen: Seen): boolean {
  let { letters, alphabets } = seen;
  for (let at = start; at < end; at++) {
    const unit = value.charCodeAt(at);
    const six = VALUES[unit] ?? -1;
    if (six >= 0) letters++;
    else if (six !== SPACE) return false;
    if (six >= FIRST_OF_ONE_ALPHABET) alphabets |= unit === HYPHEN || unit === UNDERSCORE ? 1 : 2;
  }
  [seen.letters, seen.alphabets] = [letters, alphabets];
  return true;
}

/** Number of characters processed between two stops; takes less than a millisecond. */
const CHARACTERS_AT_ONCE = 65_536;

/** State of the decoding. */
interface Found {
  /** The last decoded bits, and the number of letters read. */
  bits: number;
  letters: number;
  /** Number of bytes decoded. */
  length: number;
  /** Whether a character of only this alphabet was read. */
  standard: boolean;
  url: boolean;
  /** Whether there was white space between letters. */
  spaces: boolean;
}

/** @returns whether the range is base64 */
function decodeInto(bytes: Uint8Array, value: string, start: number, end: number, found: Found): boolean {
  let { bits, letters, length } = found;
  for (let at = start; at < end; at++) {
    const unit = value.charCodeAt(at);
    const six = VALUES[unit] ?? -1;
    if (six < 0) {
      if (six !== SPACE) return false;
      found.spaces = true;
      continue;
    }
    if (six >= FIRST_OF_ONE_ALPHABET) {
      if (unit === HYPHEN || unit === UNDERSCORE) found.url = true;
      else found.standard = true;
    }
    bits = ((bits << 6) | six) & 0xffff;
    // The first of four letters completes no byte; each of the others does, after 12, 18 and 24 bits.
    const place = letters++ & 3;
    if (place !== 0) bytes[length++] = (bits >> (6 - 2 * place)) & 0xff;
  }
  found.bits = bits;
  found.letters = letters;
  found.length = length;
  return true;
}

/** Encodes bytes in the written form of an earlier text. */
export function encodeBase64(bytes: Uint8Array, spelling: Base64Spelling): string {
  const alphabet = spelling.alphabet === 'url' ? URL_SAFE : STANDARD;
  const groups: string[] = [];
  for (let at = 0; at < bytes.length; at += 3) {
    const [first, second, third] = [bytes[at]!, bytes[at + 1], bytes[at + 2]];
    const bits = (first << 16) | ((second ?? 0) << 8) | (third ?? 0);
    const fill = spelling.padded ? '=' : '';
    groups.push(
      alphabet[bits >> 18]! +
        alphabet[(bits >> 12) & 63]! +
        (second === undefined ? fill : alphabet[(bits >> 6) & 63]!) +
        (third === undefined ? fill : alphabet[bits & 63]!),
    );
  }
  return spelling.before + inLines(groups.join(''), spelling.lines) + spelling.after;
}

function inLines(text: string, lines: Base64Spelling['lines']): string {
  if (lines === undefined) return text;
  const pieces: string[] = [];
  for (let at = 0; at < text.length; at += lines.length) pieces.push(text.slice(at, at + lines.length));
  return pieces.join(lines.end);
}

interface Body {
  readonly start: number;
  readonly end: number;
  readonly padding: number;
}

/** The range of the letters, without surrounding white space and padding. */
function bodyRange(value: string, start: number, end: number): Body | undefined {
  let from = start;
  let to = end;
  let padding = 0;
  while (from < to && isSpace(value, from)) from++;
  while (to > from) {
    const isPadding = value.charCodeAt(to - 1) === 0x3d;
    if (!isPadding && !isSpace(value, to - 1)) break;
    if (isPadding) padding++;
    to--;
  }
  return padding > 2 ? undefined : { start: from, end: to, padding };
}

function isSpace(value: string, at: number): boolean {
  return VALUES[value.charCodeAt(at)] === SPACE;
}

function spellingOf(
  value: string,
  start: number,
  end: number,
  body: Body,
  { url, letters, spaces }: Found,
): Base64Spelling {
  let tail = end;
  while (tail > body.end && isSpace(value, tail - 1)) tail--;
  const lines = spaces ? linesOf(value.slice(body.start, tail)) : undefined;
  return {
    alphabet: url ? 'url' : 'standard',
    // If no padding is needed, the alphabet decides: standard base64 is usually padded, the URL form is not.
    padded: body.padding > 0 || (!url && letters % 4 === 0),
    before: value.slice(start, body.start),
    after: value.slice(tail, end),
    ...(lines === undefined ? {} : { lines }),
  };
}

/** Line length and line end, taken from the first break; undefined for a text in one line. */
function linesOf(text: string): Base64Spelling['lines'] {
  const first = /\s+/.exec(text);
  return first === null ? undefined : { length: first.index, end: first[0] };
}
