/**
 * Base64 that a program or a person has divided into lines, list items or strings of a program, or in which letters are written as
 * escapes, as in JSON, URLs and HTML.
 */
import { beginsAnotherFile, isLetter } from './file-beginnings.js';

/** Minimum number of letters of all lines but the last, and of those before the first escape. */
export const FEWEST_LETTERS = 12;

const QUOTE = String.raw`(?:\\{0,3}["'\x60])`;
const BLANKS = String.raw`[ \t]{0,64}`;
/** A line end, also as an escape. */
const LINE_END = String.raw`(?:\r\n|[\n\r]|\\{1,4}[nr]|%0[ad]|&#(?:1[03]|x0{0,4}[ad]);|<br[ \t]?/?>){1,4}`;
/** Indentation, and the marks of quotations, list items, comments and columns. */
const BEFORE_LINE = String.raw`${BLANKS}(?:[>|*#/-]{1,8}[ \t]{1,8}){0,4}${QUOTE}{0,3}`;
/** The end of a line, also in quotation marks or with an operator, and what precedes the next line. */
const AFTER_LINE = String.raw`(?:${QUOTE}{0,3}[ \t]{0,8}[,.&\\]?|${QUOTE}[ \t]{0,8}\+|=)`;
const BETWEEN_LINES = `${AFTER_LINE}${BLANKS}${LINE_END}${BEFORE_LINE}`;
const BETWEEN_STRINGS = String.raw`${QUOTE}[ \t]{0,8}[,+.][ \t]{0,8}${QUOTE}`;
/** The codes of letters of base64 in hexadecimal digits. */
const CODES = '2[bdf]|3[0-9]|4[1-9a-f]|5[0-9af]|6[1-9a-f]|7[0-9a]';
/** Letters as escapes of JSON and programs, of URLs and of HTML. @param codes their codes */
const escapesOf = (codes: string): string =>
  String.raw`\\{1,3}/|(?:\\{1,3}(?:u00|x)|%)(?:${codes})|&(?:#(?:4[357]|x0{0,4}(?:${codes}))|plus|sol);`;

const NEXT_JOINT = new RegExp(`${BETWEEN_LINES}|${BETWEEN_STRINGS}`, 'iy');
const NEXT_ESCAPE = new RegExp(escapesOf(CODES), 'iy');
const EMPTY_LINE = /\n[ \t\r]*\n/;
/** What follows the last line: padding, and then neither a letter nor a colon. */
const AFTER_LAST = /={0,2}(?![A-Za-z0-9+/_=:-])/y;

/** The end of base64 and its number of letters; an escape counts as one letter. */
interface Letters {
  readonly end: number;
  readonly count: number;
}

/** The line of letters and escapes that begins at an index. */
export function lettersFrom(value: string, start: number): Letters {
  let end = start;
  for (let count = 0; ; count++) {
    for (; isLetter(value, end); end++) count++;
    NEXT_ESCAPE.lastIndex = end;
    if (!NEXT_ESCAPE.test(value)) return { end, count };
    end = NEXT_ESCAPE.lastIndex;
  }
}

/** The base64 whose first line begins at an index: all lines but the last have the same number of letters, and the last has less. */
export function wrappedFrom(value: string, start: number): Letters {
  const first = lettersFrom(value, start);
  let { end, count } = first;
  if (first.count < FEWEST_LETTERS) return first;
  for (let lines = 1; ; lines++) {
    NEXT_JOINT.lastIndex = end;
    if (!NEXT_JOINT.test(value) || EMPTY_LINE.test(value.slice(end, NEXT_JOINT.lastIndex))) return { end, count };
    const next = NEXT_JOINT.lastIndex;
    // Files of one length can stand on lines of their own, or be the strings of a list.
    if (lines === 1 && beginsAnotherFile(value, next, first.count)) return { end, count };
    const line = lettersFrom(value, next);
    if (line.count === 0 || line.count > first.count) return { end, count };
    const isLast = line.count < first.count;
    // A single line before a shorter one can be a whole file before a word.
    if (isLast && (lines === 1 || !isLineEnd(value, line.end))) return { end, count };
    [end, count] = [line.end, count + line.count];
    if (isLast) return { end, count };
  }
}

function isLineEnd(value: string, end: number): boolean {
  AFTER_LAST.lastIndex = end;
  return AFTER_LAST.test(value);
}

/** The sign with which an escape begins, and its letters. */
const LETTERS_OF_ESCAPES: ReadonlyMap<string, RegExp> = new Map([
  ['\\', /^(?:[nrtbfv0]|u[0-9a-f]{4}|x[0-9a-f]{2})/i],
  ['%', /^[0-9a-f]{2}/i],
  ['=', /^[0-9A-F]{2}/],
]);
const LONGEST_ESCAPE = 5;

/** The number of letters at the start of a run of letters that can belong to an escape, such as the `n` of a line end in JSON. */
export function lettersOfEscape(value: string, start: number): number {
  const letters = LETTERS_OF_ESCAPES.get(value.charAt(start - 1));
  return letters?.exec(value.slice(start, start + LONGEST_ESCAPE))?.[0].length ?? 0;
}

/** The look-behind prevents that a long row of blanks is searched once for each blank. */
const JOINTS = new RegExp(`(?<=[A-Za-z0-9+/_=;-])(?:${BETWEEN_LINES}|${BETWEEN_STRINGS})`, 'gi');
const EVERY_ESCAPE = new RegExp(`${escapesOf(`${CODES}|3d`)}|&(?:#61|equals);`, 'gi');
/** Matches base64 with characters that are neither letters nor white space, with padding before a line end, or with marks after one. */
const IS_WRAPPED = /[^A-Za-z0-9+/_=\s-]|=[ \t]{0,64}[\r\n]|[\r\n][ \t]{0,64}[/-]{1,8}[ \t]/;
const NAMES: ReadonlyMap<string, string> = new Map([
  ['plus', '+'],
  ['sol', '/'],
  ['equals', '='],
]);

/** The letters of base64 without what stands between its lines, and with its escapes decoded. */
export function unwrapped(written: string): string {
  if (!IS_WRAPPED.test(written)) return written;
  return written.replace(JOINTS, '').replace(EVERY_ESCAPE, letterOf);
}

/** The letter that an escape stands for. */
function letterOf(escape: string): string {
  if (escape.endsWith('/')) return '/';
  if (!escape.startsWith('&')) return String.fromCharCode(Number.parseInt(escape.slice(-2), 16));
  const name = escape.slice(1, -1).toLowerCase();
  const code = name.startsWith('#x') ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
  return NAMES.get(name) ?? String.fromCharCode(code);
}
