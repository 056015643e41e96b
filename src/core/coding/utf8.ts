import type { Steps } from '../steps/steps.js';
import { buildingText } from './text-builder.js';

/** Smallest code point for each number of continuation bytes (Unicode 16, table 3-7); lower values are overlong. */
const LEAST = [0, 0x80, 0x800, 0x10000];

/** Number of bytes processed between two stops; takes less than a millisecond. */
const BYTES_AT_ONCE = 65_536;
/** The character for bytes that are not UTF-8. */
const REPLACEMENT = 0xfffd;

/** Decodes bytes as UTF-8, in steps; undefined if they are not UTF-8. A byte order mark is kept as a character. */
export function readingUtf8(bytes: Uint8Array): Steps<string | undefined> {
  return reading(bytes, false);
}

/** Like `readingUtf8`, but each byte that belongs to no character becomes U+FFFD. */
export function* readingAnyUtf8(bytes: Uint8Array): Steps<string> {
  return (yield* reading(bytes, true)) ?? '';
}

function* reading(bytes: Uint8Array, replacesInvalid: boolean): Steps<string | undefined> {
  const units = new Uint16Array(bytes.length);
  let length = 0;
  let stop = BYTES_AT_ONCE;
  for (let at = 0; at < bytes.length;) {
    if (at >= stop) {
      stop = at + BYTES_AT_ONCE;
      yield;
    }
    const byte = bytes[at]!;
    const code = byte < 0x80 ? byte : codePointAt(bytes, at);
    if (code === undefined) {
      if (!replacesInvalid) return undefined;
      units[length++] = REPLACEMENT;
      at++;
      continue;
    }
    at += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    if (code >= 0x10000) {
      units[length++] = 0xd800 + ((code - 0x10000) >> 10);
      units[length++] = 0xdc00 + ((code - 0x10000) & 0x3ff);
    } else {
      units[length++] = code;
    }
  }
  return yield* buildingText(units, length);
}

/** The code point of several bytes at a position; undefined if they are not UTF-8. */
function codePointAt(bytes: Uint8Array, position: number): number | undefined {
  const byte = bytes[position] ?? 0;
  if (byte < 0xc2 || byte > 0xf4) return undefined;
  const more = byte < 0xe0 ? 1 : byte < 0xf0 ? 2 : 3;
  let code = byte & (0x3f >> more);
  for (let next = 1; next <= more; next++) {
    const following = bytes[position + next] ?? 0;
    if ((following & 0xc0) !== 0x80) return undefined;
    code = (code << 6) | (following & 0x3f);
  }
  const isInvalid = code < (LEAST[more] ?? 0) || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff);
  return isInvalid ? undefined : code;
}

/** The bytes of a text in UTF-8. Lone surrogates become U+FFFD. */
export function utf8Bytes(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length * 3);
  let length = 0;
  for (let at = 0; at < text.length; at++) {
    let code = text.codePointAt(at)!;
    if (code > 0xffff) at++;
    else if (code >= 0xd800 && code <= 0xdfff) code = REPLACEMENT;
    if (code < 0x80) {
      bytes[length++] = code;
      continue;
    }
    const more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    bytes[length++] = ((0xf00 >> (more + 1)) & 0xff) | (code >> (6 * more));
    for (let next = more - 1; next >= 0; next--) bytes[length++] = 0x80 | ((code >> (6 * next)) & 0x3f);
  }
  return bytes.subarray(0, length);
}
