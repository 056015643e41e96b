/**
 * Reads texts with their paths, tool calls and usage from the bodies of calls, by tables of fields. src/core/providers selects the
 * table.
 */
import { checkingBase64 } from '../coding/base64.js';
import { atOnce, type Steps } from '../steps/steps.js';
import { findingEscapedUrls } from './escaped-urls.js';
import { beginningAt, beginsAnotherFile, isLetter, MIN_LETTERS_BEHIND, SHORTEST_FILE } from './file-beginnings.js';
import { findingNumbers } from './numbers-in-text.js';
import { FEWEST_LETTERS, lettersFrom, lettersOfEscape, wrappedFrom } from './wrapped-base64.js';

/** Minimum length of a file in base64. Shorter base64 is read as text, both as written and decoded. */
const MIN_FILE = 64;
const MIN_DATA_URL = 24;
/** The last part of the head of a data URL; its content follows. */
const MARK = /; {0,8}base64,/i;
const MARKS = /; {0,8}base64,/gi;
const LONGEST_MARK = '; base64,'.length + 7;
/** The first part of the head. */
const SCHEME = /data:/i;
/** Maximum number of characters of the head before its last part. */
const LONGEST_HEAD = 'data:'.length + 200;
/** The ASCII characters of a head, by code. */
const IN_HEAD = Uint8Array.from({ length: 128 }, (_, code) => Number(/[^,\s"'<>()]/.test(String.fromCharCode(code))));
const NO_BASE64 = /[^A-Za-z0-9+/_=\-\s]/g;

/** Half-open range of base64 inside a text. */
export interface Base64Place {
  readonly start: number;
  readonly end: number;
  readonly charset?: string;
  /** True if the range contains hexadecimal digits, numbers separated by commas, or the escapes of a URL instead. */
  readonly hex?: true;
}

/** Base64 in a text that is not declared as a file, and which ranges of it are in data URLs. */
export interface Base64Places {
  readonly places: readonly Base64Place[];
  readonly urls: ReadonlySet<Base64Place>;
}

/** Finds data URLs and files in a text, or the whole text if it is entirely base64. In steps. */
export function* findingBase64(value: string): Steps<Base64Places> {
  if (yield* checkingBase64File(value, 0)) {
    const digits = wholeHexFile(value);
    const files = digits === undefined ? yield* findingFiles(value) : [];
    if (files.length > 1 && areAll(value, files)) return { places: files, urls: NO_URLS };
    // Words on lines before a file would shift its letters.
    const later = files.filter(({ start }) => isAfterWords(value, start));
    return { places: [digits ?? { start: 0, end: value.length }, ...later], urls: NO_URLS };
  }
  const urls = yield* findingDataUrls(value);
  const files = yield* findingFiles(value);
  const others = value.length < MIN_FILE ? [] : yield* findingOthers(value);
  return { places: [...urls, ...files, ...others], urls: urls.length === 0 ? NO_URLS : new Set(urls) };
}

function* findingOthers(value: string): Steps<Base64Place[]> {
  const found = [...(yield* findingNumbers(value)), ...(yield* findingEscapedUrls(value))];
  return found.map(({ start, end }): Base64Place => ({ start, end, hex: true }));
}

/** Whether a text consists of these files and white space: each is then a file of its own, and none a line of the one before. */
function areAll(value: string, files: readonly Base64Place[]): boolean {
  const ends = [0, ...files.map(({ end }) => end)];
  return ends.every((end, index) => value.slice(end, files[index]?.start).trim() === '');
}

/** Whether the line that begins at an index follows a line of another length: a file in lines of base64 has lines of one length. */
function isAfterWords(value: string, start: number): boolean {
  let before = start;
  while (before > 0 && value.charAt(before - 1).trim() === '') before--;
  let first = before;
  while (isLetter(value, first - 1)) first--;
  let end = start;
  while (isLetter(value, end)) end++;
  return before > 0 && before < start && before - first !== end - start;
}

const NO_URLS: ReadonlySet<Base64Place> = new Set();

/** Whether a text is base64 of any alphabet from `start` to its end, in one or several lines, and not words with spaces. In steps. */
export function* checkingBase64File(value: string, start: number): Steps<boolean> {
  if (value.length - start < MIN_FILE || / [A-Za-z0-9]/.test(value.slice(start, start + 4_096).trim())) return false;
  return yield* checkingBase64(value, start, value.length);
}

/** Whether a text is base64 except for white space and a few other characters, which some decoders ignore. Most words pass this check. */
export function* checkingLooseBase64(value: string): Steps<boolean> {
  if (value.length < MIN_FILE) return false;
  let left = Math.floor(value.length / 10);
  for (let from = 0; from < value.length; from += CHARACTERS_AT_ONCE) {
    const to = Math.min(value.length, from + CHARACTERS_AT_ONCE);
    for (let at = from; at < to && left >= 0; at++) if (!isLoose(value, at)) left--;
    if (left < 0) return false;
    if (to < value.length) yield;
  }
  return true;
}

/** The number of characters that are checked in less than a millisecond. */
const CHARACTERS_AT_ONCE = 65_536;
/** The characters of base64, its padding and ASCII white space, by code. */
const IS_LOOSE = Uint8Array.from({ length: 128 }, (_, code) =>
  Number(/[A-Za-z0-9+/_=\-\s]/.test(String.fromCharCode(code))),
);

/** Whether the character at an index belongs to base64 or is white space. */
function isLoose(value: string, at: number): boolean {
  const code = value.charCodeAt(at);
  return code < IS_LOOSE.length ? IS_LOOSE[code] === 1 : value.charAt(at).trim() === '';
}

/** The first hexadecimal digits of files of these types, except text formats. */
const HEX_BEGINNINGS = [
  '255044462d',
  '504b0304',
  'd0cf11e0a1b11ae1',
  '1f8b08',
  '7801',
  '785e',
  '789c',
  '78da',
  '28b52ffd',
  ...Array.from({ length: 9 }, (_, level) => `425a683${level + 1}314159265359`),
  'fd377a585a00',
  '377abcaf271c',
  '526172211a07',
  '04224d18',
];
const LONGEST_HEX_BEGINNING = Math.max(...HEX_BEGINNINGS.map(({ length }) => length));
/** The number of characters, white space included, in which the beginning of a whole text is searched for. */
const HEX_HEAD = 4 * LONGEST_HEX_BEGINNING;
const HEX_MARK = /^0?x/i;
const NO_HEX_DIGIT = /[^0-9a-f]/i;
/**
 * Lengths of hashes (SHA-224, SHA-256, SHA-384 and SHA-512) in digits. The beginning of zlib is so short that hashes may also start
 * with it.
 */
const HASH_DIGITS: ReadonlySet<number> = new Set([56, 64, 96, 128]);
const PADDING = /={0,2}/y;
const EQUALS = 0x3d;
const FEED = 0x0a;
/** The number of UTF-16 units that are searched for files in less than a millisecond. */
const UNITS_AT_ONCE = 131_072;

/**
 * Finds files in base64 or hexadecimal digits anywhere in a text, such as in JSON from a tool. Only every `FEWEST_LETTERS`-th character
 * is checked: each file begins with an unbroken run that contains a checked character.
 */
export function filesIn(value: string): Base64Place[] {
  return atOnce(findingFiles(value));
}

/** `filesIn` in steps. */
function* findingFiles(value: string): Steps<Base64Place[]> {
  if (value.length < MIN_FILE) return [];
  const places: Base64Place[] = [];
  let stop = UNITS_AT_ONCE;
  for (let at = FEWEST_LETTERS - 1, from = 0; at < value.length; at += FEWEST_LETTERS) {
    if (at >= stop) {
      stop = at + UNITS_AT_ONCE;
      yield;
    }
    if (!isLetter(value, at)) continue;
    let start = at;
    while (start > from && isLetter(value, start - 1)) start--;
    let end = at + 1;
    while (isLetter(value, end)) end++;
    const place = end - start < FEWEST_LETTERS ? undefined : fileIn(value, start, end);
    if (place !== undefined) places.push(place);
    end = Math.max(end, place?.end ?? end);
    [from, at] = [end, Math.max(at, end)];
  }
  return places;
}

/** The file with which the run of letters from `start` to `end` begins, also after the letters of an escape such as `\n` or `%2C`. */
function fileIn(value: string, start: number, end: number): Base64Place | undefined {
  const escaped = lettersOfEscape(value, start);
  const afterEscape = escaped === 0 ? undefined : fileAt(value, start + escaped, end);
  return afterEscape ?? fileAt(value, start, end);
}

function fileAt(value: string, start: number, end: number): Base64Place | undefined {
  const beginning = beginningAt(value, start);
  if (beginning === undefined) return hexFileIn(value, start, end);
  const wrapped = wrappedFrom(value, start);
  if (wrapped.count < beginning.length + MIN_LETTERS_BEHIND) return undefined;
  const last = Math.max(wrapped.end, lastLineEnd(value, start, end));
  PADDING.lastIndex = last;
  return { start, end: last + (PADDING.exec(value)?.[0].length ?? 0) };
}

/** Minimum length of all lines but the last in mails and PEM. */
const SHORTEST_LINE = 60;
/** The end of a line, with the indentation of the next one. */
const LINE_BREAK = /\r?\n[ \t]{0,64}/y;

/** The end of the last line of a file whose first line is from `start` to `end`. */
function lastLineEnd(value: string, start: number, end: number): number {
  const first = end - start;
  for (let [from, at] = [start, end]; at - from >= SHORTEST_LINE;) {
    const next = nextLine(value, at);
    if (next === undefined || !isLetter(value, next)) return at;
    // All lines of a file but the last usually have one length.
    const canBeWhole = from === start || at - from !== first;
    if (canBeWhole && beginsAnotherFile(value, next, first)) return at;
    const last = at;
    [from, at] = [next, next];
    while (isLetter(value, at)) at++;
    // A line that contains a space consists of words. A name before a value can be the next member of an object.
    if (isName(value, at) || (value.charCodeAt(next - 1) !== FEED && !isEndOfLine(value, at))) return last;
    end = at;
  }
  return end;
}

/** Matches after a word, or after a name with the sign before its value. */
const AFTER_NAME = / |:|=(?!=?(?:[\s"'`()<>[\]{},;\\&]|$))/y;

function isName(value: string, end: number): boolean {
  AFTER_NAME.lastIndex = end;
  return AFTER_NAME.test(value);
}

/** Where the next line begins after its indentation, if a line ends at an index. */
function nextLine(value: string, end: number): number | undefined {
  LINE_BREAK.lastIndex = end;
  return LINE_BREAK.test(value) ? LINE_BREAK.lastIndex : undefined;
}

/** The range of a file in hexadecimal digits whose first line is from `from` to `end`, with or without a prefix such as `0x`. */
function hexFileIn(value: string, from: number, end: number): Base64Place | undefined {
  if (end - from < SHORTEST_FILE) return undefined;
  const start = from + (HEX_MARK.exec(value.slice(from, from + 2))?.[0].length ?? 0);
  const beginning = hexBeginning(value.slice(start, start + LONGEST_HEX_BEGINNING));
  if (beginning === undefined || (beginning.startsWith('78') && HASH_DIGITS.has(end - start))) return undefined;
  return isRowOfHex(value, start, end) ? { start, end: endOfHexLines(value, start, end), hex: true } : undefined;
}

function hexBeginning(digits: string): string | undefined {
  const head = digits.toLowerCase();
  return HEX_BEGINNINGS.find((one) => head.startsWith(one));
}

function isRowOfHex(value: string, start: number, end: number): boolean {
  return (end - start) % 2 === 0 && !NO_HEX_DIGIT.test(value.slice(start, end));
}

/** The end of the last line of the digits whose first line is from `start` to `end`: only the last line may be shorter. */
function endOfHexLines(value: string, start: number, end: number): number {
  let last = end;
  for (let length = end - start; length <= LONGEST_LINE;) {
    const next = value.startsWith('\r\n', last) ? last + 2 : last + 1;
    let to = next;
    while (to - next <= LONGEST_LINE && isLetter(value, to)) to++;
    if (value.charAt(next - 1) !== '\n' || to === next || !isRowOfHex(value, next, to)) return last;
    last = to;
    if (to - next < length) return last;
    length = to - next;
  }
  return last;
}

const SPACES = /\s+/g;
const NEITHER_HEX_NOR_SPACE = /[^0-9a-f\s]/i;

/** A file in hexadecimal digits that is the whole text, in lines of any length. */
function wholeHexFile(value: string): Base64Place | undefined {
  const first = value.search(/\S/);
  const start = first + (HEX_MARK.exec(value.slice(first, first + 2))?.[0].length ?? 0);
  const beginning = hexBeginning(value.slice(start, start + HEX_HEAD).replace(SPACES, ''));
  if (beginning === undefined || NEITHER_HEX_NOR_SPACE.test(value.slice(start))) return undefined;
  const { length } = value.slice(start).replace(SPACES, '');
  if (length % 2 !== 0 || (beginning.startsWith('78') && HASH_DIGITS.has(length))) return undefined;
  return { start, end: value.length, hex: true };
}

/**
 * Finds data URLs anywhere in a text, in steps. Searches for the end of each head first, because a text can contain millions of beginnings
 * of a head.
 */
function* findingDataUrls(value: string): Steps<Base64Place[]> {
  const places: Base64Place[] = [];
  if (value.length < MIN_DATA_URL) return places;
  for (let from = 0; from < value.length; from += UNITS_AT_ONCE) {
    if (from > 0) yield;
    // A mark that begins in this part can end in the next one.
    const part = value.slice(from, from + UNITS_AT_ONCE + LONGEST_MARK - 1);
    if (MARK.test(part)) findDataUrls(value, part, from, places);
  }
  return places;
}

/** Adds the data URLs whose heads end in the part that begins at `from`. */
function findDataUrls(value: string, part: string, from: number, places: Base64Place[]): void {
  for (const { 0: mark, index } of part.matchAll(MARKS)) {
    // This mark begins in the next part.
    if (index >= UNITS_AT_ONCE) return;
    const head = headBefore(value, from + index);
    if (head === undefined) continue;
    const start = from + index + mark.length;
    const end = endOfDataUrl(value, from + index - head.length, start);
    const charset = charsetOfDataUrl(head);
    if (end > start) places.push({ start, end, ...(charset === undefined ? {} : { charset }) });
  }
}

/** The characters that enclose a data URL as a whole: the one before it, and the one after it. */
const ENCLOSING: ReadonlyMap<string, string> = new Map([
  ['"', '"'],
  ["'", "'"],
  ['`', '`'],
  ['(', ')'],
  ['<', '>'],
]);
/** Matches blanks between two words of one line, and characters after padding: base64 in lines contains neither. */
const WORDS_OR_PADDING = /\S[^\S\r\n]{1,4096}\S|=\s*[^=\s]/;

/**
 * The end of the data URL whose head begins at `head` and whose content begins at `start`. If the URL is the whole text or enclosed in
 * quotes or brackets, its content may be broken into lines of any length. Otherwise, only a line as long as in mails continues in the
 * next line, so that words after the URL are not part of it.
 */
function endOfDataUrl(value: string, head: number, start: number): number {
  let end = start;
  while (isLetter(value, end)) end++;
  end = value.charCodeAt(end) === PERCENT ? endOfEscapes(value, end) : lettersFrom(value, end).end;
  if (value.charAt(end).trim() === '') {
    NO_BASE64.lastIndex = end;
    const last = NO_BASE64.exec(value)?.index ?? value.length;
    if (isEnclosed(value, head, last) && !WORDS_OR_PADDING.test(value.slice(start, last))) return last;
    end = endOfLines(value, start, end);
  }
  if (value.charCodeAt(end) !== EQUALS) return end;
  // Decoders differ in whether they read letters directly after padding. With them, the range counts as ambiguous.
  while (isLetter(value, end) || value.charCodeAt(end) === EQUALS) end++;
  return end;
}

const PERCENT = 0x25;
/** Escaped padding at the end of base64, which changes nothing if it is not read. */
const ESCAPED_PADDING = /(?:%3d){1,2}(?![A-Za-z0-9+/_=%-])/iy;
/** Escapes of letters of base64 and of line breaks. Others, such as that of a closing quote, end the base64. */
const ESCAPE = /^%(?:0[ad]|2[bdf]|3[0-9d]|4[1-9a-f]|5[0-9af]|6[1-9a-f]|7[0-9a])$/i;

/** The end of letters with escapes among them, from the first escape on. Decoders differ in whether they decode escapes. */
function endOfEscapes(value: string, start: number): number {
  ESCAPED_PADDING.lastIndex = start;
  if (ESCAPED_PADDING.test(value)) return start;
  let end = start;
  while (isLetter(value, end) || ESCAPE.test(value.slice(end, end + 3))) end += isLetter(value, end) ? 1 : 3;
  return end;
}

/** Whether a range is the whole text, or stands in quotes or brackets. */
function isEnclosed(value: string, start: number, end: number): boolean {
  return start === 0 ? end === value.length : ENCLOSING.get(value.charAt(start - 1)) === value.charAt(end);
}

/** Maximum length of a line of base64 that continues in the next line. Longer lines were not broken by an encoder. */
const LONGEST_LINE = 256;
/** Matches after the letters of a line if the line ends there, or if a quote, a bracket or a tag follows. */
const AFTER_LINE = /={0,2}(?:["'`()<>\r\n]|$)/y;

function isEndOfLine(value: string, end: number): boolean {
  AFTER_LINE.lastIndex = end;
  return AFTER_LINE.test(value);
}

/** The end of the letters of a data URL whose first line is from `start` to `end`. */
function endOfLines(value: string, start: number, end: number): number {
  for (let from = start; end - from >= SHORTEST_LINE && end - from <= LONGEST_LINE;) {
    const next = nextLine(value, end);
    if (next === undefined) return end;
    let to = next;
    while (isLetter(value, to)) to++;
    if (to === next || !isEndOfLine(value, to)) return end;
    [from, end] = [next, to];
  }
  return end;
}

/** The longest head of a data URL that ends at `end`, before the mark; undefined if there is none. */
function headBefore(value: string, end: number): string | undefined {
  let start = end;
  while (start > 0 && end - start < LONGEST_HEAD && isInHead(value, start - 1)) start--;
  const before = value.slice(start, end);
  const scheme = SCHEME.exec(before);
  if (scheme !== null) return before.slice(scheme.index);
  const isQuoted = start > 0 && QUOTES.includes(value.charAt(start - 1));
  return isQuoted ? quotedHead(value.slice(Math.max(0, end - LONGEST_HEAD), end)) : undefined;
}

const QUOTES = '"\'';
/** A head with a parameter in quotes, such as `charset="utf-8"`. */
const QUOTED_HEAD =
  /^data:[^,\s"'<>()]*(?:;[\w-]{1,40}=(?:\\?"[^"\\\r\n]*\\?"|'[^'\r\n]*')(?:;[^,;\s"'<>()=]{1,40}=[^,;\s"'<>()]*)*)+$/i;

/** The head with parameters in quotes that ends where the text ends. */
function quotedHead(text: string): string | undefined {
  const head = text.slice(Math.max(0, text.toLowerCase().lastIndexOf('data:')));
  return QUOTED_HEAD.test(head) ? head : undefined;
}

function isInHead(value: string, at: number): boolean {
  const code = value.charCodeAt(at);
  return code < IN_HEAD.length ? IN_HEAD[code] === 1 : value.charAt(at).trim() !== '';
}

export function charsetOfDataUrl(head: string): string | undefined {
  return /;\s*charset=["']?([\w-]{1,40})/i.exec(head)?.[1];
}
