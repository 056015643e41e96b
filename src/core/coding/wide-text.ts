import type { Steps } from '../steps/steps.js';
import { textOfUnits } from './text-builder.js';

/** Encodings with characters of two or four bytes, in both byte orders. */
export type WideCoding = 'utf-16le' | 'utf-16be' | 'utf-32le' | 'utf-32be';

function sizeOf(name: WideCoding): 2 | 4 {
  return name.startsWith('utf-16') ? 2 : 4;
}

/** The code units in bytes, two or four bytes each; undefined if the last unit is incomplete. */
export function codeUnitsOf(bytes: Uint8Array, name: WideCoding): Uint16Array | Uint32Array | undefined {
  const size = sizeOf(name);
  if (bytes.length % size !== 0) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const isLittle = name.endsWith('le');
  const units = size === 2 ? new Uint16Array(bytes.length / 2) : new Uint32Array(bytes.length / 4);
  for (let at = 0; at < units.length; at++) {
    units[at] = size === 2 ? view.getUint16(at * 2, isLittle) : view.getUint32(at * 4, isLittle);
  }
  return units;
}

/** Number of bytes processed between two stops; takes less than a millisecond. */
const BYTES_AT_ONCE = 65_536;

/**
 * `codeUnitsOf` in steps, passing the units to `take` in parts. @returns false if the last unit is incomplete or `take` returned false
 */
export function* eachUnits(
  bytes: Uint8Array,
  name: WideCoding,
  take: (units: Uint16Array | Uint32Array) => boolean,
): Steps<boolean> {
  if (bytes.length % sizeOf(name) !== 0) return false;
  for (let from = 0; from < bytes.length; from += BYTES_AT_ONCE) {
    const units = codeUnitsOf(bytes.subarray(from, from + BYTES_AT_ONCE), name);
    if (units === undefined || !take(units)) return false;
    yield;
  }
  return true;
}

/** `Utf16Text.decode` in steps. */
export function* decodingWide(bytes: Uint8Array, name: WideCoding): Steps<string | undefined> {
  const parts: string[] = [];
  const isWhole = yield* eachUnits(bytes, name, (units) => {
    const text = textOf(units);
    if (text !== undefined) parts.push(text);
    return text !== undefined;
  });
  return isWhole ? parts.join('') : undefined;
}

function textOf(units: Uint16Array | Uint32Array): string | undefined {
  return units instanceof Uint16Array ? textOfUnits(units) : textOfCodePoints(units);
}

export const Utf16Text = {
  /** @returns undefined for bytes that are not complete, valid Unicode characters */
  decode(bytes: Uint8Array, name: WideCoding): string | undefined {
    const units = codeUnitsOf(bytes, name);
    return units === undefined ? undefined : textOf(units);
  },

  /** Lone surrogates are kept in UTF-16 and become U+FFFD in UTF-32. */
  encode(text: string, name: WideCoding): Uint8Array {
    const isLittle = name.endsWith('le');
    if (sizeOf(name) === 2) {
      const view = new DataView(new ArrayBuffer(text.length * 2));
      for (let at = 0; at < text.length; at++) view.setUint16(at * 2, text.charCodeAt(at), isLittle);
      return new Uint8Array(view.buffer);
    }
    const codes = Array.from(text.toWellFormed(), (char) => char.codePointAt(0)!);
    const view = new DataView(new ArrayBuffer(codes.length * 4));
    codes.forEach((code, at) => view.setUint32(at * 4, code, isLittle));
    return new Uint8Array(view.buffer);
  },
};

function textOfCodePoints(codes: Uint32Array): string | undefined {
  const units = new Uint16Array(codes.length * 2);
  let length = 0;
  for (const code of codes) {
    if (code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) return undefined;
    if (code < 0x10000) {
      units[length++] = code;
    } else {
      units[length++] = 0xd800 + ((code - 0x10000) >> 10);
      units[length++] = 0xdc00 + ((code - 0x10000) & 0x3ff);
    }
  }
  return textOfUnits(units, length);
}
