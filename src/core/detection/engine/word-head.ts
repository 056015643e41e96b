import { extendBeginning, isWordBeginning } from './word-beginnings.js';

const DOT = 0x2e;
const LONGEST_BEGINNING = 4;

/**
 * The length of the words at a position of a text: `looked`, `heldUnits`, `/usr/local`. Only about one of a hundred random values begins
 * like a word, so excluding words from the beginning of a value loses very little. Further text never makes the length smaller: a word
 * that a stream has released stays a word.
 *
 * @param most maximum length in units
 */
export function wordHead(text: string, from: number, most: number): number {
  const end = Math.min(text.length, from + most);
  let at = from;
  while (at < end && text.charCodeAt(at) === DOT) at++;
  while (at < end) {
    const next = knownUpTo(text, at);
    if (next === at) break;
    at = next;
    while (isJoint(text.charCodeAt(at))) at++;
  }
  return Math.min(at, end) - from;
}

/** The end of the text at this position that is known to be a word. */
function knownUpTo(text: string, from: number): number {
  const end = wordEnd(text, from);
  const longest = Math.min(LONGEST_BEGINNING, end - from);
  let beginning = 0;
  let known = from;
  for (let length = 1; length <= longest; length++) {
    beginning = extendBeginning(beginning, text.charCodeAt(from + length - 1));
    // A longer word is recognised by its beginning.
    if (length > 1 && isWordBeginning(beginning)) known = length === LONGEST_BEGINNING ? end : from + length;
  }
  return known;
}

/** Whether a unit is a separator between words or before the first one: `-`, `.`, `/` and `_`. */
function isJoint(unit: number): boolean {
  return (unit >= 0x2d && unit <= 0x2f) || unit === 0x5f;
}

/** The end of a word: lower case, at least two capitals, or lower case after one capital. */
function wordEnd(text: string, from: number): number {
  let at = from;
  while (isSmall(text.charCodeAt(at))) at++;
  if (at > from || !isCapital(text.charCodeAt(at))) return at;
  at++;
  if (isSmall(text.charCodeAt(at))) {
    while (isSmall(text.charCodeAt(at))) at++;
    return at;
  }
  while (isCapital(text.charCodeAt(at))) at++;
  return at - from > 1 ? at : from;
}

function isSmall(unit: number): boolean {
  return unit >= 0x61 && unit <= 0x7a;
}

function isCapital(unit: number): boolean {
  return unit >= 0x41 && unit <= 0x5a;
}
