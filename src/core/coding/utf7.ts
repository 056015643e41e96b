import { decodeBase64 } from './base64.js';

/** A shift of UTF-7 (RFC 2152): `+AEA-` encodes an at sign. */
export const SHIFTS = /\+([A-Za-z0-9/]{2,})-?/g;
const ASCII = /^[\x20-\x7e]+$/;

/**
 * The decoded text of a shift if it is ASCII. Other shifts are ignored: evasions have no use for them, and much ordinary text looks
 * like them.
 */
export function asciiOfShift(signs: string): string | undefined {
  // An incomplete group of bits at the end encodes nothing.
  const whole = signs.length % 4 === 1 ? signs.slice(0, -1) : signs;
  const bytes = decodeBase64(whole)?.bytes ?? NO_BYTES;
  let text = '';
  for (let at = 0; at + 1 < bytes.length; at += 2) text += String.fromCharCode((bytes[at]! << 8) | bytes[at + 1]!);
  return ASCII.test(text) ? text : undefined;
}

const NO_BYTES = new Uint8Array(0);
