/**
 * Positions at which a pattern with a token trigger is tried, see `Trigger`; `sign` is a token of digits with the preceding sign.
 */
export type TokenKind = 'digit' | 'mixed' | 'capital' | 'sign';

/** A word is mixed if a digit is among this number of its first units. */
export const MIXED_LOOKAHEAD = 24;
const GROUPED_LOOKAHEAD = 40;
/** Maximum distance from a token's start up to which the following text affects the patterns that are tried there. */
export const TOKEN_LOOKAHEAD = GROUPED_LOOKAHEAD + 2;

/** Kinds of the units of a text. */
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

/** Positions in a growing text at which tokens of each kind start or may start. */
export type StartsOfTail = Readonly<Record<TokenKind, readonly number[]>>;

/** Positions from `from` on at which tokens of a growing text start, including every kind that a token may become. */
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
  // A trailing sign may belong to a number that has not begun yet.
  const sign = signStart(text, text.length);
  if (sign < text.length) starts.sign.push(sign);
  return starts;
}

export function kindAt(text: string, index: number): number {
  const unit = text.charCodeAt(index);
  return unit < 0x250 ? classes[unit]! : OTHER;
}

/** The start of a number, including `+`, `(`, `(+` or `+(` before its first digit. */
export function signStart(text: string, index: number): number {
  let start = index;
  while (start > 0 && index - start < 2 && (text[start - 1] === '+' || text[start - 1] === '(')) start--;
  return start;
}

/** Number of digits from `index` on, until more than five other units or a line end separate two of them. */
export function groupedDigits(text: string, index: number): number {
  let digits = 0;
  let gap = 0;
  const end = Math.min(text.length, index + GROUPED_LOOKAHEAD);
  for (let at = index; at < end; at++) {
    const unit = text.charCodeAt(at);
    if (unit >= 0x30 && unit <= 0x39) {
      digits++;
      gap = 0;
    } else if (++gap > 5 || unit < 0x20) break;
  }
  return digits;
}

/** Number of digits within the look-ahead, with any units in between: an upper bound for identifiers that mix letters and digits. */
export function nearbyDigits(text: string, index: number): number {
  let digits = 0;
  const end = Math.min(text.length, index + GROUPED_LOOKAHEAD);
  for (let at = index; at < end; at++) {
    const unit = text.charCodeAt(at);
    if (unit >= 0x30 && unit <= 0x39) digits++;
  }
  return digits;
}
