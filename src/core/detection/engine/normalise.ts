import { CONFUSABLES, DIGIT_ZEROS, PUNCTUATION } from './confusables.js';
import { hides } from './disguises.js';
import { isInvisible } from './ignorable.js';
import { ShadowPlaces } from './shadow-places.js';
import { spellingAt, type Spelling } from './spellings.js';

/** A normalised copy of a text for detectors, and the mapping of positions to the original. */
export interface Shadow {
  readonly text: string;
  /** Maps a half-open, non-empty range of the shadow to the range of the original that it stands for. */
  original(start: number, end: number): { readonly start: number; readonly end: number };
}

export interface NormaliseOptions {
  /** Also drops accents (`é` becomes `e`); for phrases, not for names. */
  readonly stripAccents?: boolean;
  /**
   * Also reads `\\n`, `\\t`, `\\"`, `\\u003c` and the like as what they stand for: tool results and logs are often JSON in
   * a string, and there a letter of an escape would be the neighbour of what follows it.
   */
  readonly escapes?: boolean;
  /**
   * Also undoes what a text hides letters with: `%40`, `&#64;`, `\\x41`, controls, blanks, all marks on ASCII, letters in
   * shapes, and these within one another. For texts that `hides` says yes to.
   */
  readonly disguises?: boolean;
}

/** A letter is taken for a look-alike only if a Latin letter stands this near in the same word. */
const WORD_RADIUS = 12;
/** An invisible character is dropped only while at most half of the units before it, in this window, are invisible. */
const INVISIBLE_WINDOW = 64;
/** The same, where letters are hidden on purpose: at most fifteen of sixteen. */
const HIDING_WINDOW = 256;
const HIDDEN_SHARE = 15 / 16;
const MAX_MARKS = 4;
/**
 * Arabic formulas of 18 and 8 letters as one character: they stay what they are, as they hide nothing, and a text of them
 * would take eighteen times as long to search as another of its length. No other character stands for more than six.
 */
function isFormula(unit: number): boolean {
  return unit === 0xfdfa || unit === 0xfdfb;
}

/** Short escapes of JSON (RFC 8259, section 7) that hide a boundary. `\\\\` stays: the escape behind it is then read. */
const SHORT_ESCAPES: ReadonlyMap<string, string> = new Map([
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
  ['"', '"'],
  ['/', '/'],
]);
export const BACKSLASH = 0x5c;
export const UNICODE_ESCAPE = 6;
const HEX4 = /^[0-9a-fA-F]{4}$/;

/** Original text that one unit of a shadow can stand for, at most on average over a window: what reaches have to be multiplied by. */
export const SHADOW_STRETCH = 2;

const UNKNOWN = 0;
const STABLE = 1;
const CHANGES = 2;
/** What normalisation does to a unit on its own; filled on first sight (a cache of a pure function). */
const behaviour = new Uint8Array(0x10000);
behaviour.fill(STABLE, 0, 0x80);

/**
 * Undoes what hides text from patterns: compatibility forms (NFKC, Unicode Annex 15), zero-width and bidirectional
 * controls, tag characters (U+E0020 to U+E007E, read as the ASCII they mirror), letters of other scripts inside Latin
 * words, digits of other scripts, typographic dashes and quotes; on demand, accents and escapes.
 *
 * Each decision looks at most 64 units around, so that a piece of a text normalises as the whole does.
 *
 * @returns undefined when the text is already plain: the common case, found without copying.
 */
export function normalise(text: string, options: NormaliseOptions = {}): Shadow | undefined {
  const once = normaliseOnce(text, options);
  if (options.disguises !== true || once === undefined || !hides(once.text)) return once;
  const twice = normaliseOnce(once.text, options);
  if (twice === undefined) return once;
  return {
    text: twice.text,
    original: (start, end) => {
      const inner = twice.original(start, end);
      return once.original(inner.start, inner.end);
    },
  };
}

/** One layer of it: what is hidden in what was hidden stays. */
export function normaliseOnce(text: string, options: NormaliseOptions = {}): Shadow | undefined {
  const first = options.disguises === true ? (text === '' ? -1 : 0) : firstChange(text, options);
  if (first < 0) return undefined;
  const builder = new ShadowBuilder(text, options);
  builder.run(first);
  return builder.finish();
}

/** Most texts hold none of these; the regular expression finds that out faster than a loop does. */
const MAY_CHANGE = /[\\\u0080-\uffff]/;

/** Index of the first unit that may change, or -1. */
function firstChange(text: string, { stripAccents = false, escapes = false }: NormaliseOptions): number {
  const plain = text.search(MAY_CHANGE);
  if (plain < 0) return -1;
  for (let index = plain; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit === BACKSLASH && escapes && unescaped(text, index) !== undefined) return index;
    if (unit < 0x80) continue;
    if (stripAccents || behaviourOf(unit) === CHANGES) return Math.max(0, index - 1);
  }
  return -1;
}

/** What the escape at a backslash stands for, and its length; undefined when there is none. */
function unescaped(text: string, index: number): { readonly piece: string; readonly length: number } | undefined {
  const letter = text.charAt(index + 1);
  const short = SHORT_ESCAPES.get(letter);
  if (short !== undefined) return { piece: short, length: 2 };
  const hex = letter === 'u' ? text.slice(index + 2, index + UNICODE_ESCAPE) : '';
  return HEX4.test(hex) ? { piece: String.fromCharCode(Number.parseInt(hex, 16)), length: UNICODE_ESCAPE } : undefined;
}

function behaviourOf(unit: number): number {
  const known = behaviour[unit]!;
  if (known !== UNKNOWN) return known;
  const text = String.fromCharCode(unit);
  const changes =
    !isFormula(unit) &&
    ((unit >= 0xd800 && unit <= 0xdfff) ||
      isMark(unit) ||
      isInvisible(unit) ||
      CONFUSABLES.has(unit) ||
      PUNCTUATION.has(unit) ||
      digitOf(unit) !== undefined ||
      text.normalize('NFKC') !== text);
  behaviour[unit] = changes ? CHANGES : STABLE;
  return behaviour[unit];
}

/** Combining diacritical marks, the only ones that are composed. */
export function isMark(unit: number): boolean {
  return unit >= 0x300 && unit <= 0x36f && unit !== GRAPHEME_JOINER;
}

/** Tags that mirror a sign of ASCII. They show nothing, but a model reads them. */
function isAsciiTag(point: number): boolean {
  return point >= 0xe0020 && point <= 0xe007e;
}

/** Stands among the marks, but shows nothing. */
const GRAPHEME_JOINER = 0x34f;

function digitOf(unit: number): string | undefined {
  const zero = unit < 0x660 ? undefined : DIGIT_ZEROS.find((start) => unit >= start && unit < start + 10);
  return zero === undefined ? undefined : String(unit - zero);
}

export function isAsciiLetter(unit: number): boolean {
  return (unit >= 0x41 && unit <= 0x5a) || (unit >= 0x61 && unit <= 0x7a);
}

function isDigitOrLine(unit: number): boolean {
  return (unit >= 0x30 && unit <= 0x39) || unit === 0x5f;
}

/**
 * CJK radicals and all that follows up to the surrogates: letters that neither compose with marks nor look like Latin
 * ones. A Latin word ends at them, and what stands before them does not depend on what comes behind.
 */
export function standsAlone(unit: number): boolean {
  return unit >= 0x2e80 && unit < 0xd800;
}

const MARKS = /[\u0300-\u036f]/g;
/** Lines over, under and through a letter: no orthography writes with them. */
const DRAWN_LINES = /[\u0305\u0332-\u0338\u033f\u0347\u035e\u035f]/g;

class ShadowBuilder {
  private readonly pieces: string[] = [];
  private readonly places = new ShadowPlaces();
  /** Where invisible characters and the rest of escapes stood, and the first of them that is still in the window. */
  private readonly invisible: number[] = [];
  private invisibleFrom = 0;
  /** Up to here the shadow equals the original, unit by unit. */
  private plainUpTo = 0;

  private readonly stripAccents: boolean;
  private readonly escapes: boolean;
  private readonly disguises: boolean;
  private readonly window: number;
  private readonly mostInvisible: number;

  constructor(
    private readonly text: string,
    { stripAccents = false, escapes = false, disguises = false }: NormaliseOptions,
  ) {
    this.stripAccents = stripAccents;
    this.escapes = escapes;
    this.disguises = disguises;
    this.window = disguises ? HIDING_WINDOW : INVISIBLE_WINDOW;
    this.mostInvisible = this.window * (disguises ? HIDDEN_SHARE : 1 / 2);
  }

  run(from: number): void {
    this.plainUpTo = from;
    let run = from;
    const units = this.text.length;
    for (let index = from; index < units;) {
      // Letters, digits and signs of ASCII that nothing is put upon: nearly all of most texts.
      if (!this.disguises) while (index < units && this.isPlainAt(index)) index++;
      if (index >= units) break;
      const spelling = this.disguises ? spellingAt(this.text, index) : undefined;
      if (spelling !== undefined) {
        this.copy(run, index);
        index += this.replaceSpelling(index, spelling);
        run = index;
        continue;
      }
      const length = this.changeAt(index);
      if (length === 0) {
        index++;
        continue;
      }
      this.copy(run, index);
      index += this.replace(index, length);
      run = index;
    }
    this.copy(run, this.text.length);
  }

  finish(): Shadow {
    const { plainUpTo, places } = this;
    return {
      text: this.text.slice(0, plainUpTo) + this.pieces.join(''),
      original: (start, end) => ({
        start: start < plainUpTo ? start : places.startOf(start - plainUpTo),
        end: end <= plainUpTo ? end : places.endOf(end - 1 - plainUpTo),
      }),
    };
  }

  /** Whether a unit of ASCII stays what it is; `changeAt` says so too, after more questions. */
  private isPlainAt(index: number): boolean {
    const unit = this.text.charCodeAt(index);
    return unit < 0x80 && unit !== BACKSLASH && !isMark(this.text.charCodeAt(index + 1));
  }

  /** Length in units of what may change as one at `index`; 0 when the unit stays. */
  private changeAt(index: number): number {
    const { text } = this;
    const unit = text.charCodeAt(index);
    if (isFormula(unit)) return 0;
    let length = 1;
    if (unit >= 0xd800 && unit <= 0xdbff) {
      const low = text.charCodeAt(index + 1);
      if (low >= 0xdc00 && low <= 0xdfff) length = 2;
    }
    let marks = 0;
    if (!isMark(unit)) while (marks < MAX_MARKS && isMark(text.charCodeAt(index + length + marks))) marks++;
    if (marks > 0 || length > 1) return length + marks;
    if (unit === BACKSLASH && this.escapes) return unescaped(text, index)?.length ?? 0;
    if (unit < 0x80) return 0;
    return this.stripAccents || behaviourOf(unit) === CHANGES ? 1 : 0;
  }

  /** A spelling counts as one visible character and invisible ones, as an escape does. */
  private replaceSpelling(index: number, { piece, length }: Spelling): number {
    const shown = piece === '' ? 0 : 1;
    if (!this.mayDrop(index + shown, length - shown)) this.copy(index, index + length);
    else if (piece !== '') this.write(piece.normalize('NFKC'), index, index + length);
    return length;
  }

  /** Writes what stands for the `length` units at `index`; returns how many units were consumed. */
  private replace(index: number, length: number): number {
    if (this.text.charCodeAt(index) === BACKSLASH && length > 1) {
      const escape = this.escapes ? unescaped(this.text, index) : undefined;
      if (escape?.length === length) return this.replaceEscape(index, escape);
    }
    const original = this.text.slice(index, index + length);
    const point = original.codePointAt(0)!;
    const alone = length === (point > 0xffff ? 2 : 1);
    const shows = isAsciiTag(point) || !(isInvisible(point) || (this.disguises && isMark(point)));
    const dropped = alone && !shows && this.mayDrop(index, length);
    if (dropped) return length;
    const replacement = this.replacement(point, original, index);
    if (replacement === original) this.copy(index, index + length);
    else this.write(replacement, index, index + length);
    return length;
  }

  /** An escape counts as one visible character and invisible ones, so that a shadow never shrinks too much. */
  private replaceEscape(index: number, { piece, length }: { readonly piece: string; readonly length: number }): number {
    if (!this.mayDrop(index + 1, length - 1)) {
      this.copy(index, index + length);
      return length;
    }
    this.write(piece, index, index + length);
    return length;
  }

  private replacement(point: number, original: string, index: number): string {
    if (isAsciiTag(point)) return String.fromCharCode(point - 0xe0000) + original.slice(2);
    if (point < 0x10000 && original.length === 1) {
      const known = PUNCTUATION.get(point) ?? digitOf(point);
      if (known !== undefined) return known;
      const latin = CONFUSABLES.get(point);
      if (latin !== undefined) return this.inLatinWord(index) ? latin : original;
    }
    return this.stripAccents
      ? original
          .normalize('NFKD')
          .replace(/[\u0300-\u036f]/g, '')
          .normalize('NFC')
      : this.composed(original, index);
  }

  /** A letter with its marks. Those that do not become one with it, and lines through it, are no part of a word. */
  private composed(original: string, index: number): string {
    const composed = original.normalize('NFKC');
    if (original.length < 2 || !isMark(original.charCodeAt(original.length - 1))) return composed;
    const base = original.charCodeAt(0);
    const hidden = this.disguises && base > 0x20 && base < 0x80;
    const cleared = hidden ? original.charAt(0) : original.replace(DRAWN_LINES, '').normalize('NFKC');
    const plain = base > 0x20 && base < 0x80 ? cleared.replace(MARKS, '') : cleared;
    return plain === composed || !this.mayDrop(index + 1, original.length - 1) ? composed : plain;
  }

  private mayDrop(index: number, length: number): boolean {
    while (this.invisibleFrom < this.invisible.length && this.invisible[this.invisibleFrom]! < index - this.window) {
      this.invisibleFrom++;
    }
    const before = this.invisible.length - this.invisibleFrom;
    for (let unit = 0; unit < length; unit++) this.invisible.push(index + unit);
    return before <= this.mostInvisible;
  }

  private inLatinWord(index: number): boolean {
    return this.isBesideLatin(index) || this.goesOnLatin(index);
  }

  /** Behind a Latin letter, with nothing but digits, low lines and look-alikes between, as in a credential. */
  private goesOnLatin(index: number): boolean {
    for (let at = index - 1; index - at <= WORD_RADIUS; at--) {
      const unit = this.text.charCodeAt(at);
      if (isAsciiLetter(unit)) return true;
      if (!isDigitOrLine(unit) && !CONFUSABLES.has(unit)) return false;
    }
    return false;
  }

  private isBesideLatin(index: number): boolean {
    for (const step of [-1, 1]) {
      for (let at = index + step; Math.abs(at - index) <= WORD_RADIUS; at += step) {
        const unit = this.text.charCodeAt(at);
        if (isAsciiLetter(unit)) return true;
        if (!(unit >= 0x80) || standsAlone(unit)) break;
      }
    }
    return false;
  }

  private copy(from: number, to: number): void {
    if (from >= to) return;
    const before = this.places.copied(from, to);
    if (before === undefined) this.pieces.push(this.text.slice(from, to));
    else this.pieces[this.pieces.length - 1] = this.text.slice(before, to);
  }

  private write(piece: string, start: number, end: number): void {
    this.pieces.push(piece);
    this.places.written(piece.length, start, end);
  }
}
