/** The places in a text where encodings may occur, found in one pass. */
export interface Survey {
  /** Starts of long runs without spaces: the only places where base64 can stand. */
  readonly longRuns: readonly number[];
  /** Starts of long rows of hexadecimal digits. */
  readonly longHex: readonly number[];
  /** Many pairs of hexadecimal digits in groups of any size, or digits behind `\x`: they can begin anywhere. */
  readonly hexPairs: boolean;
  /** Single letters with a sign or a space after each. */
  readonly spacedLetters: boolean;
  /** Its letters are those that English letters become in rot13. */
  readonly rotated: boolean;
  /** Places of letters right after digits that stand for letters; some of the first. */
  readonly digitsBeforeLetters: readonly number[];
  /** More than one word begins and ends as a frequent one does backwards. */
  readonly backwards: boolean;
}

/** Frequent words backwards. */
export const BACKWARD_WORDS = 'eht uoy ruoy dna erongi tpmorp snoitcurtsni suoiverp metsys drowssap lla'.split(' ');

/** Digits that letters are written with. */
export const LEET_DIGITS = '013457$';

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
mark(LEET_DIGITS, LEET);

function kindAt(text: string, index: number): number {
  const unit = text.charCodeAt(index);
  return unit < 0x80 ? kinds[unit]! : 0;
}

/** How often the six letters that make up 45 % of English occur, and the six that stand for them in rot13, which make up 15 %. */
const FREQUENT = 1;
const ROTATED = 2 ** 26;
const tallies = new Float64Array(0x80);
for (const letter of 'etaoinETAOIN') tallies[letter.charCodeAt(0)]! += FREQUENT;
for (const letter of 'rgnbvaRGNBVA') tallies[letter.charCodeAt(0)]! += ROTATED;

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

/** One pass, word by word, linear. */
export function survey(text: string): Survey {
  const { length } = text;
  const runs = new Runs(text);
  let runFrom = 0;
  let allLetters = 0;
  let tally = 0;
  let singles = 0;
  let mostSingles = 0;
  const digitsBeforeLetters: number[] = [];
  let backwards = 0;
  let previous = 0;
  for (let index = 0; index < length;) {
    let kind = kindAt(text, index);
    if ((kind & LETTER) === 0) {
      if ((kind & RUN) === 0) {
        runs.end(runFrom, index, kind);
        runFrom = index + 1;
      }
      singles = 0;
      previous = kind;
      index++;
      continue;
    }
    const from = index;
    if ((previous & LEET) !== 0 && digitsBeforeLetters.length < MOST_RUNS) digitsBeforeLetters.push(from);
    do {
      tally += tallies[text.charCodeAt(index)]!;
      kind = ++index < length ? kindAt(text, index) : 0;
    } while ((kind & LETTER) !== 0);
    const letters = index - from;
    allLetters += letters;
    if (letters > 2 && letters <= LONGEST_BACKWARD && mayBeBackward(text, from, index)) backwards++;
    singles = letters === 1 && (kind & LETTER_END) !== 0 ? singles + 1 : 0;
    if (singles > mostSingles) mostSingles = singles;
    // The unit behind a word is dealt with here: a single letter is followed by one more.
    if ((kind & RUN) === 0) {
      runs.end(runFrom, index, kind);
      runFrom = index + 1;
    }
    previous = kind;
    index++;
  }
  runs.end(runFrom, length, 0);
  const rotated = Math.floor(tally / ROTATED);
  const frequent = tally % ROTATED;
  return {
    longRuns: runs.long,
    longHex: runs.longHex,
    hexPairs: runs.mostPairs >= HEX_PAIRS || text.includes('\\x'),
    spacedLetters: mostSingles >= SPACED_LETTERS,
    rotated: allLetters >= LEAST_LETTERS && rotated > frequent && rotated > allLetters * 0.33,
    digitsBeforeLetters,
    backwards: backwards > 1,
  };
}

/** What the runs of a text say: letters, digits and the signs of base64 without anything between. */
class Runs {
  readonly long: number[] = [];
  readonly longHex: number[] = [];
  mostPairs = 0;
  private pairs = 0;

  constructor(private readonly text: string) {}

  /** @param after the kind of the unit behind the run */
  end(from: number, to: number, after: number): void {
    const units = to - from;
    if (units >= LONG_RUN) this.addLong(from, to);
    this.pairs = this.pairsUpTo(from, to);
    if ((after & PAIR_END) === 0) this.pairs = 0;
  }

  private addLong(from: number, to: number): void {
    if (this.long.length < MOST_RUNS) this.long.push(from);
    let hexFrom = from;
    for (let index = from; index <= to; index++) {
      if (index < to && (kindAt(this.text, index) & HEX) !== 0) continue;
      if (index - hexFrom >= LONG_HEX && this.longHex.length < MOST_RUNS) this.longHex.push(hexFrom);
      hexFrom = index + 1;
    }
  }

  /** Pairs of hexadecimal digits in the row of groups that this run ends, the groups before it included. */
  private pairsUpTo(from: number, to: number): number {
    let digitsFrom = to;
    while (digitsFrom > from && (kindAt(this.text, digitsFrom - 1) & HEX) !== 0) digitsFrom--;
    const digits = to - digitsFrom;
    const own = digits >> 1;
    const alone = digitsFrom === from || (digitsFrom === from + 2 && this.text.startsWith('0x', from));
    if (own === 0 || this.pairs === 0 || !alone || digits % 2 === 1) return own;
    const row = this.pairs + own;
    if (row > this.mostPairs) this.mostPairs = row;
    return row;
  }
}
