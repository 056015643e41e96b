import type { LocatedFinding } from '../model/finding.js';

/** Minimum number of letters and digits in the rest of a value; a shorter rest reveals little, and may be a word. */
const LEAST_REST = 8;
/**
 * In random text, at least one of this number of adjacent pairs consists of different kinds: a digit and a letter, or a small letter and
 * a capital. In words, names and dates, fewer do.
 */
const PAIRS_PER_CHANGE = 4;
const LETTER_OR_DIGIT = /[A-Za-z0-9]/;
/** What follows the name of another value, as in `DB2_KEY=` and `"k8s-Pod": `. */
const NAMED = /^["'\]]?[ \t]{0,8}(?::|={1,2}[ \t]{0,8}[\w"'$])/;
const NAMED_LOOK = 24;
/** Two strings side by side in one line: a list of arguments, unless a program joins them. */
const SIDE_BY_SIDE = /^\\{0,3}["'\u0060][ \t]{0,40}\\{0,3}["'\u0060]$/;

/**
 * Whether a finding is only the beginning of a value that continues in the next pieces. A credential of variable length that is wrapped over
 * several lines is already valid after its first line. The rest must look random, because the next line may also be a word or the name
 * of another value.
 *
 * @param ranges the ranges of the whole value, one in each piece
 */
export function isOnlyBeginning(
  finding: LocatedFinding,
  ranges: readonly LocatedFinding[],
  textOf: (segment: number) => string,
): boolean {
  const [first, ...others] = ranges;
  if (first === undefined || others.length === 0) return false;
  const { code, segment, start, end } = first;
  if (finding.code !== code || finding.segment !== segment || finding.start !== start || finding.end > end)
    return false;
  // Between the end of the finding and the end of its line may only be a separator, such as the full stop in a JWT.
  if (LETTER_OR_DIGIT.test(textOf(segment).slice(finding.end, end))) return false;
  if (isSideBySide(ranges, textOf)) return false;
  const last = others.at(-1) ?? first;
  if (NAMED.test(textOf(last.segment).slice(last.end, last.end + NAMED_LOOK))) return false;
  return looksRandom(others.map((range) => textOf(range.segment).slice(range.start, range.end)).join(''));
}

function isSideBySide(ranges: readonly LocatedFinding[], textOf: (segment: number) => string): boolean {
  return ranges.some((range, index) => {
    const before = ranges[index - 1];
    if (before === undefined || before.segment !== range.segment) return false;
    return SIDE_BY_SIDE.test(textOf(range.segment).slice(before.end, range.start));
  });
}

/** Matches an ordinary word, which more likely begins the next sentence than ends a credential. */
const WORD = /^[A-Za-z][a-z]{1,14}$/;

/** The ranges of a wrapped value without the words at its end. */
export function withoutTrailingWords(
  ranges: readonly LocatedFinding[],
  textOf: (segment: number) => string,
): readonly LocatedFinding[] {
  const isWord = ({ segment, start, end }: LocatedFinding): boolean => WORD.test(textOf(segment).slice(start, end));
  return ranges.slice(0, ranges.findLastIndex((range) => !isWord(range)) + 1);
}

function looksRandom(text: string): boolean {
  let [signs, changes] = [0, 0];
  let before = NONE;
  for (let at = 0; at < text.length; at++) {
    const kind = kindOf(text.charCodeAt(at));
    if (kind === NONE) continue;
    signs++;
    // A capital before small letters is usual in words.
    if (before !== NONE && kind !== before && !(before === UPPER && kind === LOWER)) changes++;
    before = kind;
  }
  return signs >= LEAST_REST && changes * PAIRS_PER_CHANGE >= signs;
}

const NONE = 0;
const DIGIT = 1;
const UPPER = 2;
const LOWER = 3;

function kindOf(unit: number): number {
  if (unit >= 0x30 && unit <= 0x39) return DIGIT;
  if (unit >= 0x41 && unit <= 0x5a) return UPPER;
  return unit >= 0x61 && unit <= 0x7a ? LOWER : NONE;
}
