/**
 * Bodies of calls, read by tables of fields: texts with their places, tool calls, usage. Which table applies is decided
 * in src/core/providers.
 */
import { checkingBase64 } from '../coding/base64.js';
import { oneStep, type Steps } from '../steps/steps.js';

/** Shorter base64 is read as text, and as the text that it may hold. */
const MIN_FILE = 64;
const MIN_DATA_URL = 24;
/** A data URL, up to where its content begins. */
const DATA_URL = /data:[^,\s"'<>()]{0,200};base64,/gi;
const NO_BASE64 = /[^A-Za-z0-9+/_=\-\r\n\t]/g;

/** Half-open range of base64 inside a text. */
export interface Base64Place {
  readonly start: number;
  readonly end: number;
  readonly charset?: string;
  /** Hexadecimal digits stand there instead. */
  readonly hex?: true;
}

/** Base64 in a text of which nobody says that it is a file, and which of it stands in data URLs. */
export interface Base64Places {
  readonly places: readonly Base64Place[];
  readonly urls: ReadonlySet<Base64Place>;
}

/** Data URLs and files in a text, or the whole of it where it is base64 from end to end; in steps. */
export function* findingBase64(value: string): Steps<Base64Places> {
  if (yield* checkingBase64File(value, 0)) {
    const whole = hexFileIn(value, 0, value.length) ?? { start: 0, end: value.length };
    return { places: [whole], urls: NO_URLS };
  }
  const urls = yield* oneStep(() => dataUrlsIn(value));
  const files = yield* oneStep(() => filesIn(value));
  return { places: [...urls, ...files], urls: urls.length === 0 ? NO_URLS : new Set(urls) };
}

const NO_URLS: ReadonlySet<Base64Place> = new Set();

/** Whether a text is base64 of any alphabet from a place to its end, in one line or in several: no words with spaces. In steps. */
export function* checkingBase64File(value: string, start: number): Steps<boolean> {
  if (value.length - start < MIN_FILE || / [A-Za-z0-9]/.test(value.slice(start, start + 4_096).trim())) return false;
  return yield* checkingBase64(value, start, value.length);
}

/** Whether a text is base64 but for a few characters, which some readers leave out. */
export function looksLikeBase64(value: string): boolean {
  if (value.length < MIN_FILE) return false;
  return (value.match(NO_BASE64)?.length ?? 0) * 10 <= value.length;
}

/** What files begin with in base64: PDF, ZIP, old Office, gzip, zlib, zstd, RTF, pages of HTML and XML. */
const FILE_BEGINNINGS = [
  'JVBERi0',
  'UEsDB',
  '0M8R4KGx',
  'H4sI',
  ...['eAE', 'eAF', 'eF4', 'eF5', 'eJw', 'eJx', 'eJy', 'eJz', 'eNo', 'eNp', 'eNq', 'eNr'],
  'KLUv',
  'e1xydG',
  'PCFET0NUWVBF',
  'PCFkb2N0eXBl',
  'PGh0bWw',
  'PD94bWwg',
] as const;
/** The same in hexadecimal digits, but for pages, which are text. */
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
];
const LONGEST_HEX_BEGINNING = Math.max(...HEX_BEGINNINGS.map(({ length }) => length));
const HEX_MARK = /^0?x/i;
const NO_HEX_DIGIT = /[^0-9a-f]/i;
/** Zlib's beginning is so short that hashes may also have it: those of SHA-224, SHA-256, SHA-384 and SHA-512 have so many digits. */
const HASH_DIGITS: ReadonlySet<number> = new Set([56, 64, 96, 128]);
/** So many letters follow a beginning at least. */
const MIN_LETTERS_BEHIND = 40;
const SHORTEST_FILE = Math.min(...FILE_BEGINNINGS.map(({ length }) => length)) + MIN_LETTERS_BEHIND;
const PADDING = /={0,2}/y;
const EQUALS = 0x3d;
const SPACE = 0x20;
/** The letters of both alphabets of base64, without padding, by their codes. */
const IS_LETTER = Uint8Array.from({ length: 128 }, (_, code) =>
  Number(/[A-Za-z0-9+/_-]/.test(String.fromCharCode(code))),
);

/**
 * Files in base64 or hexadecimal digits anywhere in a text, such as in JSON that a tool answered. Only every so many-th place of the text is
 * looked at: a file has letters without a gap around one of them, and nearly every word of a text is shorter.
 */
export function filesIn(value: string): Base64Place[] {
  if (value.length < MIN_FILE) return [];
  const places: Base64Place[] = [];
  for (let at = SHORTEST_FILE - 1, from = 0; at < value.length; at += SHORTEST_FILE) {
    if (!isLetter(value, at)) continue;
    let start = at;
    while (start > from && isLetter(value, start - 1)) start--;
    let end = at + 1;
    while (isLetter(value, end)) end++;
    if (isFile(value, start, end)) {
      end = lastLineEnd(value, start, end);
      PADDING.lastIndex = end;
      places.push({ start, end: end + PADDING.exec(value)![0].length });
    } else {
      const digits = hexFileIn(value, start, end);
      if (digits !== undefined) places.push(digits);
    }
    [from, at] = [end, Math.max(at, end)];
  }
  return places;
}

/** Lines of mails and of PEM, but for the last one, have so many letters at least. */
const SHORTEST_LINE = 60;

/** Where the last of the lines of a file ends, of which the first stands between two places. */
function lastLineEnd(value: string, start: number, end: number): number {
  for (let [from, at] = [start, end]; at - from >= SHORTEST_LINE;) {
    const next = value.startsWith('\r\n', at) ? at + 2 : at + 1;
    if (value.charAt(next - 1) !== '\n' || !isLetter(value, next)) return at;
    [from, at] = [next, next];
    while (isLetter(value, at)) at++;
    // What has blanks in it is words.
    if (value.charCodeAt(at) === SPACE) return from - (value.startsWith('\r\n', from - 2) ? 2 : 1);
    end = at;
  }
  return end;
}

/** Whether letters from one place to another, with none beside them, are a file. */
function isFile(value: string, start: number, end: number): boolean {
  if (end - start < SHORTEST_FILE || value.charCodeAt(start - 1) === EQUALS) return false;
  const beginning = FILE_BEGINNINGS.find((one) => value.startsWith(one, start));
  return beginning !== undefined && end - start >= beginning.length + MIN_LETTERS_BEHIND;
}

/** Letters from one place to another that are a file in hexadecimal digits, as they are or behind the `0x` of a program. */
function hexFileIn(value: string, from: number, end: number): Base64Place | undefined {
  if (end - from < SHORTEST_FILE) return undefined;
  const start = from + (HEX_MARK.exec(value.slice(from, from + 2))?.[0].length ?? 0);
  const head = value.slice(start, start + LONGEST_HEX_BEGINNING).toLowerCase();
  const beginning = HEX_BEGINNINGS.find((one) => head.startsWith(one));
  if (beginning === undefined || (beginning.startsWith('78') && HASH_DIGITS.has(end - start))) return undefined;
  const isHex = (end - start) % 2 === 0 && !NO_HEX_DIGIT.test(value.slice(start, end));
  return isHex ? { start, end, hex: true } : undefined;
}

/** False behind the end. */
function isLetter(value: string, at: number): boolean {
  return IS_LETTER[value.charCodeAt(at)] === 1;
}

/** Data URLs anywhere in a text. */
export function dataUrlsIn(value: string): Base64Place[] {
  if (value.length < MIN_DATA_URL || !/;base64,/i.test(value)) return [];
  const places: Base64Place[] = [];
  for (const match of value.matchAll(DATA_URL)) {
    const start = match.index + match[0].length;
    NO_BASE64.lastIndex = start;
    const end = NO_BASE64.exec(value)?.index ?? value.length;
    const charset = charsetOfDataUrl(match[0]);
    if (end > start) places.push({ start, end, ...(charset === undefined ? {} : { charset }) });
  }
  return places;
}

export function charsetOfDataUrl(head: string): string | undefined {
  return /;\s*charset=["']?([\w-]{1,40})/i.exec(head)?.[1];
}
