/** Recognises texts that are encoded in the letters and digits of identifiers, because identifiers are not read. */

/**
 * Minimum length of an encoded text. By chance, 5 of 10,000 random identifiers with 24 letters and digits, 4 of 10,000 with 48 hexadecimal
 * digits and 10 of 10,000 with 64 letters and digits contain such a text in one of the codings (a random byte is printable with a probability
 * of 0.38): they are read as texts, and most often nothing is found in them.
 */
const LEAST_TEXT = 12;
/** Detectors begin to decode after a separator. */
const PARTS = /[A-Za-z0-9]+/g;
/** May precede hexadecimal digits. */
const HEX_MARK = /^0?x/i;

/** An encoding of bytes as characters. */
interface Coding {
  /** The value of each letter and digit; -1 for the others. */
  readonly values: Int8Array;
  /** Bits per character. */
  readonly width: number;
}

/** Base64 without its last two characters, base32 with both alphabets, and hexadecimal digits. */
const CODINGS: readonly Coding[] = [
  codingOf('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789', 6),
  codingOf('ABCDEFGHIJKLMNOPQRSTUVWXYZ234567', 5),
  codingOf('0123456789ABCDEFGHIJKLMNOPQRSTUV', 5),
  codingOf('0123456789ABCDEF', 4),
];

/** In codings with one case, lower and upper case have the same values. */
function codingOf(alphabet: string, width: number): Coding {
  const values = new Int8Array(0x80).fill(-1);
  for (const [value, sign] of [...alphabet].entries()) {
    values[sign.charCodeAt(0)] = value;
    if (width < 6) values[sign.toLowerCase().charCodeAt(0)] = value;
  }
  return { values, width };
}

/**
 * Where the parts of an identifier begin, without the first one, if one of them encodes a text: detectors read each part separately then.
 * Undefined if none does.
 */
export function cutsAtCodedText(value: string): readonly number[] | undefined {
  const parts = [...value.matchAll(PARTS)];
  if (!parts.some(([part]) => encodesText(part))) return undefined;
  return parts.flatMap(({ index }) => (index === 0 ? [] : [index]));
}

function encodesText(part: string): boolean {
  return CODINGS.some((coding) => {
    const digits = coding.width === 4 ? part.replace(HEX_MARK, '') : part;
    return digits.length * coding.width >= LEAST_TEXT * 8 && longestText(digits, coding) >= LEAST_TEXT;
  });
}

/** The largest number of printable characters in a row that a part encodes. Zeros between them are ignored, as in UTF-16. */
function longestText(part: string, { values, width }: Coding): number {
  let [held, bits, row, longest] = [0, 0, 0, 0];
  for (let index = 0; index < part.length; index++) {
    const value = values[part.charCodeAt(index)]!;
    if (value < 0) break;
    held = ((held << width) | value) & 0xffff;
    bits += width;
    if (bits < 8) continue;
    bits -= 8;
    const byte = (held >> bits) & 0xff;
    if (byte !== 0) row = isPrintable(byte) ? row + 1 : 0;
    longest = Math.max(longest, row);
  }
  return longest;
}

function isPrintable(byte: number): boolean {
  return (byte >= 0x20 && byte < 0x7f) || byte === 0x09 || byte === 0x0a || byte === 0x0d;
}
