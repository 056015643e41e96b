import { CONFUSABLES, isIdeographicStop } from './confusables.js';

/** Kinds of UTF-16 units and code points that normalisation distinguishes. */

/**
 * Arabic formulas of 18 and 8 letters in one character. They are not expanded: they hide nothing, and a text of them would take up to
 * eighteen times as long to search. No other character expands to more than six.
 */
export function isFormula(unit: number): boolean {
  return unit === 0xfdfa || unit === 0xfdfb;
}

/** Whether a unit is a combining diacritical mark; only these are composed. */
export function isMark(unit: number): boolean {
  return unit >= 0x300 && unit <= 0x36f && unit !== GRAPHEME_JOINER;
}

/** Whether a code point is a tag that mirrors an ASCII character. Tags are invisible, but a model reads them. */
export function isAsciiTag(point: number): boolean {
  return point >= 0xe0020 && point <= 0xe007e;
}

/** In the range of the marks, but invisible. */
const GRAPHEME_JOINER = 0x34f;

export function isAsciiLetter(unit: number): boolean {
  return (unit >= 0x41 && unit <= 0x5a) || (unit >= 0x61 && unit <= 0x7a);
}

export function isDigitOrLine(unit: number): boolean {
  return (unit >= 0x30 && unit <= 0x39) || unit === 0x5f;
}

export function isWordUnit(unit: number): boolean {
  return isAsciiLetter(unit) || isDigitOrLine(unit);
}

/** Whether an ideographic full stop is between ASCII letters or digits, as in `example。com`; after a sentence it is not a dot. */
export function isHostDot(text: string, index: number): boolean {
  return (
    isIdeographicStop(text.charCodeAt(index)) &&
    isWordUnit(text.charCodeAt(index - 1)) &&
    isWordUnit(text.charCodeAt(index + 1))
  );
}

export function isLookAlike(unit: number): boolean {
  return CONFUSABLES.has(unit);
}

/**
 * Whether a unit is between the CJK radicals and the surrogates: letters that neither compose with marks nor look like Latin ones. A
 * Latin word ends at them, so the text before them does not depend on the text after them.
 */
export function standsAlone(unit: number): boolean {
  return unit >= 0x2e80 && unit < 0xd800;
}
