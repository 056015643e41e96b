import { TextBytes } from './text-bytes.js';
import { wordHead } from './word-head.js';

/**
 * Runs of base64 and base32 (RFC 4648, both alphabets of each; base64 in one line or several), and of hexadecimal digits that decode to
 * text.
 */

/** A run, or a piece of a long run, with its decoded text and its half-open range in the original text. */
export interface EncodedRun {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  /** The start of all findings in the run: the end of the words at its beginning. */
  readonly from: number;
  /** Identifies the run: the pieces of a long run have the same object. */
  readonly run: object;
  /** Number of units at the start of `text` with which the previous piece of the run ends. */
  readonly again: number;
  /** Where the next piece of the run begins: offset in the original text, and in `text`. Undefined in a short run. */
  readonly middle: { readonly at: number; readonly unit: number } | undefined;
}

/**
 * Maximum number of characters at the start of a run that do not belong to findings if they are words. Otherwise, a stream would have to
 * hold back every word.
 */
const MOST_OF_WORDS = 12;

/** Minimum length of a run's first row; shorter ones contain no finding with a high score. */
const SHORTEST = 12;
/** Minimum length of a line that may continue in the next line. */
const SHORTEST_LINE = 16;
/** Long runs are split into pieces of twice this length, each overlapping the next by half. A multiple of eight. */
const STEP = 2_048;
/** Minimum length of a decoded text. */
const LEAST_UNITS = 8;

const NONE = -1;

/**
 * The value of each unit below 128 in an alphabet; -1 for units outside it.
 * @param caseless whether lower and upper case have the same values
 */
function valuesOf(alphabet: string, caseless: boolean): Int8Array {
  const values = new Int8Array(0x80).fill(NONE);
  for (const [value, sign] of [...alphabet].entries()) {
    values[sign.charCodeAt(0)] = value;
    if (caseless) values[sign.toLowerCase().charCodeAt(0)] = value;
  }
  return values;
}

const values = valuesOf('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/', false);
values['-'.charCodeAt(0)] = 62;
values['_'.charCodeAt(0)] = 63;

/** An encoding of bytes as characters. */
interface Coding {
  /** The value of each unit below 128. */
  readonly values: Int8Array;
  /** Bits per character. */
  readonly width: 4 | 5 | 6;
  /** For each unit below 128, whether an encoded text may begin with it. */
  readonly begins: Uint8Array;
}

// Bytes in these two encodings may begin with any control, as a colour sequence of terminals does.
const BASE64 = codingOf(values, 6, () => true);
const HEX = codingOf(valuesOf('0123456789ABCDEF', true), 4, () => true);
const CODINGS: readonly Coding[] = [
  BASE64,
  HEX,
  codingOf(valuesOf('ABCDEFGHIJKLMNOPQRSTUVWXYZ234567', true), 5, mayBegin),
  // The extended hex alphabet of base32 is rare, and half of all words would have to be tried, so only texts that begin with ASCII are
  // read.
  codingOf(valuesOf('0123456789ABCDEFGHIJKLMNOPQRSTUV', true), 5, (value) => value >= 4 && value < 16),
];

function codingOf(of: Int8Array, width: 4 | 5 | 6, begin: (value: number, width: number) => boolean): Coding {
  return { values: of, width, begins: Uint8Array.from(of, (value) => Number(value !== NONE && begin(value, width))) };
}

const LINE_FEED = 0x0a;
const RETURN = 0x0d;
const BACKSLASH = 0x5c;
const EQUALS = 0x3d;
const SMALL_X = 0x78;

/** One possible decoding of the current run, and the pieces in which it is returned. */
class Decoding {
  private bits = 0;
  private held = 0;
  private readonly bytes = new TextBytes();
  /** The start of the next piece in the text, and `unit`, its first unit in the decoded text. */
  private from: number;
  private unit = 0;
  /** The start of the piece after the one that begins at `from`. */
  private next: { readonly at: number; readonly unit: number } | undefined;
  /** End of the previous piece in the decoded text. */
  private addedUnits = 0;
  /** Created with the first piece, because most rows decode to no text. */
  private run: object | undefined;
  private signs = 0;
  private readonly values: Int8Array;
  private readonly width: number;

  /** @param behind number of characters of the row before `start`, such as the `0x` of hexadecimal digits */
  constructor(
    readonly coding: Coding,
    private readonly start: number,
    private readonly behind = 0,
  ) {
    this.from = start;
    this.values = coding.values;
    this.width = coding.width;
  }

  /** The earliest start of a finding in the text that was not returned yet. */
  open(words: string): number {
    const { from } = this;
    // Only the first piece begins with words.
    return from === this.start ? from + wordHead(words, this.behind, MOST_OF_WORDS) : from;
  }

  /** Adds the character at `at`. Returns false if this cannot be text any more. */
  add(sign: number, at: number, words: string, into: EncodedRun[]): boolean {
    const { width, signs } = this;
    const value = this.values[sign]!;
    if (value === NONE) return false;
    if (signs % STEP === 0) {
      if (signs > 0) this.cut(at, words, into);
      else if (this.coding.begins[sign] === 0) return false;
    }
    this.signs = signs + 1;
    this.held = ((this.held << width) | value) & 0xffff;
    this.bits += width;
    if (this.bits < 8) return true;
    this.bits -= 8;
    return this.bytes.add((this.held >> this.bits) & 0xff);
  }

  /** Ends the first of two overlapping pieces at this offset, where another piece starts. */
  private cut(at: number, words: string, into: EncodedRun[]): void {
    if (this.next !== undefined) {
      this.addRun(at, words, into);
      ({ at: this.from, unit: this.unit } = this.next);
      this.bytes.forget(this.unit);
    }
    this.next = { at, unit: this.bytes.length };
  }

  /** Adds the piece up to `end` to the results if it is long enough. */
  addRun(end: number, words: string, into: EncodedRun[]): void {
    const { from, unit, next } = this;
    if (this.signs < SHORTEST || this.bytes.length - unit < LEAST_UNITS) return;
    const middle = next === undefined ? undefined : { at: next.at, unit: next.unit - unit };
    const again = Math.max(0, this.addedUnits - unit);
    const run = (this.run ??= {});
    into.push({ text: this.bytes.since(unit), start: from, end, from: this.open(words), run, again, middle });
    this.addedUnits = this.bytes.length;
  }
}

/**
 * Whether a text in base32 is assumed to begin with a byte that has these first bits: any byte except controls, because most words would
 * have to be tried; UTF-16 may begin with a zero byte.
 */
function mayBegin(value: number, width: number): boolean {
  const first = value << (8 - width);
  const last = first | ((1 << (8 - width)) - 1);
  return first === 0 || last >= 0x20 || (last >= 0x09 && first <= 0x0d);
}

/** Reads a text in pieces or as a whole, and returns the runs that decode to text. */
export class EncodedRuns {
  /** Offset of the current unit in the text. */
  private at = 0;
  /** The decodings of the row that are still possible. */
  private decodings: Decoding[] = [];
  /** The first characters of the row, which may be words. */
  private words = '';
  /** Whether the current row is not text in any decoding. */
  private dead = false;
  /** Length of the current line so far. */
  private line = 0;
  /** A line break that belongs to the run only if the run continues; `lineEnd` is the end of the line before it. */
  private between = '';
  private lineEnd = 0;
  private wrapped = false;
  private padded = 0;
  private found: EncodedRun[] = [];

  /** The earliest start of a finding in a run that may still be text; undefined if there is none. */
  get open(): number | undefined {
    const { words, decodings } = this;
    return decodings.length === 0 ? undefined : Math.min(...decodings.map((one) => one.open(words)));
  }

  /** Adds the next piece. @returns the runs, or pieces of long runs, that ended in it */
  push(piece: string): EncodedRun[] {
    const offset = this.at;
    for (let index = 0; index < piece.length;) {
      if (this.isIdle && !this.dead) {
        index = nextRow(piece, index);
        if (index >= piece.length) break;
      }
      this.at = offset + index;
      this.take(piece.charCodeAt(index));
      index++;
    }
    this.at = offset + piece.length;
    return this.takeFound();
  }

  /** Completes the text. */
  end(): EncodedRun[] {
    this.close(this.between === '' ? this.at : this.lineEnd);
    return this.takeFound();
  }

  private get isIdle(): boolean {
    return this.decodings.length === 0;
  }

  private takeFound(): EncodedRun[] {
    const { found } = this;
    if (found.length > 0) this.found = [];
    return found;
  }

  private take(unit: number): void {
    const value = unit < 0x80 ? values[unit]! : NONE;
    if (this.isIdle) {
      // In a row that does not decode to text, a run may begin after the next separator, such as a slash in a URL.
      if (this.dead) this.dead = value !== NONE && value < 62;
      else if (value !== NONE) this.begin(unit, value);
      return;
    }
    if (this.padded > 0) {
      if (unit === EQUALS && this.padded++ < 2) return;
      this.closeAndTake(this.at, unit);
      return;
    }
    if (this.between !== '' && this.goesOnBetween(unit, value)) return;
    if (value !== NONE) this.goOn(unit, value);
    else this.stopAt(unit);
  }

  /** Handles a unit after a line break. Returns false if it is the next character of the run. */
  private goesOnBetween(unit: number, value: number): boolean {
    const { between } = this;
    if (between.endsWith('\\')) {
      if (unit === 0x6e || unit === 0x72) this.between = `${between}.`;
      else this.closeAndTake(this.lineEnd, unit);
      return true;
    }
    if (isBreak(unit) && between.length < MOST_BETWEEN) {
      this.between = between + String.fromCharCode(unit);
      return true;
    }
    if (value === NONE) {
      this.closeAndTake(this.lineEnd, unit);
      return true;
    }
    this.between = '';
    this.line = 0;
    this.wrapped = true;
    return false;
  }

  private stopAt(unit: number): void {
    const { base64 } = this;
    if (unit === EQUALS && base64 !== undefined) {
      this.padded = 1;
      return;
    }
    if (base64 !== undefined && this.line >= SHORTEST_LINE && isBreak(unit)) {
      // Hexadecimal digits and base32 are not wrapped over lines.
      for (const one of this.decodings) if (one !== base64) one.addRun(this.at, this.words, this.found);
      this.decodings = [base64];
      this.between = String.fromCharCode(unit);
      this.lineEnd = this.at;
      return;
    }
    this.close(this.at);
  }

  private get base64(): Decoding | undefined {
    return this.decodings.find(({ coding }) => coding === BASE64);
  }

  private begin(unit: number, value: number): void {
    this.line = 0;
    this.words = '';
    this.wrapped = false;
    for (const coding of CODINGS) if (coding.begins[unit] === 1) this.decodings.push(new Decoding(coding, this.at));
    this.goOn(unit, value);
  }

  private goOn(unit: number, value: number): void {
    const { decodings, words: before } = this;
    this.line++;
    if (!this.wrapped && before.length < MOST_OF_WORDS) this.words += String.fromCharCode(unit);
    let left = 0;
    for (let index = 0; index < decodings.length; index++) {
      const one = decodings[index]!;
      if (one.add(unit, this.at, this.words, this.found)) decodings[left++] = one;
      // The text so far is returned; other bytes may follow it.
      else one.addRun(this.wrapped && this.line < SHORTEST ? this.lineEnd : this.at, this.words, this.found);
    }
    if (left < decodings.length) decodings.length = left;
    // `x` before hexadecimal digits, as in `0x73` in programs and `\x73` in databases.
    if ((unit | 0x20) === SMALL_X && (before === '' || before === '0') && !this.wrapped)
      decodings.push(new Decoding(HEX, this.at + 1, before.length + 1));
    if (left === 0 && this.isIdle) this.dead = value < 62;
  }

  private closeAndTake(end: number, unit: number): void {
    this.close(end);
    this.take(unit);
  }

  private close(end: number): void {
    for (const one of this.decodings) one.addRun(end, this.words, this.found);
    this.decodings.length = 0;
    this.dead = false;
    this.between = '';
    this.padded = 0;
  }
}

/** Maximum length of a line break: the two characters of Windows, each escaped with two characters. */
const MOST_BETWEEN = 4;

function isBreak(unit: number): boolean {
  return unit === LINE_FEED || unit === RETURN || unit === BACKSLASH;
}

/** The next offset at which a row begins that is long enough, or that reaches the end of the text. */
function nextRow(text: string, from: number): number {
  let start = from;
  for (let last = start + SHORTEST - 1; last < text.length; last = start + SHORTEST - 1) {
    let at = last;
    while (at >= start && isSign(text.charCodeAt(at))) at--;
    if (at < start) return start;
    start = at + 1;
  }
  while (start < text.length && !isSign(text.charCodeAt(start))) start++;
  return start;
}

function isSign(unit: number): boolean {
  return unit < 0x80 && values[unit]! !== NONE;
}

const NO_RUNS: readonly EncodedRun[] = [];

/** All runs of a complete text. */
export function encodedRunsOf(text: string): readonly EncodedRun[] {
  if (nextRow(text, 0) + SHORTEST > text.length) return NO_RUNS;
  const runs = new EncodedRuns();
  const found = runs.push(text);
  return [...found, ...runs.end()];
}
