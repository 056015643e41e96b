import { isUtf8 } from 'node:buffer';
import { atOnce, type Steps } from '../core/index.js';

/** An invalid byte of UTF-8 is represented by this value plus the byte: a lone surrogate, which occurs in no text. */
const STRAY = 0xdc00;
const STRAYS = /[\udc80-\udcff]/;
/** The replacement for any other lone surrogate, and the maximum number of bytes per UTF-16 unit. */
const REPLACEMENT = 0xfffd;
const LONGEST_UNIT = 3;
/** The number of UTF-16 units that take less than a millisecond. */
const UNITS_AT_ONCE = 65_536;
const NO_BYTES: Buffer = Buffer.alloc(0);

/**
 * Reads pieces of bytes as UTF-8, so that the text can be converted back into the same bytes, whatever they are (like Python's
 * `surrogateescape`, PEP 383).
 */
export class Utf8Pieces {
  private rest = NO_BYTES;

  /** The characters that this piece completes. */
  push(piece: Buffer): string {
    const bytes = this.rest.length === 0 ? piece : Buffer.concat([this.rest, piece]);
    const end = bytes.length - unfinished(bytes);
    // Most pieces end with a whole character.
    if (end === bytes.length) {
      this.rest = NO_BYTES;
      return utf8Text(bytes);
    }
    this.rest = ownCopy(bytes.subarray(end));
    return utf8Text(bytes.subarray(0, end));
  }

  /** The text of the remaining bytes, when no piece follows. */
  end(): string {
    const text = utf8Text(this.rest);
    this.rest = NO_BYTES;
    return text;
  }
}

/** A copy, because a view would keep the whole network buffer in memory. */
function ownCopy(view: Buffer): Buffer {
  const own = Buffer.alloc(view.length);
  view.copy(own);
  return own;
}

/** The bytes that a text was read from. */
export function utf8Bytes(text: string): Buffer {
  if (!STRAYS.test(text)) return Buffer.from(text);
  const bytes = Buffer.allocUnsafe(text.length * LONGEST_UNIT);
  let end = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.codePointAt(at)!;
    if (code > 0xffff) at++;
    if (code >= STRAY + 0x80 && code <= STRAY + 0xff) bytes[end++] = code - STRAY;
    else end = writeCode(bytes, end, code >= 0xd800 && code <= 0xdfff ? REPLACEMENT : code);
  }
  return ownCopy(bytes.subarray(0, end));
}

/** @returns the position of the next write */
function writeCode(bytes: Buffer, at: number, code: number): number {
  if (code < 0x80) {
    bytes[at] = code;
    return at + 1;
  }
  const more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
  bytes[at] = ((0xff << (7 - more)) & 0xff) | (code >> (6 * more));
  for (let left = more - 1; left >= 0; left--) bytes[at + more - left] = 0x80 | ((code >> (6 * left)) & 0x3f);
  return at + more + 1;
}

/** `Buffer.from` in steps: in one step, ten million characters beyond ASCII take tens of milliseconds. Lone surrogates become U+FFFD. */
export function* writingUtf8(text: string): Steps<Buffer> {
  if (text.length <= UNITS_AT_ONCE) return Buffer.from(text);
  let length = 0;
  for (const part of partsOf(text)) {
    length += Buffer.byteLength(part);
    yield;
  }
  const bytes = Buffer.allocUnsafe(length);
  let end = 0;
  for (const part of partsOf(text)) {
    end += bytes.write(part, end);
    yield;
  }
  return bytes;
}

const HIGH_SURROGATE = /[\ud800-\udbff]/;

/** The parts of a long text, none of which ends within a surrogate pair. */
function* partsOf(text: string): Generator<string, void, void> {
  for (let from = 0, to = 0; from < text.length; from = to) {
    to = from + UNITS_AT_ONCE;
    if (HIGH_SURROGATE.test(text.charAt(to - 1))) to -= 1;
    yield text.slice(from, to);
  }
}

/** Reads all bytes as text, as `Utf8Pieces` does: `utf8Bytes` converts the text back into the same bytes. */
export function utf8Text(bytes: Buffer): string {
  return isUtf8(bytes) ? bytes.toString('utf8') : atOnce(readingUtf8(bytes));
}

/** `utf8Text` in steps, because bytes that are not UTF-8 take longer to read. */
export function* readingUtf8(bytes: Buffer): Steps<string> {
  if (isUtf8(bytes)) return bytes.toString('utf8');
  const units = new Uint16Array(Math.min(bytes.length, UNITS_AT_ONCE) + 1);
  const written = Buffer.from(units.buffer);
  const parts: string[] = [];
  for (let at = 0; at < bytes.length;) {
    let count = 0;
    while (at < bytes.length && count < units.length - 1) {
      const length = sequenceLength(bytes, at);
      const code = length === 0 ? STRAY + bytes[at]! : codeAt(bytes, at, length);
      if (code > 0xffff) units[count++] = 0xd7c0 + (code >> 10);
      units[count++] = code > 0xffff ? 0xdc00 + (code & 0x3ff) : code;
      at += Math.max(length, 1);
    }
    parts.push(written.toString('utf16le', 0, 2 * count));
    yield;
  }
  return parts.join('');
}

/** Length of the well-formed sequence at a position, 0 when there is none (Unicode 16, table 3-7). */
function sequenceLength(bytes: Buffer, at: number): number {
  const lead = bytes[at]!;
  const length = announced(lead);
  if (length < 2 || at + length > bytes.length) return length === 1 ? 1 : 0;
  const second = bytes[at + 1]!;
  const least = lead === 0xe0 ? 0xa0 : lead === 0xf0 ? 0x90 : 0x80;
  const most = lead === 0xed ? 0x9f : lead === 0xf4 ? 0x8f : 0xbf;
  if (second < least || second > most) return 0;
  for (let next = at + 2; next < at + length; next++) if ((bytes[next]! & 0xc0) !== 0x80) return 0;
  return length;
}

/** The code point of a well-formed sequence. */
function codeAt(bytes: Buffer, at: number, length: number): number {
  let code = length === 1 ? bytes[at]! : bytes[at]! & (0xff >> (length + 1));
  for (let next = at + 1; next < at + length; next++) code = (code << 6) | (bytes[next]! & 0x3f);
  return code;
}

function announced(lead: number): number {
  if (lead < 0x80) return 1;
  if (lead < 0xc2 || lead > 0xf4) return 0;
  return lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
}

/** The number of bytes at the end that may be the beginning of a character. */
function unfinished(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back]!;
    if (byte >= 0x80 && byte < 0xc0) continue;
    return announced(byte) > back ? back : 0;
  }
  return 0;
}
