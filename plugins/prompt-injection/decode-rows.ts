/**
 * Encodings in one row of signs that models read without a tool: bytes as variation selectors, base32, character codes in decimal digits.
 */

/** A row of signs and the bytes that it encodes. */
interface EncodedRow {
  readonly bytes: readonly number[];
  readonly start: number;
  readonly end: number;
}

const MAX_ROWS = 40;
const SELECTORS = /(?:[\ufe00-\ufe0f]|\udb40[\udd00-\uddef]){10,1024}/g;
const BASE32 = /(?<![A-Za-z0-9+/_-])[A-Z2-7]{24,4096}={0,6}(?![A-Za-z0-9+/=_-])/y;
const CODES = /(?<![\w.])(?:\d{2,3}(?:, ?|[ ;])){11,1024}\d{2,3}(?![\w.])/g;
/** The codes of a space and of `e`, which a text of this length contains. */
const FREQUENT_CODES = ['32', '101'];

/**
 * The rows of a text that may encode another one.
 *
 * @param longRuns the starts of long runs without spaces, the only places of base32
 */
export function encodedRows(text: string, longRuns: readonly number[]): EncodedRow[] {
  const rows: EncodedRow[] = [];
  for (const start of longRuns) {
    BASE32.lastIndex = start;
    const run = BASE32.exec(text)?.[0];
    if (run !== undefined) rows.push({ bytes: bytesOfBase32(run), start, end: start + run.length });
  }
  if (text.includes('\udb40')) addRows(text, SELECTORS, bytesOfSelectors, rows);
  if (FREQUENT_CODES.every((code) => text.includes(code))) addRows(text, CODES, bytesOfCodes, rows);
  return rows;
}

function addRows(text: string, pattern: RegExp, decode: (run: string) => number[], into: EncodedRow[]): void {
  for (const match of text.matchAll(pattern)) {
    if (into.length >= MAX_ROWS) return;
    into.push({ bytes: decode(match[0]), start: match.index, end: match.index + match[0].length });
  }
}

/** The first sixteen selectors are the bytes 0 to 15; those beyond the basic plane are the bytes from 16 on. */
function bytesOfSelectors(run: string): number[] {
  return Array.from(run, (sign) => {
    const point = sign.codePointAt(0)!;
    return point < 0xfe10 ? point - 0xfe00 : (point - 0xe0100 + 16) & 0xff;
  });
}

/** RFC 4648, section 6: five bits per sign. */
function bytesOfBase32(run: string): number[] {
  const bytes: number[] = [];
  let held = 0;
  let bits = 0;
  for (const sign of run) {
    if (sign === '=') break;
    const value = sign >= 'A' ? sign.charCodeAt(0) - 0x41 : sign.charCodeAt(0) - 0x32 + 26;
    held = ((held << 5) | value) & 0xfff;
    bits += 5;
    if (bits < 8) continue;
    bits -= 8;
    bytes.push((held >> bits) & 0xff);
  }
  return bytes;
}

/** Codes above those of ASCII are no text here: rows of numbers are much more often data. */
function bytesOfCodes(run: string): number[] {
  const codes = run.split(/[,; ]{1,2}/).map(Number);
  return codes.every((code) => code < 0x7f) ? codes : [];
}
