import { begunSign } from './disguises.js';
import {
  BACKSLASH,
  isAsciiLetter,
  isMark,
  normaliseOnce,
  standsAlone,
  UNICODE_ESCAPE,
  type NormaliseOptions,
} from './normalise.js';

/** The number of units at the end whose reading may still change: look-alikes wait for the rest of their word. */
const LOOK_BACK = 16;
const HEX = /^[0-9a-fA-F]*$/;

/**
 * How much of a text that goes on is normalised the same whatever comes next. What follows can add a mark to the last
 * letter, complete a surrogate pair or an escape, or show that a look-alike stands in a Latin word.
 */
export function stableLength(text: string, options: NormaliseOptions): number {
  const stable = stableUnits(text, options);
  return options.disguises === true ? stableHidden(text.slice(0, stable), options) : stable;
}

/** The same where letters are hidden, some in hidden ones: a sign that has begun may become a letter. */
function stableHidden(text: string, options: NormaliseOptions): number {
  const stable = begunSign(text);
  const shadow = normaliseOnce(text.slice(0, stable), options);
  if (shadow === undefined) return stable;
  // What was hidden may be the beginning of a spelling, or a letter that a mark or a look-alike's word goes on with.
  const inner = begunSign(shadow.text.slice(0, stableUnits(shadow.text, options)));
  if (inner === shadow.text.length) return stable;
  return Math.min(stable, shadow.original(inner, inner + 1).start);
}

function stableUnits(text: string, { escapes = false }: NormaliseOptions): number {
  let stable = text.length;
  const lowest = Math.max(0, text.length - LOOK_BACK);
  while (stable > lowest) {
    const unit = text.charCodeAt(stable - 1);
    if (isMark(text.charCodeAt(stable))) {
      // What stands here and its mark are read as one.
      stable--;
      continue;
    }
    if (unit < 0x80) {
      // A stroke may come through it (U+0338). No look-alike before it depends on it.
      if (takesStroke(unit) && stable === text.length) stable--;
      if (!isAsciiLetter(unit) || !onlyMarksFrom(text, stable)) break;
      // Without this letter, a look-alike before it would not be known to stand in a Latin word: the loop goes on.
    }
    if (standsAlone(unit)) break;
    stable--;
  }
  // Also where the last letter was that of an escape: without it the rest would be read as it stands.
  return escapes ? unfinishedEscape(text, stable) : stable;
}

/** `<`, `=` and `>`: the characters below U+0080 beside letters that are one with a mark behind them, in NFKC. */
function takesStroke(unit: number): boolean {
  return unit >= 0x3c && unit <= 0x3e;
}

function onlyMarksFrom(text: string, from: number): boolean {
  for (let at = from; at < text.length; at++) if (!isMark(text.charCodeAt(at))) return false;
  return true;
}

/** Where an escape begins that is cut off at `end`; else `end`. */
function unfinishedEscape(text: string, end: number): number {
  const lowest = Math.max(0, end - UNICODE_ESCAPE + 1);
  for (let at = end - 1; at >= lowest; at--) {
    if (text.charCodeAt(at) !== BACKSLASH) continue;
    const rest = text.slice(at + 1, end);
    if (rest === '' || (rest.startsWith('u') && HEX.test(rest.slice(1)))) return at;
  }
  return end;
}
