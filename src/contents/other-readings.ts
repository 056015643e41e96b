import { findingShiftEnd, isStop, joining, readingShift, replacing, type Steps } from '../core/index.js';

/**
 * The words that receivers read in a text if they decode escapes which Weir does not: JSON's `\u0041` outside of JSON, and UTF-7 (RFC
 * 2152). Returns only the affected words, because all others can be masked in the text itself. In steps: words are read separately, so a
 * long text is divided between words.
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
const SHIFT = /\+[A-Za-z0-9/]{2}/;
/** The number of UTF-16 units that take less than a few milliseconds. */
const UNITS_AT_ONCE = 65_536;
const SPACE = /\s/g;

/** The position of the first white space from `from` on, or the end of the text. */
function endOfWords(text: string, from: number): number {
  if (from >= text.length) return text.length;
  SPACE.lastIndex = from;
  return SPACE.exec(text)?.index ?? text.length;
}

function changed(word: string, read: string): string[] {
  return read === word ? [] : [read];
}

function unescaping(word: string): Steps<string> {
  return replacing(word, /\\u([0-9a-f]{4})/gi, ([, code = '']) => String.fromCharCode(Number.parseInt(code, 16)));
}

/** A word with its UTF-7 shifts decoded. A word and a shift in it may have any length. */
function* unshifting(word: string): Steps<string> {
  const parts: string[] = [];
  let from = 0;
  let end = 0;
  let index = 0;
  for (let plus = word.indexOf('+'); plus >= 0; plus = word.indexOf('+', end)) {
    const start = plus + 1;
    end = yield* findingShiftEnd(word, start);
    const ascii = end - start < SHORTEST_SHIFT ? undefined : yield* readingShift(word, start, end);
    if (ascii !== undefined) {
      parts.push(word.slice(from, plus), ascii);
      from = word.charAt(end) === '-' ? end + 1 : end;
    }
    if (isStop(index++)) yield;
  }
  if (parts.length === 0) return word;
  parts.push(word.slice(from));
  return yield* joining(parts);
}

/** The minimum number of characters that encode a character. */
const SHORTEST_SHIFT = 2;
