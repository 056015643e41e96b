/** Start positions of interest, and for each how many digits can follow at most. Filled once per text, shared by all patterns. */
export interface TokenStarts {
  readonly positions: readonly number[];
  readonly digitsAhead: readonly number[];
}

export interface TokenTable {
  readonly digit: TokenStarts;
  readonly mixed: TokenStarts;
  readonly capital: TokenStarts;
  readonly sign: TokenStarts;
}

const MIXED_LOOK = 24;
const GROUPED_LOOK = 40;
/** How far from a token's start its lists may depend on what follows. */
export const TOKEN_LOOK = GROUPED_LOOK + 2;

const OTHER = 0;
const DIGIT = 1;
const UPPER = 2;
const LOWER = 3;
/** Class of each unit below 0x250; units above are `OTHER`. */
const classes = new Uint8Array(0x250);
classes.fill(DIGIT, 0x30, 0x3a);
classes.fill(UPPER, 0x41, 0x5b);
classes.fill(LOWER, 0x61, 0x7b);
classes.fill(UPPER, 0xc0, 0xdf);
classes.fill(LOWER, 0xdf, 0x250);
classes[0xd7] = OTHER;
classes[0xf7] = OTHER;

/**
 * Reads a text once and lists where runs of letters and digits start. See `Trigger` for what the lists mean.
 *
 * @param wanted the other lists may be left empty
 */
export function findTokenStarts(text: string, wanted: ReadonlySet<keyof TokenTable>): TokenTable {
  const wantsDigits = wanted.has('digit') || wanted.has('mixed') || wanted.has('sign');
  const wantsWords = wanted.has('mixed');
  const digit = { positions: [] as number[], digitsAhead: [] as number[] };
  const mixed = { positions: [] as number[], digitsAhead: [] as number[] };
  const capital = { positions: [] as number[], digitsAhead: [] as number[] };
  const sign = { positions: [] as number[], digitsAhead: [] as number[] };
  const digitsBefore = countDigits(text);
  let previous = OTHER;
  let wordStart = 0;
  /** A word's first digit is still to come. */
  let waits = false;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    const kind = unit < 0x250 ? classes[unit]! : OTHER;
    if (kind === OTHER) waits = false;
    else if (previous === OTHER) {
      if (kind === DIGIT) {
        if (wantsDigits) {
          const ahead = groupedDigits(text, index);
          push(digit, index, ahead);
          push(mixed, index, nearbyDigits(digitsBefore, index) + 1);
          push(sign, signStart(text, index), ahead);
        }
      } else {
        wordStart = index;
        waits = wantsWords;
        if (kind === UPPER) push(capital, index, nearbyDigits(digitsBefore, index));
      }
    } else if (kind === DIGIT && waits) {
      waits = false;
      if (index - wordStart < MIXED_LOOK) push(mixed, wordStart, nearbyDigits(digitsBefore, wordStart));
    }
    previous = kind;
  }
  return { digit, mixed, capital, sign };
}

/** Places where tokens start, or may turn out to, when a text goes on. */
export type StartsOfTail = Readonly<Record<keyof TokenTable, readonly number[]>>;

/** Like `findTokenStarts` from a place on, but for a text that goes on: whatever a token may become counts. */
export function startsFrom(text: string, from: number): StartsOfTail {
  const starts = { digit: [] as number[], mixed: [] as number[], capital: [] as number[], sign: [] as number[] };
  let previous = from === 0 ? OTHER : kindAt(text, from - 1);
  for (let index = from; index < text.length; index++) {
    const kind = kindAt(text, index);
    if (previous === OTHER && kind !== OTHER) {
      starts.mixed.push(index);
      if (kind === DIGIT) {
        starts.digit.push(index);
        starts.sign.push(signStart(text, index));
      } else if (kind === UPPER) starts.capital.push(index);
    }
    previous = kind;
  }
  // A sign is part of a number that has not begun yet; signs before `from` were undecided, so none is.
  const sign = signStart(text, text.length);
  if (sign < text.length) starts.sign.push(sign);
  return starts;
}

function kindAt(text: string, index: number): number {
  const unit = text.charCodeAt(index);
  return unit < 0x250 ? classes[unit]! : OTHER;
}

function push(into: { positions: number[]; digitsAhead: number[] }, position: number, digits: number): void {
  into.positions.push(position);
  into.digitsAhead.push(digits);
}

/** Where a number begins when `+`, `(`, `(+` or `+(` stand before its first digit. */
function signStart(text: string, index: number): number {
  let start = index;
  while (start > 0 && index - start < 2 && (text[start - 1] === '+' || text[start - 1] === '(')) start--;
  return start;
}

/** Digits from `index` on, until more than five other units, or a line end, stand between two of them. */
function groupedDigits(text: string, index: number): number {
  let digits = 0;
  let gap = 0;
  const end = Math.min(text.length, index + GROUPED_LOOK);
  for (let at = index; at < end; at++) {
    const unit = text.charCodeAt(at);
    if (unit >= 0x30 && unit <= 0x39) {
      digits++;
      gap = 0;
    } else if (++gap > 5 || unit < 0x20) break;
  }
  return digits;
}

/** At each index the digits to its left, and all of them at the end. */
function countDigits(text: string): Uint32Array {
  const before = new Uint32Array(text.length + 1);
  let digits = 0;
  for (let index = 0; index < text.length; index++) {
    before[index] = digits;
    const unit = text.charCodeAt(index);
    if (unit >= 0x30 && unit <= 0x39) digits++;
  }
  before[text.length] = digits;
  return before;
}

/** Digits within the look-ahead, whatever stands between: an upper bound for identifiers that mix letters and digits. */
function nearbyDigits(digitsBefore: Uint32Array, index: number): number {
  const end = Math.min(digitsBefore.length - 1, index + GROUPED_LOOK);
  return digitsBefore[end]! - digitsBefore[Math.min(index + 1, end)]!;
}
