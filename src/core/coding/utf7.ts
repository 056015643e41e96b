import { atOnce, type Steps } from '../steps/steps.js';
import { decodeBase64 } from './base64.js';
import { textOfUnits } from './text-builder.js';

/** A shift of UTF-7 (RFC 2152): `+AEA-` encodes an at sign. */
export const SHIFTS = /\+([A-Za-z0-9/]{2,})-?/g;
/** The characters of a shift after the plus sign, by code. */
const IS_SIGN = Uint8Array.from({ length: 128 }, (_, code) => Number(/[A-Za-z0-9/]/.test(String.fromCharCode(code))));
/** The number of characters of a shift that are read in less than a millisecond; eight of them encode three whole UTF-16 units. */
const SIGNS_AT_ONCE = 65_536;
const FIRST_PRINTABLE = 0x20;
const LAST_PRINTABLE = 0x7e;

/**
 * The decoded text of a shift if it is ASCII. Other shifts are ignored: they do not hide ASCII values, and much ordinary text has the
 * same form.
 */
export function asciiOfShift(signs: string): string | undefined {
  return atOnce(readingShift(signs, 0, signs.length));
}

/** `asciiOfShift` in steps, for the characters of a text from `start` to `end`: a shift can be as long as the text. */
export function* readingShift(text: string, start: number, end: number): Steps<string | undefined> {
  const parts: string[] = [];
  for (let from = start; from < end; from += SIGNS_AT_ONCE) {
    const to = Math.min(end, from + SIGNS_AT_ONCE);
    const part = asciiOf(text, from, to);
    if (part === undefined) return undefined;
    parts.push(part);
    if (to < end) yield;
  }
  const ascii = parts.join('');
  return ascii === '' ? undefined : ascii;
}

/** The end of the shift whose characters begin at `start`, without the hyphen that may follow. In steps. */
export function* findingShiftEnd(text: string, start: number): Steps<number> {
  let end = start;
  while (IS_SIGN[text.charCodeAt(end)] === 1) if ((++end - start) % SIGNS_AT_ONCE === 0) yield;
  return end;
}

/** The decoded characters; undefined if one of them is not printable ASCII. */
function asciiOf(text: string, start: number, end: number): string | undefined {
  // An incomplete group of bits at the end encodes nothing.
  const whole = (end - start) % 4 === 1 ? end - 1 : end;
  const bytes = decodeBase64(text, start, whole)?.bytes ?? NO_BYTES;
  const units = new Uint16Array(bytes.length >> 1);
  for (let at = 0; at < units.length; at++) {
    const unit = (bytes[2 * at]! << 8) | bytes[2 * at + 1]!;
    if (unit < FIRST_PRINTABLE || unit > LAST_PRINTABLE) return undefined;
    units[at] = unit;
  }
  return textOfUnits(units);
}

const NO_BYTES = new Uint8Array(0);
