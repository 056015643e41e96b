import type { Steps } from '../steps/steps.js';
import { hides } from './engine/disguises.js';
import { isInvisible } from './engine/ignorable.js';
import type { SharedReading } from './engine/shared-reading.js';
import { ADDRESS_BACKWARDS, LEAST_OF_VALUE, mayBeBackwards } from './read-backwards.js';

/**
 * Signs of hidden values in a text, determined in one pass over its units: each expression that searches for hidden values takes several
 * times as long, and most texts contain no hidden value. A text may have a sign without a hidden value, but no hidden value without its
 * sign.
 */
export interface TextSigns {
  /** Separated letters: no two adjacent letters or digits over some length. */
  letters: boolean;
  /** Groups of four base64 characters separated by single spaces. */
  groups: boolean;
  /** An offset, spaces and hexadecimal digits, like the start of a line of a dump. */
  dump: boolean;
  /** The first line of a uuencoded file. */
  uuencoded: boolean;
  /** Variation selectors. */
  selectors: boolean;
  /** The control character that displays the following text from right to left. */
  reversed: boolean;
  /** A long row of digits. */
  digits: boolean;
  /** Patterns of Braille. */
  braille: boolean;
  /** An ASCII character in UTF-7. */
  shifted: boolean;
  /** A long word of letters and digits, or a reversed address. */
  backwards: boolean;
  /** Invisible characters. */
  hidden: boolean;
  /** An encoded word of a mail header. */
  encodedWords: boolean;
  /** Disguised characters that may belong to a run of base64 or hexadecimal digits. */
  spelt: boolean;
}

/** Minimum length of separated letters. It is less than the length of twelve letters with their separators. */
const LEAST_APART = 20;
const LEAST_GROUPS = 3;
const GROUP_UNITS = 4;

/** Letters and digits. */
const WORD = 1;
/** The other characters of base64. */
const BASE64 = 2;
/** `@`, which counts as a letter of an address. */
const AT = 3;
const BLANK = 4;

const KINDS = Uint8Array.from({ length: 0x80 }, (_, unit) => {
  const sign = String.fromCharCode(unit);
  if (/[A-Za-z0-9]/.test(sign)) return WORD;
  if (/[+/]/.test(sign)) return BASE64;
  if (sign === '@') return AT;
  return /[ \t]/.test(sign) ? BLANK : 0;
});

/** Matches at the last space before the digits of a dump. */
const DUMP = /[ \t](?<=[0-9a-fA-F]{4}:?[ \t]{1,4})(?:[0-9a-fA-F]{2}){1,8}(?![^ \t\r\n])/y;

/** In UTF-7 (RFC 2152), an ASCII character begins with eight zero bits; if another ASCII character follows, its zero bits come next. */
const SHIFTED = /\+A[A-H][AEIMQUYcgkosw048](?:A|(?![A-Za-z0-9+/]))/y;
/** Matches the `@` of a reversed address: the text before it begins with a reversed domain. */
const END_OF_ADDRESS = new RegExp(String.raw`@(?<=(?<![\w.-])${ADDRESS_BACKWARDS})`, 'y');

/** Minimum length of a row of digits that may be character codes. */
const LEAST_DIGITS = 30;
const DIGIT_ROW = new RegExp(`[0-9]{${LEAST_DIGITS}}`);
/** Number of units of a word that are read again if the pass stopped inside it. */
const AGAIN = 256;
const PLUS = 0x2b;

/** The end of an encoded word. */
const ENCODED_WORD = /\?[bq]\?[^?\s]{1,400}\?=/i;

/** An escaped slash of base64. */
const ESCAPED_SLASH = /[A-Za-z0-9+/]\\\//;
/** Full-width letters, digits and signs. */
const FULL_WIDTH = /[\uff0b\uff0f-\uff19\uff21-\uff3a\uff41-\uff5a]/;
/** Upper bound for the length of a disguised character. */
const LONGEST_SPELT = 128;

const UUENCODED = /begin [0-7]{3,4} /y;
const LETTER_B = 0x62;

const UNITS_BETWEEN_STOPS = 16_384;

/**
 * @param shared the shared reading of the text, if detectors read it as well: the parts with hidden letters are searched once for all
 * @returns the signs of a text, in steps
 */
export function* signsOf(text: string, shared?: SharedReading): Steps<TextSigns> {
  const pass = new SignPass(text);
  const isShort = text.length <= UNITS_BETWEEN_STOPS;
  for (let at = 0; at < text.length; at += UNITS_BETWEEN_STOPS) {
    if (at > 0) yield;
    pass.read(at, Math.min(text.length, at + UNITS_BETWEEN_STOPS));
    pass.signs.spelt ||=
      isShort && shared !== undefined
        ? hasVariants(text) || shared.islands.length > 0
        : isSpelt(text.slice(at, at + UNITS_BETWEEN_STOPS + LONGEST_SPELT));
  }
  pass.signs.encodedWords = text.includes('?=') && ENCODED_WORD.test(text);
  return pass.signs;
}

/** Whether a text contains disguised characters that may belong to a run of base64 or hexadecimal digits. */
export function isSpelt(text: string): boolean {
  return hasVariants(text) || hides(text);
}

/** Whether a text contains disguised characters that are no hidden letters. */
function hasVariants(text: string): boolean {
  return (text.includes('\\/') && ESCAPED_SLASH.test(text)) || FULL_WIDTH.test(text);
}

class SignPass {
  readonly signs: TextSigns = {
    letters: false,
    groups: false,
    dump: false,
    uuencoded: false,
    selectors: false,
    reversed: false,
    digits: false,
    braille: false,
    shifted: false,
    backwards: false,
    hidden: false,
    encodedWords: false,
    spelt: false,
  };

  /** Offset of the last two adjacent letters or digits. */
  private pair = -1;
  private wasWord = false;
  private run = 0;
  private groups = 0;
  /** Offset of the start of the last word. */
  private word = 0;

  constructor(private readonly text: string) {}

  read(from: number, to: number): void {
    const { text, signs } = this;
    let { pair, wasWord, run, groups, word } = this;
    for (let at = from; at < to; at++) {
      const unit = text.charCodeAt(at);
      const kind = unit < 0x80 ? KINDS[unit] : this.beyond(unit);
      if (kind === WORD) {
        if (unit === LETTER_B && isAt(UUENCODED, text, at)) signs.uuencoded = true;
        const end = wordEnd(text, at, to);
        if (!wasWord) word = at;
        if (end - word >= LEAST_OF_VALUE) this.longWord(Math.max(word, at - AGAIN), end);
        if (wasWord || end > at + 1) pair = end - 1;
        wasWord = true;
        run += end - at;
        at = end - 1;
        continue;
      }
      if (kind !== AT && at - pair >= LEAST_APART) signs.letters = true;
      if (kind === AT && wasWord) {
        pair = at;
        if (!signs.backwards) signs.backwards = isAt(END_OF_ADDRESS, text, at);
      }
      wasWord = kind === AT;
      if (kind === AT) word = at;
      if (kind === BASE64) {
        if (unit === PLUS && !signs.shifted) signs.shifted = isAt(SHIFTED, text, at);
        run++;
        continue;
      }
      groups = run === GROUP_UNITS && unit === 0x20 ? groups + 1 : 0;
      run = 0;
      if (groups >= LEAST_GROUPS) signs.groups = true;
      if (kind === BLANK && !signs.dump) signs.dump = this.mayBeDump(at);
    }
    Object.assign(this, { pair, wasWord, run, groups, word });
  }

  private beyond(unit: number): number {
    if ((unit >= 0xfe00 && unit <= 0xfe0f) || unit === 0xdb40) this.signs.selectors = true;
    else if (unit === 0x202e) this.signs.reversed = true;
    else if (unit >= 0x2801 && unit <= 0x28ff) this.signs.braille = true;
    this.signs.hidden ||= isInvisible(unit) || unit === 0xdb40;
    return 0;
  }

  private longWord(from: number, to: number): void {
    const { signs } = this;
    if (signs.digits && signs.backwards) return;
    const word = this.text.slice(from, to);
    signs.digits ||= DIGIT_ROW.test(word);
    signs.backwards ||= mayBeBackwards(word);
  }

  private mayBeDump(blank: number): boolean {
    const { text } = this;
    return isHex(text.charCodeAt(blank + 1)) && isHex(text.charCodeAt(blank + 2)) && isAt(DUMP, text, blank);
  }
}

function isAt(sticky: RegExp, text: string, at: number): boolean {
  sticky.lastIndex = at;
  return sticky.test(text);
}

function wordEnd(text: string, begin: number, most: number): number {
  let end = begin + 1;
  while (end < most && KINDS[text.charCodeAt(end)] === WORD) end++;
  return end;
}

function isHex(unit: number): boolean {
  return (unit >= 0x30 && unit <= 0x39) || ((unit | 0x20) >= 0x61 && (unit | 0x20) <= 0x66);
}
