import { encodedRows } from './decode-rows.js';
import { BACKWARD_WORDS, LEET_DIGITS, survey, type Survey } from './survey.js';

/** A part of a text that was decoded once, and its position. */
export interface Decoded {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

const MAX_RUNS = 40;
const MAX_RUN = 8_192;

const BASE64 =
  /(?<![A-Za-z0-9+/_-])(?:[A-Za-z0-9+/_-]{4}[\r\n]{0,2}){5,2048}(?:[A-Za-z0-9+/_-]{2,3})?={0,2}(?![A-Za-z0-9+/_=-])/y;
const HEX = /(?<![0-9A-Za-z])(?:(?:\\x|0x)?[0-9a-fA-F]{2}[ ,:]?){12,4096}(?![0-9A-Za-z])/g;
/** Characters of a run of hexadecimal digits. */
const HEX_UNIT = /[0-9a-fA-Fx\\ ,:]/;
const PERCENT = /(?:%[0-9a-fA-F]{2}|[A-Za-z0-9._~+-]){4,4096}/g;
const ESCAPES = /(?:\\u[0-9a-fA-F]{4}|&#x?[0-9a-fA-F]{2,6};){6,2048}/g;
const BINARY = /(?<![01])(?:[01]{8}[ ,]?){8,1024}(?![01])/g;

/**
 * Decodes runs of base64, base32, hexadecimal, binary and decimal digits, variation selectors, percent-encoding and character escapes one
 * time, and returns those that decode to text.
 */
export function decodeRuns(text: string, { longRuns, longHex, hexPairs }: Survey = survey(text)): Decoded[] {
  const decoded: Decoded[] = [];
  const keep = (run: string, start: number, decode: (run: string) => string | undefined): void => {
    const plain = decode(run.slice(0, MAX_RUN));
    if (plain !== undefined && isText(plain)) decoded.push({ text: plain, start, end: start + run.length });
  };
  const collect = (pattern: RegExp, decode: (run: string) => string | undefined, mark = ''): void => {
    let runs = 0;
    for (const match of text.matchAll(pattern)) {
      if (!match[0].includes(mark)) continue;
      if (runs++ >= MAX_RUNS) return;
      keep(match[0], match.index, decode);
    }
  };
  for (const start of longRuns) {
    BASE64.lastIndex = start;
    const match = BASE64.exec(text);
    if (match !== null) keep(match[0], match.index, fromBase64);
  }
  if (hexPairs) collect(HEX, fromHex);
  else for (const [run, start] of longHexRuns(text, longHex)) keep(run, start, fromHex);
  if (text.includes('0101') || text.includes('0110')) collect(BINARY, fromBinary);
  if (text.includes('%') && /%[0-9a-fA-F]{2}/.test(text)) collect(PERCENT, fromPercent, '%');
  if (text.includes('\\u') || text.includes('&#')) collect(ESCAPES, fromEscapes);
  for (const { bytes, start, end } of encodedRows(text, longRuns)) {
    const plain = bytes.length === 0 ? undefined : fromBytes(bytes.slice(0, MAX_RUN));
    if (plain !== undefined && isText(plain)) decoded.push({ text: plain, start, end });
  }
  return decoded;
}

/** The hexadecimal runs that contain a long row of digits: only the surroundings of these rows are searched. */
function longHexRuns(text: string, rows: readonly number[]): (readonly [run: string, start: number])[] {
  const runs: (readonly [string, number])[] = [];
  let behind = 0;
  for (const row of rows) {
    if (row < behind) continue;
    let from = row;
    while (from > behind && HEX_UNIT.test(text.charAt(from - 1))) from--;
    let to = row;
    while (to < text.length && HEX_UNIT.test(text.charAt(to))) to++;
    behind = to;
    // Includes one more unit on both sides, to check that the run does not begin or end inside a word.
    const first = Math.max(0, from - 1);
    for (const match of text.slice(first, to + 1).matchAll(HEX)) {
      if (runs.push([match[0], first + match.index]) === MAX_RUNS) return runs;
    }
  }
  return runs;
}

/** Maximum length of a text that is converted as a whole from other spellings, in UTF-16 units. */
const MAX_RESPELLED = 4_000;
const BACKWARDS = new RegExp(`\\b(?:${BACKWARD_WORDS.join('|')})\\b`, 'gi');

/** The whole text converted from each spelling it seems to use: rot13, backwards, spaced-out letters, leetspeak. */
export function respellings(text: string, seen: Survey = survey(text)): string[] {
  if (text.length > MAX_RESPELLED || text.length < 12) return [];
  const spellings: string[] = [];
  if (seen.rotated) spellings.push(rot13(text));
  if (seen.backwards && (text.match(BACKWARDS)?.length ?? 0) > 1) spellings.push([...text].reverse().join(''));
  if (seen.spacedLetters) spellings.push(joinSpaced(text));
  if (hasLeetspeak(text, seen.digitsBeforeLetters)) spellings.push(unleet(text));
  return spellings;
}

function rot13(text: string): string {
  return text.replace(/[A-Za-z]/g, (letter) => {
    const base = letter <= 'Z' ? 65 : 97;
    return String.fromCharCode(((letter.charCodeAt(0) - base + 13) % 26) + base);
  });
}

/** `i g n o r e  a l l` and `i-g-n-o-r-e a-l-l` become words; between letters with spaces, two spaces separate words. */
function joinSpaced(text: string): string {
  return text
    .replace(/\b[A-Za-z](?:([.\-_*])[A-Za-z](?![A-Za-z0-9])(?:\1[A-Za-z](?![A-Za-z0-9])){1,60})/g, (run) =>
      run.replace(/[.\-_*]/g, ''),
    )
    .replace(/\b[A-Za-z](?:[ .\-_*][A-Za-z]\b){2,200}/g, (run) => run.replace(/[ .\-_*]/g, ''))
    .replace(/ {2,8}/g, ' ');
}

/**
 * Whether at least two words use digits as letters, directly before real letters and without other digits: `pr3vious`, but not `utf8`
 * or `b2c9`.
 *
 * @param places offsets of letters directly after such a digit
 */
function hasLeetspeak(text: string, places: readonly number[]): boolean {
  let found = 0;
  let behind = 0;
  for (const place of places) {
    if (place < behind) continue;
    let from = place;
    while (from > 0 && partAt(text, from - 1) !== 0) from--;
    let letters = 0;
    let digits = 0;
    let odd = false;
    for (behind = from; behind < text.length; behind++) {
      const part = partAt(text, behind);
      if (part === 0) break;
      if (part === LETTER) letters++;
      else if (part === LEET_DIGIT) digits++;
      else odd = true;
    }
    if (!odd && behind - from >= 3 && digits <= letters && ++found === 2) return true;
  }
  return false;
}

/** Kinds of characters in leetspeak words. */
const LETTER = 1;
const LEET_DIGIT = 2;
const OTHER_DIGIT = 3;
const parts = new Uint8Array(0x80);
parts.fill(LETTER, 0x41, 0x5b);
parts.fill(LETTER, 0x61, 0x7b);
parts.fill(OTHER_DIGIT, 0x30, 0x3a);
for (const digit of LEET_DIGITS) parts[digit.charCodeAt(0)] = LEET_DIGIT;

function partAt(text: string, index: number): number {
  const unit = text.charCodeAt(index);
  return unit < 0x80 ? parts[unit]! : 0;
}

const LEET: Readonly<Record<string, string>> = { 0: 'o', 1: 'i', 3: 'e', 4: 'a', 5: 's', 7: 't', '@': 'a', $: 's' };

function unleet(text: string): string {
  return text.replace(/[A-Za-z0-9@$]{3,32}/g, (word) =>
    /[A-Za-z]/.test(word) ? word.replace(/[013457@$]/g, (char) => LEET[char] ?? char) : word,
  );
}

const NO_VALUE = 0xff;
const base64Values = new Uint8Array(0x80).fill(NO_VALUE);
[...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'].forEach(
  (char, value) => (base64Values[char.charCodeAt(0)] = value),
);
// The URL-safe alphabet (RFC 4648, section 5).
base64Values['-'.charCodeAt(0)] = base64Values['+'.charCodeAt(0)]!;
base64Values['_'.charCodeAt(0)] = base64Values['/'.charCodeAt(0)]!;

/** Number of first bytes that must be printable; this excludes most long runs, which are hashes or names. */
const FIRST_BYTES = 6;

/** Whether the bytes decoded so far can still be text, judged by the last one. */
function isBeginning(count: number, bytes: readonly number[]): boolean {
  return count > FIRST_BYTES || isPrintable(bytes[count - 1]!);
}

function isPrintable(byte: number): boolean {
  return byte >= 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

function fromBase64(run: string): string | undefined {
  if (!/[A-Z]/.test(run) || !/[a-z]/.test(run)) return undefined;
  const bytes: number[] = [];
  let bits = 0;
  let held = 0;
  for (let index = 0; index < run.length; index++) {
    const unit = run.charCodeAt(index);
    const value = unit < 0x80 ? base64Values[unit]! : NO_VALUE;
    if (value === NO_VALUE) continue;
    held = ((held << 6) | value) & 0xffff;
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    if (!isBeginning(bytes.push((held >> bits) & 0xff), bytes)) return undefined;
  }
  return fromBytes(bytes);
}

function fromHex(run: string): string | undefined {
  const bytes: number[] = [];
  let first = NO_VALUE;
  for (const unit of run.replace(/\\x|0x/g, '')) {
    const value = hexValue(unit.charCodeAt(0));
    if (value === NO_VALUE) continue;
    if (first === NO_VALUE) {
      first = value;
      continue;
    }
    if (!isBeginning(bytes.push((first << 4) | value), bytes)) return undefined;
    first = NO_VALUE;
  }
  return fromBytes(bytes);
}

function hexValue(unit: number): number {
  if (unit >= 0x30 && unit <= 0x39) return unit - 0x30;
  const letter = unit | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : NO_VALUE;
}

function fromBinary(run: string): string | undefined {
  return fromBytes(run.match(/[01]{8}/g)?.map((byte) => Number.parseInt(byte, 2)) ?? []);
}

function fromPercent(run: string): string | undefined {
  if ((run.match(/%/g)?.length ?? 0) < 3) return undefined;
  try {
    return decodeURIComponent(run.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}

function fromEscapes(run: string): string {
  return run.replace(
    /\\u([0-9a-fA-F]{4})|&#(x?)([0-9a-fA-F]{2,6});/g,
    (_all, unit: string | undefined, x: string, code: string) => {
      const point = unit === undefined ? Number.parseInt(code, x === '' ? 10 : 16) : Number.parseInt(unit, 16);
      return point <= 0xffff ? String.fromCharCode(point) : ' ';
    },
  );
}

/** Decodes UTF-8 (RFC 3629); undefined for invalid bytes, or if the first ones are not printable. */
function fromBytes(bytes: readonly number[]): string | undefined {
  for (let index = 0; index < FIRST_BYTES && index < bytes.length; index++)
    if (!isPrintable(bytes[index]!)) return undefined;
  let text = '';
  for (let index = 0; index < bytes.length;) {
    const first = bytes[index++]!;
    const more = first < 0x80 ? 0 : first < 0xc2 ? -1 : first < 0xe0 ? 1 : first < 0xf0 ? 2 : first < 0xf5 ? 3 : -1;
    if (more < 0 || index + more > bytes.length) return undefined;
    let point = more === 0 ? first : first & (0x3f >> more);
    for (let byte = 0; byte < more; byte++) {
      const next = bytes[index++]!;
      if ((next & 0xc0) !== 0x80) return undefined;
      point = (point << 6) | (next & 0x3f);
    }
    const least = more === 2 ? 0x800 : more === 3 ? 0x10000 : 0;
    if (point < least || point > 0x10ffff || (point >= 0xd800 && point <= 0xdfff)) return undefined;
    text += String.fromCodePoint(point);
  }
  return text;
}

/** Whether a text has at least eight characters, is printable, and consists mostly of letters and spaces. */
function isText(text: string): boolean {
  if (text.length < 8) return false;
  const odd = text.match(/[\u0000-\u0008\u000e-\u001f\u007f-\u009f\ufffd]/g)?.length ?? 0;
  const letters = text.match(/[\p{L} ]/gu)?.length ?? 0;
  return odd === 0 && letters > text.length * 0.6;
}
