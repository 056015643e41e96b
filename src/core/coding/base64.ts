/** Base64 (RFC 4648, both alphabets). Written out here because core has no platform to ask. */

const STANDARD = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const URL_SAFE = `${STANDARD.slice(0, 62)}-_`;
/** By character code; -1 for what is no base64, -2 for white space. */
const VALUES = new Int8Array(128).fill(-1);
for (const [value, char] of [...STANDARD].entries()) VALUES[char.charCodeAt(0)] = value;
VALUES[0x2d] = 62;
VALUES[0x5f] = 63;
const SPACE = -2;
for (const char of ' \t\r\n\f\v') VALUES[char.charCodeAt(0)] = SPACE;

/** How a base64 text is written, beside what it says. */
export interface Base64Spelling {
  readonly alphabet: 'standard' | 'url';
  /** Filled up with `=` to whole groups of four. */
  readonly padded: boolean;
  /** White space before the first character and behind the last one. */
  readonly before: string;
  readonly after: string;
  /** For text in lines: how many characters each has, and what ends it. */
  readonly lines?: { readonly length: number; readonly end: string };
}

export interface Base64Bytes {
  readonly bytes: Uint8Array;
  readonly spelling: Base64Spelling;
}

/**
 * The bytes that base64 stands for, in either alphabet, padded or not, with white space anywhere.
 *
 * @returns undefined for what is no base64: other characters, both alphabets in one text (which readers take
 * differently), a lone last character, padding that is not at the end
 */
export function decodeBase64(value: string, start = 0, end = value.length): Base64Bytes | undefined {
  const body = bodyRange(value, start, end);
  if (body === undefined) return undefined;
  const bytes = new Uint8Array(Math.ceil(((body.end - body.start) * 3) / 4));
  let length = 0;
  let bits = 0;
  let bitCount = 0;
  for (let at = body.start; at < body.end; at++) {
    const six = VALUES[value.charCodeAt(at)] ?? -1;
    if (six < 0) {
      if (six === SPACE) continue;
      return undefined;
    }
    bits = ((bits << 6) | six) & 0xffff;
    bitCount += 6;
    if (bitCount < 8) continue;
    bitCount -= 8;
    bytes[length++] = (bits >> bitCount) & 0xff;
  }
  if (bitCount === 6) return undefined;
  const spelling = spellingOf(value, start, end, body);
  return spelling && { bytes: bytes.subarray(0, length), spelling };
}

/** The same bytes, or others, as the text was written. */
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

/** Where the characters stand, without white space and padding around them. */
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

function spellingOf(value: string, start: number, end: number, body: Body): Base64Spelling | undefined {
  const has = (char: string): boolean => {
    const at = value.indexOf(char, body.start);
    return at !== -1 && at < body.end;
  };
  const isUrl = has('-') || has('_');
  if (isUrl && (has('+') || has('/'))) return undefined;
  let tail = end;
  while (tail > body.end && isSpace(value, tail - 1)) tail--;
  const lines = linesOf(value.slice(body.start, tail));
  return {
    alphabet: isUrl ? 'url' : 'standard',
    // What needs no padding tells nothing: the standard alphabet is padded as a rule, the other one is not.
    padded: body.padding > 0 || (!isUrl && isWhole(value, body)),
    before: value.slice(start, body.start),
    after: value.slice(tail, end),
    ...(lines === undefined ? {} : { lines }),
  };
}

function isWhole(value: string, body: Body): boolean {
  let count = 0;
  for (let at = body.start; at < body.end; at++) if (!isSpace(value, at)) count++;
  return count % 4 === 0;
}

/** Lines of one length with one line end; undefined for a text in one line, and for one with white space elsewhere. */
function linesOf(text: string): Base64Spelling['lines'] {
  const first = /\s+/.exec(text);
  return first === null ? undefined : { length: first.index, end: first[0] };
}
