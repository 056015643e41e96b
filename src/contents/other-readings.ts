import { asciiOfShift, isStop, replacing, SHIFTS, type Steps } from '../core/index.js';

/**
 * The words that receivers read in a text if they decode escapes which Weir does not: JSON's `\u0041` outside of JSON, and UTF-7 (RFC
 * 2152). Only the affected words: all others can be masked in the text itself. In steps: words are read separately, so a long text is
 * divided between words.
 */
export function* readingOtherwise(text: string): Steps<string[]> {
  const escapes: string[] = [];
  const shifts: string[] = [];
  for (let from = 0; from < text.length;) {
    const to = endOfWords(text, from + UNITS_AT_ONCE);
    const part = text.slice(from, to);
    const hasEscapes = ESCAPE.test(part);
    const hasShifts = SHIFT.test(part);
    for (const word of hasEscapes || hasShifts ? part.split(/\s+/) : []) {
      if (hasEscapes) escapes.push(...changed(word, yield* unescaping(word)));
      if (hasShifts) shifts.push(...changed(word, yield* unshifting(word)));
    }
    from = to;
    if (from < text.length) yield;
  }
  return escapes.length === 0 ? shifts : [...escapes, ...shifts];
}

const ESCAPE = /\\u[0-9a-f]{4}/i;
const SHIFT = /\+[A-Za-z0-9/]{2,}/;
/** The number of UTF-16 units that take less than a few milliseconds. */
const UNITS_AT_ONCE = 65_536;
const SPACE = /\s/g;

/** The position of the first white space from `from` on, or the end of the text. */
function endOfWords(text: string, from: number): number {
  if (from >= text.length) return text.length;
  SPACE.lastIndex = from;
  return SPACE.exec(text)?.index ?? text.length;
}

/** A character of two bytes, or of four in GB18030, whose later bytes may be ASCII letters and digits. */
const WIDE_CHARACTER = /[\x81-\xfe](?:[0-9][\x81-\xfe][0-9]|[\x40-\x7e\x80-\xfe])/g;

/** Shorter rows of printable characters are ignored. */
const SOMETHING = /[!-~]{6}/;

/**
 * The words that receivers read if they decode bytes as Shift_JIS, GBK, GB18030, Big5 or EUC: in these encodings, a letter may be the
 * second byte of a character, so that a word may begin inside what looks like one ASCII word. Only the affected words. In steps.
 */
export function* readingTwoBytes(bytes: Buffer): Steps<string[]> {
  const found: string[] = [];
  for (const [index, word] of wordsIn(bytes.toString('latin1'))) {
    const read = yield* replacing(word, WIDE_CHARACTER, () => ' ');
    if (read !== word && SOMETHING.test(read)) found.push(read);
    if (isStop(index)) yield;
  }
  return found;
}

/** The words between white space, one by one, because there may be millions. */
function* wordsIn(text: string): Generator<readonly [number, string], void, void> {
  let index = 0;
  for (const [word] of text.matchAll(/\S+/g)) yield [index++, word];
}

function changed(word: string, read: string): string[] {
  return read === word ? [] : [read];
}

function unescaping(word: string): Steps<string> {
  return replacing(word, /\\u([0-9a-f]{4})/gi, ([, code = '']) => String.fromCharCode(Number.parseInt(code, 16)));
}

function unshifting(word: string): Steps<string> {
  return replacing(word, SHIFTS, ([whole, signs = '']) => asciiOfShift(signs) ?? whole);
}
