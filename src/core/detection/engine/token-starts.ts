/**
 * Positions at which a pattern with a token trigger is tried, see `Trigger`; `sign` is a token of digits with the preceding sign.
 */
export type TokenKind = 'digit' | 'mixed' | 'capital' | 'sign';

/** A word is mixed when a digit is among its first units, this many. */
export const MIXED_LOOK = 24;
const GROUPED_LOOK = 40;
/** How far from a token's start its lists may depend on what follows. */
export const TOKEN_LOOK = GROUPED_LOOK + 2;

/** What the units of a text are. */
export const kinds = { OTHER: 0, DIGIT: 1, UPPER: 2, LOWER: 3 } as const;
const { OTHER, DIGIT, UPPER, LOWER } = kinds;
/** Class of each unit below 0x250; units above are `OTHER`. */
const classes = new Uint8Array(0x250);
classes.fill(DIGIT, 0x30, 0x3a);
classes.fill(UPPER, 0x41, 0x5b);
classes.fill(LOWER, 0x61, 0x7b);
classes.fill(UPPER, 0xc0, 0xdf);
classes.fill(LOWER, 0xdf, 0x250);
classes[0xd7] = OTHER;
classes[0xf7] = OTHER;

/** Places where tokens start, or may turn out to, when a text goes on. */
export type StartsOfTail = Readonly<Record<TokenKind, readonly number[]>>;

/** Where tokens start from a place on, for a text that goes on: whatever a token may become counts. */
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

export function kindAt(text: string, index: number): number {
  const unit = text.charCodeAt(index);
  return unit < 0x250 ? classes[unit]! : OTHER;
}

/** Where a number begins when `+`, `(`, `(+` or `+(` stand before its first digit. */
export function signStart(text: string, index: number): number {
  let start = index;
  while (start > 0 && index - start < 2 && (text[start - 1] === '+' || text[start - 1] === '(')) start--;
  return start;
}

/** Digits from `index` on, until more than five other units, or a line end, stand between two of them. */
export function groupedDigits(text: string, index: number): number {
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

/** Digits within the look-ahead, whatever stands between: an upper bound for identifiers that mix letters and digits. */
export function nearbyDigits(text: string, index: number): number {
  let digits = 0;
  const end = Math.min(text.length, index + GROUPED_LOOK);
  for (let at = index; at < end; at++) {
    const unit = text.charCodeAt(at);
    if (unit >= 0x30 && unit <= 0x39) digits++;
  }
  return digits;
}
