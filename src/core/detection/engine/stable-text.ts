import { DIGITS, isIdeographicStop, PUNCTUATION } from './confusables.js';
import { begunSign } from './disguises.js';
import { isInvisible } from './ignorable.js';
import { BACKSLASH, normaliseOnce, UNICODE_ESCAPE, WORD_RADIUS, type NormaliseOptions } from './normalise.js';
import { isAsciiLetter, isDigitOrLine, isLookAlike, isMark, standsAlone } from './unit-kinds.js';

/** The number of units at the end whose reading may still change: look-alikes wait for the rest of their word. */
const LOOK_BACK = 16;
const HEX = /^[0-9a-fA-F]*$/;

/**
 * Length of the part of a growing text whose normalisation is final. Further text can add a mark to the last letter, complete a
 * surrogate pair or an escape, or show that a look-alike is in a Latin word.
 */
export function stableLength(text: string, options: NormaliseOptions): number {
  const stable = stableUnits(text, options);
  return options.disguises === true ? stableHidden(text.slice(0, stable), options) : stable;
}

/** Like `stableUnits`, if hidden letters are decoded, also nested ones: a sign that has begun may become a letter. */
function stableHidden(text: string, options: NormaliseOptions): number {
  let stable = begunSign(text);
  const shadow = normaliseOnce(text.slice(0, stable), options);
  if (shadow === undefined) return stable;
  // Decoded text may be the beginning of a spelling, or a letter that a later mark or a look-alike's word changes.
  let inner = begunSign(shadow.text.slice(0, stableUnits(shadow.text, options)));
  while (inner < shadow.text.length) {
    const place = Math.min(stable, shadow.original(inner, inner + 1).start);
    // Without the text from there on, an earlier look-alike or full stop may be read differently.
    stable = stableUnits(text, options, place);
    if (stable === place) break;
    while (inner > 0 && shadow.original(inner - 1, inner).start >= stable) inner--;
    inner = stableUnits(shadow.text, options, inner);
  }
  return stable;
}

/** @param end the part before this offset is checked; the text after it is known too */
function stableUnits(text: string, options: NormaliseOptions, end = text.length): number {
  let stable = end;
  const lowest = Math.max(0, end - LOOK_BACK);
  while (stable > lowest) {
    const unit = text.charCodeAt(stable - 1);
    if (isMark(text.charCodeAt(stable))) {
      // A character and its mark are read together.
      stable--;
      continue;
    }
    if (isIdeographicStop(unit)) {
      // It is a dot if a host name continues, also if the next letter itself waits for a mark.
      stable--;
      continue;
    }
    if (unit < 0x80) {
      // A combining stroke (U+0338) may follow. No earlier look-alike depends on this character.
      if (takesStroke(unit) && stable === text.length) stable--;
      if (!isAsciiLetter(unit) || !onlyMarksFrom(text, stable)) break;
      // The loop continues, because an earlier look-alike may be in a Latin word only because of this letter.
    }
    // An invisible character is a boundary if a word follows.
    if (standsAlone(unit) && !isInvisible(unit)) break;
    stable--;
  }
  if (options.disguises !== true) stable = lastOpen(text, stable);
  stable = openLookAlike(text, stable);
  // The last letter may belong to an escape, and without it the rest of the escape would be read literally.
  return options.escapes === true ? unfinishedEscape(text, stable) : stable;
}

/**
 * The start of the last character if no text after it changes how the characters from `from` up to it are read: letters of other scripts
 * that look like no Latin letter, whose marks are known. Otherwise `from`.
 */
function lastOpen(text: string, from: number): number {
  let last = text.length - 1;
  while (last > from && isMark(text.charCodeAt(last))) last--;
  if (last > from && isLowSurrogate(text.charCodeAt(last))) last--;
  for (let at = from; at < last;) {
    const point = text.codePointAt(at)!;
    if (isLookAlike(point) || isIdeographicStop(point) || isInvisible(point)) return from;
    at += point > 0xffff ? 2 : 1;
  }
  return Math.max(from, last);
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}

/**
 * Whether a text is one character that further text leaves beyond ASCII: a mark may join it, but it neither looks like a Latin letter nor
 * stands for ASCII characters, nor do readers ignore it.
 */
export function staysBeyondAscii(text: string): boolean {
  const point = text.codePointAt(0) ?? 0;
  if (point < 0x80 || text.length !== (point > 0xffff ? 2 : 1) || (point >= 0xd800 && point <= 0xdfff)) return false;
  if (isMark(point) || isLookAlike(point) || isIdeographicStop(point) || isInvisible(point)) return false;
  return !PUNCTUATION.has(point) && !DIGITS.has(point) && !/\s/.test(text) && text.normalize('NFKC') === text;
}

/**
 * Offset of the first look-alike that a Latin letter at `end` would change, with only digits, underscores and other look-alikes in
 * between; `end` if there is none.
 */
function openLookAlike(text: string, end: number): number {
  let open = end;
  for (let at = end - 1; at >= Math.max(0, end - WORD_RADIUS); at--) {
    const unit = text.charCodeAt(at);
    if (isLookAlike(unit)) open = at;
    else if (!isDigitOrLine(unit)) break;
  }
  return open;
}

/** `<`, `=` and `>`: the only ASCII characters except letters that NFKC composes with a following mark. */
function takesStroke(unit: number): boolean {
  return unit >= 0x3c && unit <= 0x3e;
}

function onlyMarksFrom(text: string, from: number): boolean {
  for (let at = from; at < text.length; at++) if (!isMark(text.charCodeAt(at))) return false;
  return true;
}

/** The start of an escape that is cut off at `end`; else `end`. */
function unfinishedEscape(text: string, end: number): number {
  const lowest = Math.max(0, end - UNICODE_ESCAPE + 1);
  for (let at = end - 1; at >= lowest; at--) {
    if (text.charCodeAt(at) !== BACKSLASH) continue;
    const rest = text.slice(at + 1, end);
    if (rest === '' || (rest.startsWith('u') && HEX.test(rest.slice(1)))) return at;
  }
  return end;
}
