import type { Steps } from '../steps/steps.js';

/**
 * Finds files whose bytes a text contains as numbers, such as a buffer in JSON in the result of a tool (`[37, 80, 68, 70, 45, …]`,
 * `{"0":37,"1":80,…}`) or an array in a program (`{ 0x25, 0x50, …}`).
 */

/** The first bytes of files, except text formats: PDF, ZIP, old Office, gzip, zstd, bzip2, xz, 7z and RAR. */
export const SIGNATURES: readonly string[] = [
  '%PDF-',
  'PK\x03\x04',
  '\xd0\xcf\x11\xe0\xa1\xb1',
  '\x1f\x8b\x08',
  '\x28\xb5\x2f\xfd',
  'BZh',
  '\xfd7zXZ',
  '7z\xbc\xaf',
  'Rar!',
];
/** Minimum number of bytes of a file. */
const FEWEST_BYTES = 32;

const GAP = String.raw`(?:\s|\\{1,3}[nrt]){0,64}`;
/** The name of an item where a list is written as an object. */
const NAME = String.raw`(?:\\{0,3}"\d{1,9}\\{0,3}"${GAP}:${GAP})?`;
const NEXT = `${GAP},${GAP}${NAME}`;

/** The forms of a byte: decimal, also with a sign, and hexadecimal. */
function formsOf(character: string): string {
  const code = character.charCodeAt(0);
  const signed = code < 0x80 ? '' : `|${code - 0x100}`;
  return `(?:${code}${signed}|0x${code < 0x10 ? '0?' : ''}${code.toString(16)})`;
}

const ANY_SIGNATURE = SIGNATURES.map((one) => Array.from(one, formsOf).join(NEXT)).join('|');
const BEGINNING = new RegExp(`[[({]${GAP}${NAME}(${ANY_SIGNATURE})(?![0-9a-fx.])`, 'gi');
const NUMBER = new RegExp(String.raw`${NEXT}(?:0x[0-9a-f]{1,2}|-?\d{1,3})(?![0-9a-fx.])`, 'iy');
/** The number of UTF-16 units that are searched, and of numbers that are read, in about a millisecond. */
const UNITS_AT_ONCE = 65_536;
const NUMBERS_AT_ONCE = 4_096;
/** More than the longest beginning. */
const LONGEST_BEGINNING = 4_096;

/** A half-open range of numbers in a text. */
interface Numbers {
  readonly start: number;
  readonly end: number;
}

/** Finds files in numbers, in steps. */
export function* findingNumbers(value: string): Steps<Numbers[]> {
  const found: Numbers[] = [];
  let next = 0;
  for (let from = 0; from < value.length; from += UNITS_AT_ONCE) {
    if (from > 0) yield;
    const part = value.slice(from, from + UNITS_AT_ONCE + LONGEST_BEGINNING);
    for (let match = beginningIn(part, 0); match !== null; match = beginningIn(part, match.index + match[0].length)) {
      const { 0: whole, 1: beginning = '', index } = match;
      const after = from + index + whole.length;
      if (index >= UNITS_AT_ONCE || after < next) continue;
      const { end, count } = yield* numbersFrom(value, after);
      if (count < FEWEST_BYTES) continue;
      found.push({ start: after - beginning.length, end });
      next = end;
    }
  }
  return found;
}

/** The next beginning at or after an index. `matchAll` would copy the long expression for each text, which takes longer than the search. */
function beginningIn(part: string, from: number): RegExpExecArray | null {
  BEGINNING.lastIndex = from;
  return BEGINNING.exec(part);
}

/** The end of the numbers that continue at an index, and their number. */
function* numbersFrom(value: string, start: number): Steps<{ readonly end: number; readonly count: number }> {
  let end = start;
  for (let count = 0; ; count++) {
    NUMBER.lastIndex = end;
    if (!NUMBER.test(value)) return { end, count };
    end = NUMBER.lastIndex;
    if (count % NUMBERS_AT_ONCE === NUMBERS_AT_ONCE - 1) yield;
  }
}
