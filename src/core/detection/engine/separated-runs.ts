import type { EncodedRun } from './encoded-runs.js';

/**
 * Sequences of numbers that are character codes, with the same separator between all of them: `73 6b 2d`, `73:6b:2d`, `0x73, 0x6b`,
 * `0x730x6b`, `73h 6bh`, `x73 x6b`, `[115, 107]`, `chr(115).chr(107)`, `163 153`, `\163\153`, `01110011 01101011`.
 */

/** Minimum length of a decoded text; shorter ones contain no finding with a high score. */
const LEAST_UNITS = 8;
/** Number of numbers at the start of a row that are ignored, so that a stream need not wait after every number. */
const FREE_NUMBERS = 2;
/** Long rows are split into pieces of twice this length, each overlapping the next by half. */
const STEP = 2_048;
/** Maximum length of a number in a row; `MOST_BETWEEN` is that of a separator. */
const MOST_DIGITS = 16;
const MOST_BETWEEN = 12;

type Base = 'hex' | 'decimal' | 'octal' | 'binary';
const BASES: readonly Base[] = ['hex', 'decimal', 'octal', 'binary'];

/** One possible reading of the current row. */
interface Reading {
  text: string;
  /** For each character, the offset of the number that encodes it. */
  starts: number[];
  /** See `EncodedRun`. */
  again: number;
  readonly run: object;
}

interface Row {
  /** Undefined until the row's second number: most numbers in texts are not followed by another one. */
  readings: Map<Base, Reading> | undefined;
  /** The row's first number, and its offset. */
  readonly first: { readonly digits: string; readonly start: number };
  between: string | undefined;
  /** Count of numbers so far. */
  numbers: number;
  /** Offset of the first number that counts, after the ignored ones. */
  from: number | undefined;
  /** End of the row's last number. */
  end: number;
}

/** Reads a text in pieces or as a whole, and returns the rows that decode to text. */
export class SeparatedRuns {
  private at = 0;
  private row: Row | undefined;
  private digits = '';
  private start = 0;
  private between = '';
  private inNumber = false;
  private afterWord = false;
  /** The last unit of the previous pieces. */
  private before = '';
  private found: EncodedRun[] = [];

  /** The earliest start of a finding in a row that may continue. */
  get open(): number | undefined {
    const { row } = this;
    if (row?.from === undefined) return this.inNumber && row?.numbers === FREE_NUMBERS ? this.start : undefined;
    let first = Infinity;
    for (const { starts } of readingsOf(row).values()) first = Math.min(first, starts[0]!);
    return Math.max(first, row.from);
  }

  push(piece: string): EncodedRun[] {
    const offset = this.at;
    for (let index = 0; index < piece.length; index++) {
      if (!this.inNumber && this.row === undefined) {
        const next = nextDigit(piece, index);
        if (next > index) this.afterWord = endsWord(this.before, piece, next);
        if (next === piece.length) break;
        index = next;
      }
      this.at = offset + index;
      this.take(piece.charCodeAt(index));
    }
    this.at = offset + piece.length;
    this.before = (this.before + piece.slice(-1)).slice(-1);
    return this.takeFound();
  }

  /** Completes the text. */
  end(): EncodedRun[] {
    if (this.inNumber) this.endNumber(this.at);
    this.close();
    return this.takeFound();
  }

  private takeFound(): EncodedRun[] {
    const { found } = this;
    if (found.length > 0) this.found = [];
    return found;
  }

  private take(unit: number): void {
    if (this.inNumber) {
      if (isHexDigit(unit) && this.digits.length <= MOST_DIGITS) {
        this.digits += String.fromCharCode(unit);
        return;
      }
      if (isBaseMark(unit) && this.digits.endsWith('0') && (this.digits === '0' || this.isMarked(unit))) {
        this.markBase(unit);
        return;
      }
      this.endNumber(this.at);
      this.between = '';
    } else if (unit >= ZERO && unit <= NINE) {
      this.beginNumber(unit);
      return;
    }
    this.goOnBetween(unit);
  }

  /** Whether the current number also has a prefix with this letter, as in `0x730x6b`; in `110x120` the letter is only a separator. */
  private isMarked(unit: number): boolean {
    return this.between.toLowerCase().endsWith(`0${String.fromCharCode(unit).toLowerCase()}`);
  }

  /** Moves the last digit and this letter, the prefix of the next number, to the separator. */
  private markBase(unit: number): void {
    this.digits = this.digits.slice(0, -1);
    if (this.digits !== '') {
      this.endNumber(this.at - 1);
      this.between = '';
    }
    this.inNumber = false;
    this.between += `0${String.fromCharCode(unit)}`;
  }

  private beginNumber(unit: number): void {
    // Digits in a word do not begin a row.
    if (this.row === undefined && this.afterWord) return;
    this.inNumber = true;
    this.digits = String.fromCharCode(unit);
    this.start = this.at;
  }

  private goOnBetween(unit: number): void {
    const isLetter = isWordUnit(unit);
    this.afterWord = isLetter;
    if (this.row === undefined) return;
    const { between } = this;
    // Line ends count as spaces.
    const isBlank = unit === 0x20 || (unit >= 0x09 && unit <= 0x0d);
    if (!isBlank) this.between += String.fromCharCode(unit);
    else if (!between.endsWith(' ')) this.between += ' ';
    if (this.between.length > MOST_BETWEEN || (isLetter || isBlank ? WORDS_BETWEEN.test(this.between) : false)) {
      this.close();
    }
  }

  private endNumber(end: number): void {
    this.inNumber = false;
    const { digits, start, between } = this;
    this.digits = '';
    if (this.row !== undefined && this.row.between !== undefined && this.row.between !== between) this.restart();
    const { row } = this;
    if (row !== undefined) {
      if (row.numbers++ === FREE_NUMBERS) row.from = start;
      for (const base of BASES) this.addTo(row, base, codesOf(base, digits), start);
      row.between ??= between;
      row.end = end;
      if (readingsOf(row).size > 0) return;
    }
    this.row = isCode(digits)
      ? { readings: undefined, first: { digits, start }, between: undefined, numbers: 1, from: undefined, end }
      : undefined;
    this.afterWord = this.row === undefined;
  }

  /** @param text what the number encodes in this base, if anything */
  private addTo(row: Row, base: Base, text: string | undefined, start: number): void {
    const readings = readingsOf(row);
    const reading = readings.get(base);
    if (reading !== undefined) this.goOn(row, base, reading, text, start);
    // The numbers before it may be codes in another base, as the last byte of a quotation mark in UTF-8 is.
    else if (text !== undefined) readings.set(base, beginningAt(start, text));
  }

  private goOn(row: Row, base: Base, reading: Reading, text: string | undefined, start: number): void {
    if (text === undefined) {
      this.addRun(row, reading, row.end);
      readingsOf(row).delete(base);
      return;
    }
    reading.text += text;
    for (let unit = 0; unit < text.length; unit++) reading.starts.push(start);
    if (reading.text.length < 2 * STEP) return;
    this.addRun(row, reading, start + 1);
    reading.text = reading.text.slice(-STEP);
    reading.starts = reading.starts.slice(-STEP);
    reading.again = STEP;
  }

  /** Ends the row because the separator changed. The row's last number may begin another row. */
  private restart(): void {
    const { row } = this;
    if (row === undefined) return;
    const last = new Map<Base, Reading>();
    for (const [base, { text, starts }] of readingsOf(row)) {
      const from = starts.indexOf(starts.at(-1)!, Math.max(0, starts.length - MOST_DIGITS));
      last.set(base, { text: text.slice(from), starts: starts.slice(from), again: 0, run: {} });
    }
    const { first, end } = row;
    this.close();
    this.row = { readings: last, first, between: undefined, numbers: 1, from: undefined, end };
  }

  private close(): void {
    const { row } = this;
    if (row === undefined) return;
    // A row of one number has no run.
    if (row.readings !== undefined) for (const reading of row.readings.values()) this.addRun(row, reading, row.end);
    this.row = undefined;
    this.between = '';
  }

  private addRun({ from }: Row, { text, starts, again, run }: Reading, end: number): void {
    if (text.length < LEAST_UNITS || from === undefined) return;
    const start = starts[0]!;
    this.found.push({ text, start, end, from: Math.max(from, start), run, again, middle: middleOf(starts) });
  }
}

/** A reading that begins with a number. */
function beginningAt(start: number, text: string): Reading {
  return { text, starts: new Array<number>(text.length).fill(start), again: 0, run: {} };
}

/** The readings of a row that are still possible. */
function readingsOf(row: Row): Map<Base, Reading> {
  if (row.readings !== undefined) return row.readings;
  const readings = new Map<Base, Reading>();
  const { digits, start } = row.first;
  for (const base of BASES) {
    const text = codesOf(base, digits);
    if (text !== undefined) readings.set(base, beginningAt(start, text));
  }
  return (row.readings = readings);
}

/** See `EncodedRun`. A number that encodes several characters belongs to the second half. */
function middleOf(starts: readonly number[]): EncodedRun['middle'] {
  if (starts.length <= STEP) return undefined;
  // A piece that is followed by another ends with the first `STEP` characters of that one.
  let unit = Math.max(STEP, starts.length - STEP);
  const at = starts[unit]!;
  while (unit > 0 && starts[unit - 1] === at) unit--;
  return { at, unit };
}

/** Matches separators that contain words with spaces; prefixes of the next number, such as `0x`, are not words. */
const WORDS_BETWEEN = /[A-Za-z]{2}.* |[ ].*[A-Za-z]{3}| (?![0\\uUxX+&#(])[A-Za-z]|^ ?(?![hH] )[A-Za-z]+ /;

function isWordUnit(unit: number): boolean {
  return (unit >= 0x30 && unit <= 0x39) || (unit >= 0x41 && unit <= 0x5a) || (unit >= 0x61 && unit <= 0x7a);
}

/** Whether a word ends at `end`. The `x` of `x73` is not a word. */
function endsWord(before: string, piece: string, end: number): boolean {
  const unit = piece.charCodeAt(end - 1);
  if ((unit | 0x20) !== SMALL_X) return isWordUnit(unit);
  return isWordUnit(end > 1 ? piece.charCodeAt(end - 2) : before.charCodeAt(0));
}

const SMALL_X = 0x78;
const ZERO = 0x30;
const NINE = 0x39;

/** Whether a unit is the letter of a prefix: the `x` of `0x73`, or the `o` of `0o163`. */
function isBaseMark(unit: number): boolean {
  const small = unit | 0x20;
  return small === 0x78 || small === 0x6f;
}

function isHexDigit(unit: number): boolean {
  return (unit >= ZERO && unit <= NINE) || (unit >= 0x41 && unit <= 0x46) || (unit >= 0x61 && unit <= 0x66);
}

function nextDigit(text: string, from: number): number {
  DIGIT.lastIndex = from;
  return DIGIT.exec(text)?.index ?? text.length;
}

const DIGIT = /[0-9]/g;

/** Whether a number is the code of a printable character in any base. */
function isCode(digits: string): boolean {
  return BASES.some((base) => codesOf(base, digits) !== undefined);
}

/** Decodes a number; undefined if it is not the code of a printable character. */
function codesOf(base: Base, digits: string): string | undefined {
  const { length } = digits;
  if (base === 'decimal') return length <= 3 && !NO_DECIMAL.test(digits) ? printable(Number(digits)) : undefined;
  if (base === 'octal')
    return length <= MOST_OCTAL && OCTAL.test(digits) ? printable(Number.parseInt(digits, 8)) : undefined;
  if (base === 'binary')
    return length >= FEWEST_BINARY && BINARY.test(digits)
      ? printable(Number.parseInt(digits.replace(/^0b/i, ''), 2))
      : undefined;
  // Assemblers add a zero to numbers that would begin with a letter; some programs add it to all.
  if (digits.length === 3 && digits.startsWith('0')) return codesOf(base, digits.slice(1));
  if (digits.length % 2 === 1) return undefined;
  let text = '';
  for (let at = 0; at < digits.length; at += 2) {
    const code = (digitOf(digits.charCodeAt(at)) << 4) | digitOf(digits.charCodeAt(at + 1));
    // Codes of four or more digits begin with zeros.
    if (code === 0 && text === '' && at + 2 < digits.length) continue;
    const character = printable(code);
    if (character === undefined) return undefined;
    text += character;
  }
  return text;
}

/** The value of a hexadecimal digit. */
function digitOf(unit: number): number {
  return unit <= NINE ? unit - ZERO : (unit | 0x20) - SMALL_A + 10;
}

const SMALL_A = 0x61;
const NO_DECIMAL = /[A-Fa-f]/;
/** With the optional leading zero of many languages. */
const OCTAL = /^0?[0-7]{2,3}$/;
const MOST_OCTAL = 4;
/** The `b` of `0b01110011` is itself a hexadecimal digit. */
const BINARY = /^(?:0[bB])?[01]{7,8}$/;
const FEWEST_BINARY = 7;

function printable(code: number): string | undefined {
  const isText = (code >= 0x20 && code < 0x7f) || code === 0x09 || code === 0x0a || code === 0x0d;
  return isText ? String.fromCharCode(code) : undefined;
}

const NO_RUNS: readonly EncodedRun[] = [];
/** A quick check for several numbers close together, which most texts do not have. */
const MAY_BE_ROW = /\d[^]{0,28}\d/;

/** All rows of a complete text. */
export function separatedRunsOf(text: string): readonly EncodedRun[] {
  if (!MAY_BE_ROW.test(text)) return NO_RUNS;
  const runs = new SeparatedRuns();
  const found = runs.push(text);
  return [...found, ...runs.end()];
}
