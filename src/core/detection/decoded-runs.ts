import { decodeBase64 } from '../coding/base64.js';
import { readingUtf8 } from '../coding/utf8.js';
import { asciiOfShift, SHIFTS } from '../coding/utf7.js';
import { encodedRunsOf } from './engine/encoded-runs.js';
import { normalise } from './engine/normalise.js';
import { readBackwards } from './read-backwards.js';
import { brailleBytes, brailleOfComputers, gradeOne } from './braille.js';
import { inWindows, type WindowMatch } from './in-windows.js';
import { atOnce, joinedLists, type Steps } from '../steps/steps.js';
import { isSpelt, type TextSigns } from './text-signs.js';

/**
 * Decodes runs of characters in requests that encode a text: uuencoded files, dumps of bytes, binary digits in one row, bytes as
 * variation selectors, text that is displayed or written from right to left, base64 in groups, character codes in one row, Braille,
 * UTF-7, encoded words of mails, base64 and hexadecimal digits with disguised characters. Not used for streams, which would have to hold back such a run until its end.
 */

/** A run, or a piece of a long run, with its decoded text and its half-open range in the original text. */
export interface DecodedRun {
  readonly text: string;
  readonly from: number;
  readonly to: number;
}

/** Minimum length of a decoded text; shorter ones contain no finding with a high score. */
const LEAST_UNITS = 10;
/** Long decoded texts are split into pieces of twice this length, each overlapping the next by half. */
const STEP = 2_048;
const UNITS_BETWEEN_STOPS = 16_384;

/** Finds all runs of a text that encode another text. @param signs the signs of this text */
export function* decodedRunsOf(text: string, signs: TextSigns): Steps<readonly DecodedRun[]> {
  const found: DecodedRun[][] = [];
  for (const form of ROWS) {
    if (!signs[form.sign]) continue;
    for (const row of yield* rowsOf(text, form)) found.push(row);
    yield;
  }
  for (const { sign, open } of LINES) {
    if (!signs[sign]) continue;
    for (const row of yield* linesOf(text, open())) found.push(row);
    yield;
  }
  if (signs.spelt) found.push(yield* speltRunsOf(text));
  return joinedLists(found);
}

/** Characters of base64 and hexadecimal digits, and of their spellings. A match begins anywhere, because a long row has several. */
const SPELT_ROW =
  /[\w+/=%&#;\\{}\u2800\uff05\uff06\uff0b-\uff5a\0-\x08\x0e-\x1f\x7f-\x9f\p{Default_Ignorable_Code_Point}\p{Cf}\p{Mn}-]{16,4096}/gu;
const MOST_OF_ROW = 4_096;

/** Runs of base64, base32 and hexadecimal digits in which characters are disguised. All other such runs are found in the text as written. */
function* speltRunsOf(text: string): Steps<DecodedRun[]> {
  const found: DecodedRun[] = [];
  const next = ({ index, text: { length } }: WindowMatch): number =>
    index + (length < MOST_OF_ROW ? length : MOST_OF_ROW / 2);
  for (const matches of inWindows(text, SPELT_ROW, LONGEST_ROW, next)) {
    for (const { index, text: row } of matches) {
      const shadow = isSpelt(row) ? normalise(row, { escapes: true, disguises: true }) : undefined;
      if (shadow === undefined) continue;
      for (const run of encodedRunsOf(shadow.text)) {
        if (run.from >= run.end) continue;
        const { start, end } = shadow.original(run.from, run.end);
        if (isSpelt(row.slice(start, end))) found.push({ text: run.text, from: index + start, to: index + end });
      }
      yield;
    }
    yield;
  }
  return found;
}

/** A kind of encoded run that is within one row. */
interface RowForm {
  /** The sign that must be present; most texts do not have it. */
  readonly sign: keyof TextSigns;
  /** Repeated groups need an upper bound, because too many repetitions overflow the stack when the expression is run. */
  readonly row: RegExp;
  /** Number of units of the row that precede the match. */
  readonly lead?: number;
  /** A match of this length may be a part of a longer row. Half of this length is a whole number of groups. */
  readonly longest: number;
  decode(row: string): Uint8Array | string;
}

/** Maximum length of a match including its lookahead. */
const LONGEST_ROW = 8_200;

/** Braille patterns, and characters that may occur unencoded between them. */
const BRAILLE = /[\u2801-\u28ff](?:[\u2800-\u28ff]|[ .@:/_+=-](?=[\u2800-\u28ff])){9,2047}/g;
const MOST_BRAILLE = 2_048;

/** A word with invisible characters between its characters. */
const HIDDEN_WORD =
  /(?<![\w+/=.@-])[\w+/=.@-](?:[\p{Default_Ignorable_Code_Point}\p{Cf}]{0,4}[\w+/=.@-]){11,255}(?![\w+/=.@-])/gu;
const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\p{Cf}]/gu;

/** Encoded words of mail headers (RFC 2047), with only white space, or escapes of it, between them. */
const ENCODED_WORDS =
  /=\?[\w.*-]{1,40}\?[bq]\?[^?\s]{1,400}\?=(?:(?:\s|\\[rnt]){0,8}=\?[\w.*-]{1,40}\?[bq]\?[^?\s]{1,400}\?=){0,17}/gi;
const ENCODED_WORD = /=\?[^?]+\?([bq])\?([^?]+)\?=/gi;

const ROWS: readonly RowForm[] = [
  { sign: 'digits', row: /(?<![2-9A-Za-z])(?:[01]{8}){8,1024}/g, longest: 8_192, decode: binaryBytes },
  {
    sign: 'digits',
    row: /(?<![A-Za-z])(?:0[3-9]\d|1[01]\d|12[0-6]|009|01[03]){10,1024}/g,
    longest: 3_072,
    decode: (row) => codesOf(row, 10),
  },
  {
    sign: 'digits',
    row: /(?<![A-Za-z])(?:0[4-7][0-7]|1[0-7]{2}|01[125]){10,1024}/g,
    longest: 3_072,
    decode: (row) => codesOf(row, 8),
  },
  { sign: 'braille', row: BRAILLE, longest: MOST_BRAILLE, decode: (row) => gradeOne(row, false) },
  { sign: 'braille', row: BRAILLE, longest: MOST_BRAILLE, decode: (row) => gradeOne(row, true) },
  { sign: 'braille', row: BRAILLE, longest: MOST_BRAILLE, decode: brailleOfComputers },
  { sign: 'braille', row: BRAILLE, longest: MOST_BRAILLE, decode: brailleBytes },
  {
    sign: 'shifted',
    row: /[^\s"'`<>\\]{8,512}/g,
    longest: 512,
    decode: withoutShifts,
  },
  {
    sign: 'backwards',
    row: /(?<![\w+/=.@-])[\w+/=.@-]{12,256}(?![\w+/=.@-])/g,
    longest: Infinity,
    decode: readBackwards,
  },
  {
    sign: 'hidden',
    row: HIDDEN_WORD,
    longest: Infinity,
    decode: (row) => {
      const shown = row.replace(INVISIBLE, '');
      return shown === row ? '' : readBackwards(shown);
    },
  },
  { sign: 'encodedWords', row: ENCODED_WORDS, longest: Infinity, decode: (row) => encodedWords(row, ' ') },
  { sign: 'encodedWords', row: ENCODED_WORDS, longest: Infinity, decode: (row) => encodedWords(row, '_') },
  {
    sign: 'selectors',
    row: /(?:[\ufe00-\ufe0f]|\udb40[\udd00-\uddef]){10,1024}/g,
    longest: 1_024,
    decode: selectedBytes,
  },
  {
    sign: 'reversed',
    row: /\u202e[^\u202c\u202e\r\n]{10,4096}/g,
    longest: Infinity,
    decode: (row) => [...row.slice(1)].reverse().join(''),
  },
  {
    sign: 'groups',
    // Begins with the space: an expression that begins with a letter would be tried at nearly every position of a text.
    row: / (?<=(?<![A-Za-z0-9+/=])[A-Za-z0-9+/]{4} )(?:[A-Za-z0-9+/]{4} ){2,1023}[A-Za-z0-9+/]{2,4}(?![A-Za-z0-9+/])/g,
    lead: 4,
    longest: 5_120,
    decode: (row) => decodeBase64(row.replaceAll(' ', ''))?.bytes ?? new Uint8Array(0),
  },
];

function* rowsOf(text: string, { row, longest, decode, lead = 0 }: RowForm): Steps<DecodedRun[][]> {
  const found: DecodedRun[][] = [];
  // If the row is too long, its next piece begins in the middle of this match.
  const next = ({ index, text: { length } }: WindowMatch): number =>
    index + (lead + length < longest ? length : longest / 2);
  for (const matches of inWindows(text, row, LONGEST_ROW, next)) {
    for (const match of matches) {
      const [from, to] = [match.index - lead, match.index + match.text.length];
      const pieces = piecesOf(decode(text.slice(from, to)), from, to);
      if (pieces.length > 0) found.push(pieces);
      // Stop after a long row, because decoding it takes time.
      if (match.text.length > STEP) yield;
    }
    yield;
  }
  return found;
}

/** Decodes a line: undefined if the line does not belong to a run, empty if it only begins a run. */
type ReadLine = (line: string) => Uint8Array | undefined;

/** A kind of encoded run over consecutive lines. */
interface LineForm {
  readonly sign: keyof TextSigns;
  readonly open: () => ReadLine;
}

/** Maximum length of a line of such a run; only the end of a longer line is read. */
const LONGEST_LINE = 160;

const LINES: readonly LineForm[] = [
  { sign: 'uuencoded', open: uuDecoder },
  { sign: 'dump', open: () => dumpedBytes },
];

function* linesOf(text: string, read: ReadLine): Steps<DecodedRun[][]> {
  const found: DecodedRun[][] = [];
  let bytes: Uint8Array[] = [];
  let from = 0;
  let stop = UNITS_BETWEEN_STOPS;
  const close = (to: number): void => {
    const pieces = piecesOf(joinedBytes(bytes), from, to);
    if (pieces.length > 0) found.push(pieces);
    bytes = [];
  };
  for (let start = 0; start < text.length;) {
    const feed = text.indexOf('\n', start);
    const end = feed < 0 ? text.length : feed;
    const line = text.slice(Math.max(start, end - LONGEST_LINE), end).trimEnd();
    const decoded = read(line);
    if (decoded === undefined) {
      if (bytes.length > 0) close(start);
    } else {
      if (bytes.length === 0) from = start;
      bytes.push(decoded);
    }
    start = end + 1;
    if (start > stop) {
      stop = start + UNITS_BETWEEN_STOPS;
      yield;
    }
  }
  if (bytes.length > 0) close(text.length);
  return found;
}

function piecesOf(decoded: Uint8Array | string, from: number, to: number): DecodedRun[] {
  const stands = typeof decoded === 'string' ? decoded : textOf(decoded);
  if (stands === undefined || stands.length < LEAST_UNITS) return [];
  const pieces: DecodedRun[] = [];
  for (let at = 0; at === 0 || at + STEP < stands.length; at += STEP)
    pieces.push({ text: stands.slice(at, at + 2 * STEP), from, to });
  return pieces;
}

function joinedBytes(all: readonly Uint8Array[]): Uint8Array {
  const joined = new Uint8Array(all.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const bytes of all) {
    joined.set(bytes, at);
    at += bytes.length;
  }
  return joined;
}

const STRANGE = '\ufffd';

/** Decodes bytes that are mostly text; undefined if more than a quarter of the characters do not occur in texts. */
function textOf(bytes: Uint8Array): string | undefined {
  const text =
    atOnce(readingUtf8(bytes)) ??
    Array.from(bytes, (byte) => (byte < 0x80 ? String.fromCharCode(byte) : STRANGE)).join('');
  let strange = 0;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (
      (unit < 0x20 && unit !== 0x09 && unit !== 0x0a && unit !== 0x0d) ||
      (unit >= 0x7f && unit <= 0x9f) ||
      unit === 0xfffd
    )
      strange++;
  }
  return strange * 4 > text.length ? undefined : text;
}

/** Decodes lines of a uuencoded file: each contains its number of bytes, then six bits per character (POSIX, `uuencode`). */
function uuDecoder(): ReadLine {
  let open = false;
  return (line) => {
    if (UU_HEAD.test(line)) {
      open = true;
      return new Uint8Array(0);
    }
    const count = line.charCodeAt(0) - 0x20;
    // Trailing spaces of a line may be missing.
    open &&= count > 0 && count <= 45 && line.length <= 2 + 4 * Math.ceil(count / 3) && UU_LINE.test(line);
    return open ? uuDecoded(line, count) : undefined;
  };
}

const UU_HEAD = /(?:^|[^\w])begin [0-7]{3,4} [^\r\n]{1,120}$/;
const UU_LINE = /^[ -\u0060]{2,}$/;

function uuDecoded(line: string, count: number): Uint8Array {
  const bytes = new Uint8Array(count + 3);
  let length = 0;
  for (let at = 1; length < count; at += 4) {
    let bits = 0;
    for (let sign = 0; sign < 4; sign++) bits = (bits << 6) | (((line.charCodeAt(at + sign) || 0x20) - 0x20) & 63);
    for (const shift of [16, 8, 0]) bytes[length++] = (bits >> shift) & 0xff;
  }
  return bytes.subarray(0, count);
}

/** An offset, groups of hexadecimal digits and, after two spaces, their characters. */
const DUMP_LINE =
  /(?<![0-9a-z])[0-9a-f]{4,16}(?::[ \t]|[ \t])[ \t]{0,3}((?:(?:[0-9a-f]{2}){1,8} {1,2}){0,15}(?:[0-9a-f]{2}){1,8})(?= {1,2}[^0-9a-f]| {2}|$)/i;

/** The bytes of a line of a dump by `xxd` or `hexdump -C`. */
function dumpedBytes(line: string): Uint8Array | undefined {
  const groups = DUMP_LINE.exec(line)?.[1];
  if (groups === undefined) return undefined;
  const digits = groups.replaceAll(' ', '').slice(0, 64);
  return Uint8Array.from({ length: digits.length / 2 }, (_, at) =>
    Number.parseInt(digits.slice(at * 2, at * 2 + 2), 16),
  );
}

function binaryBytes(run: string): Uint8Array {
  const bytes = new Uint8Array(run.length / 8);
  for (let at = 0; at < bytes.length; at++) bytes[at] = Number.parseInt(run.slice(at * 8, at * 8 + 8), 2);
  return bytes;
}

/** Decodes every three digits as a character code. */
function codesOf(run: string, base: 8 | 10): string {
  return run.replace(/\d{3}/g, (digits) => String.fromCharCode(Number.parseInt(digits, base)));
}

/** Decodes the shift sequences of a UTF-7 word. Returns an empty text if there are none, because the word itself is scanned anyway. */
function withoutShifts(word: string): string {
  const read = word.replace(SHIFTS, (whole, signs: string) => asciiOfShift(signs) ?? whole);
  return read === word ? '' : read;
}

/**
 * The bytes of encoded words; white space between two of them is not part of the text (RFC 2047, section 6.2).
 * @param low the meaning of `_`: a space (section 4.2) or, as may be the case in handwritten words, the character itself
 */
function encodedWords(row: string, low: ' ' | '_'): Uint8Array {
  if (low === '_' && !row.includes('_')) return new Uint8Array(0);
  return joinedBytes(
    Array.from(row.matchAll(ENCODED_WORD), ([, coding = '', coded = '']) =>
      coding.toLowerCase() === 'b' ? (decodeBase64(coded)?.bytes ?? new Uint8Array(0)) : quotedBytes(coded, low),
    ),
  );
}

/** Decodes the Q encoding (RFC 2047, section 4.2). */
function quotedBytes(coded: string, low: string): Uint8Array {
  const units = coded
    .replaceAll('_', low)
    .replace(/=([0-9a-f]{2})/gi, (_whole, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Uint8Array.from(units, (unit) => unit.charCodeAt(0) & 0xff);
}

/** Decodes variation selectors: the first sixteen represent the bytes 0 to 15, those beyond the basic plane the bytes from 16 on. */
function selectedBytes(run: string): Uint8Array {
  return Uint8Array.from(run, (sign) => {
    const point = sign.codePointAt(0)!;
    return point < 0xfe10 ? point - 0xfe00 : (point - 0xe0100 + 16) & 0xff;
  });
}
