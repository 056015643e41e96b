/** What one look at each character says about where encodings can stand. */
export interface Survey {
  /** Starts of long runs without spaces: the only places where base64 can stand. */
  readonly longRuns: readonly number[];
  /** A long run of hexadecimal digits, or many pairs of them in a row. */
  readonly hex: boolean;
  /** Single letters with a sign or a space after each. */
  readonly spacedLetters: boolean;
  /** Its letters are those that English letters become in rot13. */
  readonly rotated: boolean;
  /** Letters come right after digits that stand for letters, more than once. */
  readonly digitsBeforeLetters: boolean;
  /** More than one word begins and ends as a frequent one does backwards. */
  readonly backwards: boolean;
}

/** Frequent words backwards. */
export const BACKWARD_WORDS = 'eht uoy ruoy dna erongi tpmorp snoitcurtsni suoiverp metsys drowssap lla'.split(' ');

/** Shortest run that is worth decoding, and how many are looked at. */
const LONG_RUN = 20;
const MOST_RUNS = 400;
const LONG_HEX = 24;
const HEX_PAIRS = 12;
const SPACED_LETTERS = 8;

const LEAST_LETTERS = 12;

const RUN = 1;
const HEX = 2;
const LETTER = 4;
const PAIR_END = 8;
const LETTER_END = 16;
/** The six letters that make up 45 % of English; in rot13 they make up 15 % of it, where six others stand for them. */
const FREQUENT = 32;
const FREQUENT_ROTATED = 64;
/** Digits that letters are written with. */
const LEET = 128;

const kinds = new Uint8Array(0x80);
const mark = (chars: string, kind: number): void => {
  for (const char of chars) kinds[char.charCodeAt(0)]! |= kind;
};
mark('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz', RUN | LETTER);
mark('0123456789+/_-', RUN);
mark('0123456789abcdefABCDEF', HEX);
mark(' ,:', PAIR_END);
mark(' .-_*', LETTER_END);
mark('etaoinETAOIN', FREQUENT);
mark('rgnbvaRGNBVA', FREQUENT_ROTATED);
mark('013457$', LEET);

/** For a first and a last letter (5 bits each, of either case) the lengths of backward words, as bits. */
const backwardLengths = new Uint16Array(1 << 10);
const ends = (first: number, last: number): number => ((first & 31) << 5) | (last & 31);
for (const word of BACKWARD_WORDS)
  backwardLengths[ends(word.charCodeAt(0), word.charCodeAt(word.length - 1))]! |= 1 << word.length;
const LONGEST_BACKWARD = Math.max(...BACKWARD_WORDS.map(({ length }) => length));

function mayBeBackward(text: string, from: number, to: number): boolean {
  const lengths = backwardLengths[ends(text.charCodeAt(from), text.charCodeAt(to - 1))]!;
  return ((lengths >> (to - from)) & 1) === 1;
}

/** One pass, linear. */
export function survey(text: string): Survey {
  const longRuns: number[] = [];
  let runFrom = 0;
  let hexRun = 0;
  let longestHex = 0;
  let pairs = 0;
  let mostPairs = 0;
  let letterRun = 0;
  let letters = 0;
  let mostLetters = 0;
  let allLetters = 0;
  let frequent = 0;
  let rotated = 0;
  let leet = 0;
  let backwards = 0;
  let previous = 0;
  for (let index = 0; index <= text.length; index++) {
    const unit = index < text.length ? text.charCodeAt(index) : 0;
    const kind = unit < 0x80 ? kinds[unit]! : 0;
    if ((kind & RUN) === 0) {
      if (index - runFrom >= LONG_RUN && longRuns.length < MOST_RUNS) longRuns.push(runFrom);
      runFrom = index + 1;
    }
    if ((kind & HEX) !== 0) {
      if (++hexRun > longestHex) longestHex = hexRun;
    } else {
      pairs = hexRun === 2 && (kind & PAIR_END) !== 0 ? pairs + 1 : 0;
      if (pairs > mostPairs) mostPairs = pairs;
      hexRun = 0;
    }
    if ((kind & LETTER) !== 0) {
      letterRun++;
      allLetters++;
      frequent += kind & FREQUENT;
      rotated += kind & FREQUENT_ROTATED;
      if ((previous & LEET) !== 0) leet++;
    } else {
      letters = letterRun === 1 && (kind & LETTER_END) !== 0 ? letters + 1 : 0;
      if (letters > mostLetters) mostLetters = letters;
      if (letterRun > 2 && letterRun <= LONGEST_BACKWARD && mayBeBackward(text, index - letterRun, index)) backwards++;
      letterRun = 0;
    }
    previous = kind;
  }
  frequent /= FREQUENT;
  rotated /= FREQUENT_ROTATED;
  return {
    longRuns,
    hex: longestHex >= LONG_HEX || mostPairs >= HEX_PAIRS || text.includes('\\x'),
    spacedLetters: mostLetters >= SPACED_LETTERS,
    rotated: allLetters >= LEAST_LETTERS && rotated > frequent && rotated > allLetters * 0.33,
    digitsBeforeLetters: leet > 1,
    backwards: backwards > 1,
  };
}
