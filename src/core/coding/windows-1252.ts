import { textOfUnits } from './text-builder.js';

/** The characters for the bytes from 0x80 (WHATWG Encoding); the five unassigned bytes map to themselves. */
const UPPER =
  '\u20ac\x81\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\x8d\u017d\x8f' +
  '\x90\u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\x9d\u017e\u0178';
const UNITS = Uint16Array.from({ length: 256 }, (_, byte) =>
  byte >= 0x80 && byte < 0xa0 ? UPPER.charCodeAt(byte - 0x80) : byte,
);
const BYTES = new Map([...UNITS].map((unit, byte) => [unit, byte]));
const QUESTION_MARK = 0x3f;

/** Every byte maps to its own character, so unchanged text encodes to the original bytes. */
export const WINDOWS_1252 = {
  decode(bytes: Uint8Array): string {
    return textOfUnits(Uint16Array.from(bytes, (byte) => UNITS[byte]!));
  },

  encode(text: string): Uint8Array {
    const bytes = new Uint8Array(text.length);
    for (let at = 0; at < text.length; at++) bytes[at] = BYTES.get(text.charCodeAt(at)) ?? QUESTION_MARK;
    return bytes;
  },
};
