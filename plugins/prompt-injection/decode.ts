/** A piece of a text that was decoded once, and where it stands. */
export interface Decoded {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

const MAX_RUNS = 40;
const MAX_RUN = 8_192;

const BASE64 =
  /(?<![A-Za-z0-9+/_-])(?:[A-Za-z0-9+/_-]{4}[\r\n]{0,2}){5,2048}(?:[A-Za-z0-9+/_-]{2,3})?={0,2}(?![A-Za-z0-9+/_=-])/g;
const HEX = /(?<![0-9A-Za-z])(?:(?:\\x|0x)?[0-9a-fA-F]{2}[ ,:]?){12,4096}(?![0-9A-Za-z])/g;
const PERCENT = /(?:%[0-9a-fA-F]{2}|[A-Za-z0-9._~+-]){4,4096}/g;
const ESCAPES = /(?:\\u[0-9a-fA-F]{4}|&#x?[0-9a-fA-F]{2,6};){6,2048}/g;
const BINARY = /(?<![01])(?:[01]{8}[ ,]?){8,1024}(?![01])/g;

/**
 * Decodes, once, every run of base64, hexadecimal, percent-encoding, unicode escapes and binary digits that turns out
 * to be text, and the whole text by rot13, by reversal and by joining spaced-out letters when it looks like that.
 */
export function decodeRuns(text: string): Decoded[] {
  const decoded: Decoded[] = [];
  const collect = (
    pattern: RegExp,
    decode: (run: string) => string | undefined,
    worth: (run: string) => boolean,
  ): void => {
    let runs = 0;
    for (const match of text.matchAll(pattern)) {
      if (runs++ >= MAX_RUNS) return;
      if (!worth(match[0])) continue;
      const plain = decode(match[0].slice(0, MAX_RUN));
      if (plain !== undefined && isText(plain)) {
        decoded.push({ text: plain, start: match.index, end: match.index + match[0].length });
      }
    }
  };
  collect(BASE64, fromBase64, (run) => /[A-Z]/.test(run) && /[a-z]/.test(run));
  collect(
    HEX,
    (run) =>
      fromBytes(
        run
          .replace(/\\x|0x/g, '')
          .match(/[0-9a-fA-F]{2}/g)
          ?.map((byte) => Number.parseInt(byte, 16)) ?? [],
      ),
    () => true,
  );
  collect(
    BINARY,
    (run) => fromBytes(run.match(/[01]{8}/g)?.map((byte) => Number.parseInt(byte, 2)) ?? []),
    () => true,
  );
  if (text.includes('%')) collect(PERCENT, fromPercent, (run) => (run.match(/%/g)?.length ?? 0) >= 3);
  if (text.includes('\\u') || text.includes('&#')) collect(ESCAPES, fromEscapes, () => true);
  return decoded;
}

/** The whole text read in another way (rot13, backwards, leetspeak, spaced out); only for texts of moderate length. */
export function respellings(text: string): string[] {
  const letters = text.replace(/[^A-Za-z]/g, '').length;
  if (text.length > 4_000 || letters < 12) return [];
  const spellings: string[] = [];
  const common = commonWords(text);
  for (const other of [rot13(text), [...text].reverse().join('')])
    if (commonWords(other) > common + 2) spellings.push(other);
  if (/(?:[A-Za-z][ .\-_*]){8}/.test(text)) spellings.push(joinSpaced(text));
  if (/[A-Za-z][013457@$][A-Za-z]/.test(text)) spellings.push(unleet(text));
  return spellings;
}

function commonWords(text: string): number {
  return (
    text.match(
      /\b(?:the|and|you|your|ignore|previous|instructions?|to|of|is|are|all|me|what|prompt|system|tell|say|password)\b/gi,
    )?.length ?? 0
  );
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

const LEET: Readonly<Record<string, string>> = { 0: 'o', 1: 'i', 3: 'e', 4: 'a', 5: 's', 7: 't', '@': 'a', $: 's' };

function unleet(text: string): string {
  return text.replace(/[A-Za-z0-9@$]{3,32}/g, (word) =>
    /[A-Za-z]/.test(word) ? word.replace(/[013457@$]/g, (char) => LEET[char] ?? char) : word,
  );
}

const BASE64_VALUE = new Map(
  [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'].map((char, value) => [char, value]),
);

function fromBase64(run: string): string | undefined {
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
  }
  return fromBytes(bytes);
}

function fromPercent(run: string): string | undefined {
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

/** UTF-8 to text; undefined when the bytes are not UTF-8. */
function fromBytes(bytes: readonly number[]): string | undefined {
  try {
    return decodeURIComponent(bytes.map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join(''));
  } catch {
    return undefined;
  }
}

/** Mostly printable, with some letters and more than one word or a long one. */
function isText(text: string): boolean {
  if (text.length < 8) return false;
  const odd = text.match(/[\u0000-\u0008\u000e-\u001f\u007f-\u009f\ufffd]/g)?.length ?? 0;
  const letters = text.match(/[\p{L} ]/gu)?.length ?? 0;
  return odd === 0 && letters > text.length * 0.6;
}
