/** Base64 (RFC 4648, both alphabets) that holds text. Written out here because core has no platform to ask. */

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
/** By character code; -1 for what is no base64. */
const VALUES = new Int8Array(128).fill(-1);
for (const [value, char] of [...ALPHABET].entries()) VALUES[char.charCodeAt(0)] = value;
VALUES[0x2d] = 62;
VALUES[0x5f] = 63;
/** ASCII-only PDF files look like text, and do not bear a change of length. */
const PDF = '%PDF-';
/** Smallest code point that a sequence with so many more bytes may stand for (Unicode 16, table 3-7). */
const LEAST = [0, 0x80, 0x800, 0x10000];

/**
 * The text that base64 stands for.
 *
 * @param value read from `start` to its end; white space in it does not count
 * @returns undefined for what is no base64, or holds no text: bytes that are not UTF-8, control characters, PDF files
 */
export function decodeBase64Text(value: string, start: number): string | undefined {
  const reader = new Utf8Reader();
  const end = value.trimEnd().replace(/={1,2}$/, '').length;
  let bits = 0;
  let bitCount = 0;
  for (let at = start; at < end; at++) {
    const six = VALUES[value.charCodeAt(at)] ?? -1;
    if (six < 0) {
      if (/\s/.test(value[at]!)) continue;
      return undefined;
    }
    bits = ((bits << 6) | six) & 0xffff;
    bitCount += 6;
    if (bitCount < 8) continue;
    bitCount -= 8;
    if (!reader.take((bits >> bitCount) & 0xff)) return undefined;
  }
  const text = reader.text();
  return text === undefined || text === '' || text.startsWith(PDF) ? undefined : text;
}

/** The standard alphabet, padded. Halves of surrogate pairs become U+FFFD. */
export function encodeBase64Text(text: string): string {
  const bytes: number[] = [];
  for (const char of text.toWellFormed()) bytes.push(...utf8Of(char.codePointAt(0)!));
  const groups: string[] = [];
  for (let at = 0; at < bytes.length; at += 3) {
    const [first, second, third] = [bytes[at]!, bytes[at + 1], bytes[at + 2]];
    const bits = (first << 16) | ((second ?? 0) << 8) | (third ?? 0);
    const chars = [18, 12, 6, 0].map((shift) => ALPHABET[(bits >> shift) & 63]!);
    groups.push(
      chars[0]! + chars[1]! + (second === undefined ? '=' : chars[2]!) + (third === undefined ? '=' : chars[3]!),
    );
  }
  return groups.join('');
}

function utf8Of(code: number): number[] {
  if (code < 0x80) return [code];
  if (code < 0x800) return [0xc0 | (code >> 6), 0x80 | (code & 63)];
  if (code < 0x10000) return [0xe0 | (code >> 12), 0x80 | ((code >> 6) & 63), 0x80 | (code & 63)];
  return [0xf0 | (code >> 18), 0x80 | ((code >> 12) & 63), 0x80 | ((code >> 6) & 63), 0x80 | (code & 63)];
}

/** Text from bytes, one at a time. */
class Utf8Reader {
  private readonly parts: string[] = [];
  private part = '';
  private code = 0;
  private missing = 0;
  private least = 0;

  /** @returns false when the bytes are no text */
  take(byte: number): boolean {
    if (this.missing === 0) return this.begin(byte);
    if (byte < 0x80 || byte > 0xbf) return false;
    this.code = (this.code << 6) | (byte & 63);
    if (--this.missing > 0) return true;
    const isHalf = this.code >= 0xd800 && this.code <= 0xdfff;
    return this.code >= this.least && this.code <= 0x10ffff && !isHalf && this.add();
  }

  /** @returns undefined when the last character is not whole */
  text(): string | undefined {
    return this.missing > 0 ? undefined : this.parts.join('') + this.part;
  }

  private begin(byte: number): boolean {
    if (byte >= 0x80 && (byte < 0xc2 || byte > 0xf4)) return false;
    this.missing = byte < 0x80 ? 0 : byte < 0xe0 ? 1 : byte < 0xf0 ? 2 : 3;
    this.least = LEAST[this.missing]!;
    this.code = byte < 0x80 ? byte : byte & (0x3f >> this.missing);
    return this.missing > 0 || this.add();
  }

  private add(): boolean {
    const { code } = this;
    const isControl = (code < 0x20 && !(code >= 0x09 && code <= 0x0d)) || code === 0x7f;
    this.part += String.fromCodePoint(code);
    if (this.part.length > 4096) {
      this.parts.push(this.part);
      this.part = '';
    }
    return !isControl;
  }
}
