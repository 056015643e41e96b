import { BACKWARD_WORDS, survey, type Survey } from './survey.js';

/** A piece of a text that was decoded once, and where it stands. */
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
const PERCENT = /(?:%[0-9a-fA-F]{2}|[A-Za-z0-9._~+-]){4,4096}/g;
const ESCAPES = /(?:\\u[0-9a-fA-F]{4}|&#x?[0-9a-fA-F]{2,6};){6,2048}/g;
const BINARY = /(?<![01])(?:[01]{8}[ ,]?){8,1024}(?![01])/g;

/**
 * Decodes, once, every run of base64, hexadecimal, binary digits, percent-encoding and character escapes that turns
 * out to be text.
 */
export function decodeRuns(text: string, { longRuns, hex }: Survey = survey(text)): Decoded[] {
  const decoded: Decoded[] = [];
  const keep = (match: RegExpExecArray, decode: (run: string) => string | undefined): void => {
    const plain = decode(match[0].slice(0, MAX_RUN));
    if (plain !== undefined && isText(plain))
      decoded.push({ text: plain, start: match.index, end: match.index + match[0].length });
  };
  const collect = (pattern: RegExp, decode: (run: string) => string | undefined, mark = ''): void => {
    let runs = 0;
    for (const match of text.matchAll(pattern)) {
      if (!match[0].includes(mark)) continue;
      if (runs++ >= MAX_RUNS) return;
      keep(match, decode);
    }
  };
  for (const start of longRuns) {
    BASE64.lastIndex = start;
    const match = BASE64.exec(text);
    if (match !== null) keep(match, fromBase64);
  }
  if (hex) collect(HEX, fromHex);
  if (text.includes('0101') || text.includes('0110')) collect(BINARY, fromBinary);
  if (/%[0-9a-fA-F]{2}/.test(text)) collect(PERCENT, fromPercent, '%');
  if (text.includes('\\u') || text.includes('&#')) collect(ESCAPES, fromEscapes);
  return decoded;
}

/** Above this length a text is no longer read in other spellings as a whole. */
const MAX_RESPELLED = 4_000;
const BACKWARDS = new RegExp(`\\b(?:${BACKWARD_WORDS.join('|')})\\b`, 'gi');

/** The whole text in other spellings, if it looks like one: rot13, backwards, spaced-out letters, leetspeak. */
export function respellings(text: string, seen: Survey = survey(text)): string[] {
  if (text.length > MAX_RESPELLED || text.length < 12) return [];
  const spellings: string[] = [];
  if (seen.rotated) spellings.push(rot13(text));
  if (seen.backwards && (text.match(BACKWARDS)?.length ?? 0) > 1) spellings.push([...text].reverse().join(''));
  if (seen.spacedLetters) spellings.push(joinSpaced(text));
  if (seen.digitsBeforeLetters && hasLeetspeak(text)) spellings.push(unleet(text));
  return spellings;
}

function rot13(text: string): string {
  return text.replace(/[A-Za-z]/g, (letter) => {
    const base = letter <= 'Z' ? 65 : 97;
    return String.fromCharCode(((letter.charCodeAt(0) - base + 13) % 26) + base);
  });
}

/** `i g n o r e  a l l` and `i.g.n.o.r.e` become words; two separators in a row part words. */
function joinSpaced(text: string): string {
  return text
    .replace(/\b[A-Za-z](?:[ .\-_*][A-Za-z]\b){2,200}/g, (run) => run.replace(/[ .\-_*]/g, ''))
    .replace(/ {2,8}/g, ' ');
}

/** Two words, at least, in which digits stand before letters and nothing else is odd: `pr3vious`, but not `utf8` or `b2c9`. */
function hasLeetspeak(text: string): boolean {
  let found = 0;
  for (let index = 0; index < text.length; index++) {
    const from = index;
    let letters = 0;
    let digits = 0;
    let spelt = false;
    let odd = false;
    for (; index < text.length; index++) {
      const unit = text.charCodeAt(index);
      if (isLatin(unit)) {
        letters++;
        if (digits > 0) spelt = true;
      } else if (LEET_UNITS.has(unit)) digits++;
      else if (unit >= 0x30 && unit <= 0x39) odd = true;
      else break;
    }
    if (spelt && !odd && index - from >= 3 && digits <= letters && ++found === 2) return true;
  }
  return false;
}

function isLatin(unit: number): boolean {
  return (unit >= 0x61 && unit <= 0x7a) || (unit >= 0x41 && unit <= 0x5a);
}

const LEET: Readonly<Record<string, string>> = { 0: 'o', 1: 'i', 3: 'e', 4: 'a', 5: 's', 7: 't', '@': 'a', $: 's' };
const LEET_UNITS: ReadonlySet<number> = new Set([...'013457$'].map((char) => char.charCodeAt(0)));

function unleet(text: string): string {
  return text.replace(/[A-Za-z0-9@$]{3,32}/g, (word) =>
    /[A-Za-z]/.test(word) ? word.replace(/[013457@$]/g, (char) => LEET[char] ?? char) : word,
  );
}

const BASE64_VALUE = new Map(
  [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'].map((char, value) => [char, value]),
);

/** Text shows in its first bytes; most long runs are hashes or names. */
const FIRST_BYTES = 6;

function isPrintable(byte: number): boolean {
  return byte >= 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

function fromBase64(run: string): string | undefined {
  if (!/[A-Z]/.test(run) || !/[a-z]/.test(run)) return undefined;
  const bytes: number[] = [];
  let bits = 0;
  let held = 0;
  for (const char of run.replaceAll('-', '+').replaceAll('_', '/')) {
    const value = BASE64_VALUE.get(char);
    if (value === undefined) continue;
    held = ((held << 6) | value) & 0xffff;
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    bytes.push((held >> bits) & 0xff);
    if (bytes.length === FIRST_BYTES && !bytes.every(isPrintable)) return undefined;
  }
  return fromBytes(bytes);
}

function fromHex(run: string): string | undefined {
  const bytes = run.replace(/\\x|0x/g, '').match(/[0-9a-fA-F]{2}/g) ?? [];
  return fromBytes(bytes.map((byte) => Number.parseInt(byte, 16)));
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

/** UTF-8 to text (RFC 3629); undefined when the bytes are not UTF-8, or do not begin as text. */
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

/** Printable, and mostly letters and spaces. */
function isText(text: string): boolean {
  if (text.length < 8) return false;
  const odd = text.match(/[\u0000-\u0008\u000e-\u001f\u007f-\u009f\ufffd]/g)?.length ?? 0;
  const letters = text.match(/[\p{L} ]/gu)?.length ?? 0;
  return odd === 0 && letters > text.length * 0.6;
}
