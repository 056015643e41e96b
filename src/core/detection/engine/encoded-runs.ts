import { TextBytes } from './text-bytes.js';
import { wordHead } from './word-head.js';

/**
 * Runs of base64 (RFC 4648, both alphabets, in one line or several), base32 and hexadecimal digits that turn out to be text.
 */

/** A run, or a piece of a long one, and the text that it stands for. Half-open range of the text it was found in. */
export interface EncodedRun {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  /** Where findings in it begin at the earliest: behind the words that it begins with. */
  readonly from: number;
}

/** Words that a run begins with stand for nothing that matters, up to so many signs: a text may go on with any word. */
const MOST_OF_WORDS = 12;

/** Shortest row of signs that a run begins with: fewer hold nothing that a detector would be sure of. */
const SHORTEST = 12;
/** Signs that a line of a run has, at least, that goes on in the next. */
const SHORTEST_LINE = 16;
/** A long run is read in pieces of twice this, each overlapping the next by half. A multiple of eight. */
const STEP = 2_048;
/** Fewer are not worth a look. */
const LEAST_UNITS = 8;

const NONE = -1;
const values = new Int8Array(0x80).fill(NONE);
[...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'].forEach((sign, value) => {
  values[sign.charCodeAt(0)] = value;
});
values['-'.charCodeAt(0)] = 62;
values['_'.charCodeAt(0)] = 63;

const hexValues = new Int8Array(0x80).fill(NONE);
[...'0123456789abcdef'].forEach((sign, value) => {
  hexValues[sign.charCodeAt(0)] = value;
  hexValues[sign.toUpperCase().charCodeAt(0)] = value;
});

const base32Values = new Int8Array(0x80).fill(NONE);
[...'abcdefghijklmnopqrstuvwxyz234567'].forEach((sign, value) => {
  base32Values[sign.charCodeAt(0)] = value;
  base32Values[sign.toUpperCase().charCodeAt(0)] = value;
});

const LINE_FEED = 0x0a;
const RETURN = 0x0d;
const BACKSLASH = 0x5c;
const EQUALS = 0x3d;

/** One way to read a run while it lasts, and the pieces that it is told in. */
class Decoding {
  private bits = 0;
  private held = 0;
  private readonly bytes = new TextBytes();
  private cuts: { readonly at: number; readonly unit: number }[];
  private signs = 0;

  constructor(
    private readonly width: 4 | 5 | 6,
    private readonly start: number,
  ) {
    this.cuts = [{ at: start, unit: 0 }];
  }

  /** Where findings in what is not told yet begin at the earliest. */
  open(words: string): number {
    const { at } = this.cuts[0]!;
    // Only the first piece begins with words.
    return at === this.start ? at + wordHead(words, 0, MOST_OF_WORDS) : at;
  }

  /** Takes the sign at `at`. False when this cannot be text any more. */
  add(value: number, at: number, words: string, into: EncodedRun[]): boolean {
    if (this.signs > 0 && this.signs % STEP === 0 && this.cuts.push({ at, unit: this.bytes.length }) > 2) {
      this.tell(at, words, into);
      this.cuts.shift();
      this.bytes.forget(this.cuts[0]!.unit);
    }
    this.signs++;
    this.held = ((this.held << this.width) | value) & 0xffff;
    this.bits += this.width;
    if (this.bits < 8) return this.signs > 1 || mayBegin(value, this.width);
    this.bits -= 8;
    return this.bytes.add((this.held >> this.bits) & 0xff);
  }

  /** Tells what has been read of the run until `end`, if it is worth it. */
  tell(end: number, words: string, into: EncodedRun[]): void {
    const { at, unit } = this.cuts[0]!;
    if (this.signs < SHORTEST || this.bytes.length - unit < LEAST_UNITS) return;
    into.push({ text: this.bytes.since(unit), start: at, end, from: this.open(words) });
  }
}

/** Whether a text can begin with a byte whose first bits these are: all but controls, of which UTF-16 has one. */
function mayBegin(value: number, width: number): boolean {
  const first = value << (8 - width);
  const last = first | ((1 << (8 - width)) - 1);
  return first === 0 || last >= 0x20 || (last >= 0x09 && first <= 0x0d);
}

/** Reads a text that comes in pieces, or the whole of it, and tells the runs that are text. */
export class EncodedRuns {
  /** The place in the text of the unit that is taken. */
  private at = 0;
  private base64: Decoding | undefined;
  private hex: Decoding | undefined;
  private base32: Decoding | undefined;
  /** The first signs of the row, which may be words. */
  private words = '';
  /** Inside of a row of signs that is no text. */
  private dead = false;
  /** Signs of the line so far. */
  private line = 0;
  /** A line break that belongs to the run only if it goes on, and where the run ended before it. */
  private between = '';
  private lineEnd = 0;
  private wrapped = false;
  private padded = 0;
  private found: EncodedRun[] = [];

  /** Where, at the earliest, a finding begins in a run that may still turn out to be text; undefined when there is none. */
  get open(): number | undefined {
    const { words } = this;
    const opened = [this.base64, this.hex, this.base32].flatMap((one) => (one === undefined ? [] : [one.open(words)]));
    return opened.length === 0 ? undefined : Math.min(...opened);
  }

  /** Takes the next piece. @returns the runs, or pieces of long ones, that ended in it */
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
    return this.told();
  }

  /** The text is complete. */
  end(): EncodedRun[] {
    this.close(this.between === '' ? this.at : this.lineEnd);
    return this.told();
  }

  private get isIdle(): boolean {
    return this.base64 === undefined && this.hex === undefined && this.base32 === undefined;
  }

  private told(): EncodedRun[] {
    const { found } = this;
    if (found.length > 0) this.found = [];
    return found;
  }

  private take(unit: number): void {
    const value = unit < 0x80 ? values[unit]! : NONE;
    if (this.isIdle) {
      // A row that is no text may hold one behind a sign that parts words, as an address does.
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

  /** A unit behind a line break. False when it is the next sign of the run. */
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
    // Digits of hexadecimal numbers and of base32 are not wrapped.
    this.hex = undefined;
    this.base32 = undefined;
    return false;
  }

  private stopAt(unit: number): void {
    if (unit === EQUALS && this.base64 !== undefined) {
      this.padded = 1;
      return;
    }
    if (this.base64 !== undefined && this.line >= SHORTEST_LINE && isBreak(unit)) {
      this.hex?.tell(this.at, this.words, this.found);
      this.hex = undefined;
      this.base32?.tell(this.at, this.words, this.found);
      this.base32 = undefined;
      this.between = String.fromCharCode(unit);
      this.lineEnd = this.at;
      return;
    }
    this.close(this.at);
  }

  private begin(unit: number, value: number): void {
    this.line = 0;
    this.words = '';
    this.wrapped = false;
    this.base64 = new Decoding(6, this.at);
    this.hex = hexValues[unit] === NONE ? undefined : new Decoding(4, this.at);
    this.base32 = base32Values[unit] === NONE ? undefined : new Decoding(5, this.at);
    this.goOn(unit, value);
  }

  private goOn(unit: number, value: number): void {
    this.line++;
    if (!this.wrapped && this.words.length < MOST_OF_WORDS) this.words += String.fromCharCode(unit);
    if (this.hex !== undefined) {
      const digit = hexValues[unit]!;
      if (digit === NONE || !this.hex.add(digit, this.at, this.words, this.found)) this.hex = undefined;
    }
    if (this.base32 !== undefined) {
      const digit = base32Values[unit]!;
      if (digit === NONE) {
        this.base32.tell(this.at, this.words, this.found);
        this.base32 = undefined;
      } else if (!this.base32.add(digit, this.at, this.words, this.found)) this.base32 = undefined;
    }
    if (this.base64?.add(value, this.at, this.words, this.found) === false) {
      // What was text before it is told: other bytes may follow.
      this.base64.tell(this.wrapped && this.line < SHORTEST ? this.lineEnd : this.at, this.words, this.found);
      this.base64 = undefined;
    }
    if (this.isIdle) this.dead = value < 62;
  }

  private closeAndTake(end: number, unit: number): void {
    this.close(end);
    this.take(unit);
  }

  private close(end: number): void {
    this.base64?.tell(end, this.words, this.found);
    this.hex?.tell(end, this.words, this.found);
    this.base32?.tell(end, this.words, this.found);
    this.base64 = undefined;
    this.hex = undefined;
    this.base32 = undefined;
    this.dead = false;
    this.between = '';
    this.padded = 0;
  }
}

/** Line breaks between two lines, at most: the two of Windows, each in two letters. */
const MOST_BETWEEN = 4;

function isBreak(unit: number): boolean {
  return unit === LINE_FEED || unit === RETURN || unit === BACKSLASH;
}

/** The next place where a row of signs begins that is long enough, or may be, as the text ends in it. */
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

/** All runs of a text that is there as a whole. */
export function encodedRunsOf(text: string): readonly EncodedRun[] {
  if (nextRow(text, 0) + SHORTEST > text.length) return NO_RUNS;
  const runs = new EncodedRuns();
  const found = runs.push(text);
  return [...found, ...runs.end()];
}
