import { CONFUSABLES, DIGITS, LATIN_LOOK_ALIKES, PUNCTUATION } from './confusables.js';
import { isInvisible } from './ignorable.js';
import { ShadowPlaces } from './shadow-places.js';
import { spellingAt, type Spelling } from './spellings.js';
import {
  isAsciiLetter,
  isAsciiTag,
  isDigitOrLine,
  isFormula,
  isHostDot,
  isLookAlike,
  isMark,
  isWordUnit,
  standsAlone,
} from './unit-kinds.js';

/** A normalised copy of a text for detectors, and the mapping of positions to the original. */
export interface Shadow {
  readonly text: string;
  /** Maps a half-open, non-empty range of the shadow to the corresponding range of the original. */
  original(start: number, end: number): { readonly start: number; readonly end: number };
}

export interface NormaliseOptions {
  /** Also drops accents (`é` becomes `e`); for phrases, not for names. */
  readonly stripAccents?: boolean;
  /**
   * Also reads `\\n`, `\\t`, `\\"`, `\\u003c` and similar escapes as their characters: tool results and logs are often JSON in a
   * string, where the letter of an escape would otherwise be adjacent to the following word.
   */
  readonly escapes?: boolean;
  /**
   * Also decodes hidden letters, including nested ones: `%40`, `&#64;`, `\\x41`, controls, blanks, all marks on ASCII, enclosed letters.
   * Only for texts for which `hides` returns true.
   */
  readonly disguises?: boolean;
  /**
   * Reads an invisible character before an ASCII letter, digit or underscore as a boundary (NUL). Otherwise it is dropped, and the words on
   * its two sides become one. For texts that are also read with `disguises`, which drops all invisible characters.
   */
  readonly parting?: boolean;
}

/** A letter counts as a look-alike only if a Latin letter is within this distance in the same word. */
export const WORD_RADIUS = 12;
/**
 * An invisible character is dropped only if at most half of the units in this window before it are invisible, so that the reach of a
 * pattern stays finite. Parts with hidden letters are read as a whole, so there all invisible characters are dropped.
 */
const INVISIBLE_WINDOW = 64;
const MOST_INVISIBLE = INVISIBLE_WINDOW / 2;
const MAX_MARKS = 4;
/** The replacement of an invisible character between two words. */
const BOUNDARY = '\u0000';

/** Short escapes of JSON (RFC 8259, section 7) that hide a boundary. `\\\\` stays, so that the escape after it is read. */
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

/** Maximum number of original units per unit of a shadow, on average over a window; reaches are multiplied by it. */
export const SHADOW_STRETCH = 2;

const UNKNOWN = 0;
const STABLE = 1;
const CHANGES = 2;
/** Whether normalisation changes a single unit; filled on demand (a cache of a pure function). */
const behaviour = new Uint8Array(0x10000);
behaviour.fill(STABLE, 0, 0x80);

/**
 * Undoes disguises that hide text from patterns: compatibility forms (NFKC, Unicode Annex 15), zero-width and bidirectional controls,
 * tag characters (U+E0020 to U+E007E, read as the ASCII they mirror), letters of other scripts inside Latin words, digits of other
 * scripts, typographic dashes and quotes; optionally, accents and escapes.
 *
 * Unless hidden letters are decoded, each decision depends on at most 64 units around it, so that a piece of a text normalises like the
 * whole.
 *
 * @returns undefined if the text is already plain, the common case, which needs no copy.
 */
export function normalise(text: string, options: NormaliseOptions = {}): Shadow | undefined {
  const once = normaliseOnce(text, options);
  if (options.disguises !== true || once === undefined) return once;
  // Decoded characters may be escapes, look-alikes or digits of other scripts. A check whether there are any in the text would make the
  // result at one place depend on distant text.
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

/** Normalises one layer; letters hidden in hidden text stay. */
export function normaliseOnce(text: string, options: NormaliseOptions = {}): Shadow | undefined {
  const first = options.disguises === true ? (text === '' ? -1 : 0) : firstChange(text, options);
  if (first < 0) return undefined;
  const builder = new ShadowBuilder(text, options);
  builder.run(first);
  return builder.finish();
}

/** Most texts contain none of these; the regular expression detects that faster than a loop. */
const MAY_CHANGE = /[\\\u0080-\uffff]/;

/** Index of the first unit that may change, or -1. */
function firstChange(text: string, { stripAccents = false, escapes = false }: NormaliseOptions): number {
  const plain = text.search(MAY_CHANGE);
  if (plain < 0) return -1;
  for (let index = plain; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit === BACKSLASH && escapes && unescaped(text, index) !== undefined) return index;
    if (unit < 0x80) continue;
    if (stripAccents || behaviourOf(unit) === CHANGES || isHostDot(text, index)) return Math.max(0, index - 1);
  }
  return -1;
}

/** The character of the escape at a backslash, and its length; undefined if there is none. */
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
      DIGITS.has(unit) ||
      text.normalize('NFKC') !== text);
  behaviour[unit] = changes ? CHANGES : STABLE;
  return behaviour[unit];
}

const MARKS = /[\u0300-\u036f]/g;
/** Lines over, under and through a letter, which no orthography uses. */
const DRAWN_LINES = /[\u0305\u0332-\u0338\u033f\u0347\u035e\u035f]/g;

class ShadowBuilder {
  private readonly pieces: string[] = [];
  private readonly places = new ShadowPlaces();
  /** Offsets of invisible characters and of the rest of escapes; `invisibleFrom` is the index of the first in the window. */
  private readonly invisible: number[] = [];
  private invisibleFrom = 0;
  /** Offset up to which the shadow equals the original. */
  private plainUpTo = 0;

  private readonly stripAccents: boolean;
  private readonly escapes: boolean;
  private readonly disguises: boolean;
  private readonly parting: boolean;

  constructor(
    private readonly text: string,
    { stripAccents = false, escapes = false, disguises = false, parting = false }: NormaliseOptions,
  ) {
    this.stripAccents = stripAccents;
    this.escapes = escapes;
    this.disguises = disguises;
    this.parting = parting;
  }

  run(from: number): void {
    this.plainUpTo = from;
    let run = from;
    const units = this.text.length;
    for (let index = from; index < units;) {
      // ASCII characters without marks, which are nearly all characters of most texts.
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

  /** Whether an ASCII unit stays unchanged; a faster check with the same result as `changeAt`. */
  private isPlainAt(index: number): boolean {
    const unit = this.text.charCodeAt(index);
    return unit < 0x80 && unit !== BACKSLASH && !isMark(this.text.charCodeAt(index + 1));
  }

  /** Number of units at `index` that may change together; 0 if the unit stays. */
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
    return this.stripAccents || behaviourOf(unit) === CHANGES || isHostDot(text, index) ? 1 : 0;
  }

  private replaceSpelling(index: number, { piece, length }: Spelling): number {
    if (piece !== '') this.write(piece.normalize('NFKC'), index, index + length);
    return length;
  }

  /** Writes the replacement of the `length` units at `index`; returns the number of consumed units. */
  private replace(index: number, length: number): number {
    if (this.text.charCodeAt(index) === BACKSLASH && length > 1) {
      const escape = this.escapes ? unescaped(this.text, index) : undefined;
      if (escape?.length === length) return this.replaceEscape(index, escape);
    }
    const original = this.text.slice(index, index + length);
    const point = original.codePointAt(0)!;
    const alone = length === (point > 0xffff ? 2 : 1);
    const shows = isAsciiTag(point) || !(isInvisible(point) || (this.disguises && isMark(point)));
    if (alone && !shows) {
      if (this.parting && !isMark(point) && isWordUnit(this.text.charCodeAt(index + length))) {
        this.write(BOUNDARY, index, index + length);
        return length;
      }
      if (this.mayDrop(index, length)) return length;
    }
    const replacement = this.replacement(point, original, index);
    if (replacement === original) this.copy(index, index + length);
    else this.write(replacement, index, index + length);
    return length;
  }

  /** Replaces an escape. It counts as one visible character followed by invisible ones, so that a shadow never shrinks too much. */
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
    if (original.length === (point > 0xffff ? 2 : 1)) {
      const known = PUNCTUATION.get(point) ?? DIGITS.get(point);
      if (known !== undefined) return known;
      const latin = CONFUSABLES.get(point);
      if (latin !== undefined) return LATIN_LOOK_ALIKES.has(point) || this.inLatinWord(index) ? latin : original;
      if (isHostDot(this.text, index)) return '.';
    }
    return this.stripAccents
      ? original
          .normalize('NFKD')
          .replace(/[\u0300-\u036f]/g, '')
          .normalize('NFC')
      : this.composed(original, index);
  }

  /** Composes a letter with its marks. Marks that cannot be composed, and lines through the letter, are dropped. */
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
    if (this.disguises) return true;
    const { invisible } = this;
    while (this.invisibleFrom < invisible.length && invisible[this.invisibleFrom]! < index - INVISIBLE_WINDOW) {
      this.invisibleFrom++;
    }
    const before = invisible.length - this.invisibleFrom;
    for (let unit = 0; unit < length; unit++) invisible.push(index + unit);
    return before <= MOST_INVISIBLE;
  }

  private inLatinWord(index: number): boolean {
    return this.isBesideLatin(index) || this.goesOnLatin(index);
  }

  /** Whether a Latin letter precedes or follows, with only digits, underscores and look-alikes in between, as in a credential. */
  private goesOnLatin(index: number): boolean {
    for (const step of [-1, 1]) {
      for (let at = index + step; Math.abs(at - index) <= WORD_RADIUS; at += step) {
        const unit = this.text.charCodeAt(at);
        if (isAsciiLetter(unit)) return true;
        if (!isDigitOrLine(unit) && !isLookAlike(unit)) break;
      }
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
