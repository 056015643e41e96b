import type { Steps } from '../../core/index.js';

/** Longer words are counted by their bytes: pairs of bytes are merged in quadratic time. */
const LONGEST_WORD = 128;
/** About this much of a long text is counted in one step: two milliseconds for made-up words, which take the longest. */
const SECTION = 1_024;
/** A word of prose, or the name of a member: without digits, so that few credentials have this form. */
const ORDINARY = /^ ?[A-Za-z][A-Za-z_'-]*[.,:;!?]{0,2}$/;
const LONGEST_ORDINARY = 24;
/** The maximum number of remembered words: callers choose them, so it must stay small. */
const MOST_WORDS = 20_000;
const SPACE = 0x20;
const FIRST_NOT_ASCII = 0x80;
const LAST_BLANK = 0x3000;
const BYTE_ORDER_MARK = 0xfeff;
/** The characters beyond ASCII that match `\s`. */
const FURTHER_BLANKS: ReadonlySet<number> = new Set([
  ...[0xa0, 0x1680, 0x2000, 0x2001, 0x2002, 0x2003, 0x2004, 0x2005, 0x2006, 0x2007, 0x2008, 0x2009, 0x200a],
  ...[0x2028, 0x2029, 0x202f, 0x205f, LAST_BLANK, BYTE_ORDER_MARK],
]);

/** Every token has at least one byte of UTF-8. */
export function byteCount(text: string): number {
  return Buffer.byteLength(text, 'utf8');
}

/**
 * Counts the tokens of texts word by word. Most words of a text are ordinary and occur in other texts as well: dividing them into tokens is
 * what takes time, so their counts are remembered. A word between two spaces is always divided separately, so the sum is exact.
 */
export class WordCounts {
  private readonly known = new Map<string, number>();

  /** @param count the vocabulary's own count */
  constructor(private readonly count: (text: string) => number) {}

  /** Counts a text in steps. */
  *counting(text: string): Steps<number> {
    let tokens = 0;
    for (let begin = 0; begin < text.length;) {
      const end = sectionEnd(text, begin);
      tokens += this.of(text.slice(begin, end));
      begin = end;
      yield;
    }
    return tokens;
  }

  /** Counts a short text. */
  of(text: string): number {
    let tokens = 0;
    // The other words: without the ordinary ones between them, each part still begins with a space behind a word.
    let others = '';
    let begin = 0;
    for (let at = 0; at < text.length;) {
      const end = wordEnd(text, at);
      const isLong = end - at > LONGEST_WORD;
      const own = isLong ? byteCount(text.slice(at, end)) : this.ofWord(text, at, end);
      if (own !== undefined) {
        others += text.slice(begin, at);
        tokens += own;
        begin = end;
      }
      if (isLong) {
        tokens += this.ofOthers(others);
        others = '';
      }
      at = end;
    }
    return tokens + this.ofOthers(others + text.slice(begin));
  }

  /** The tokens of an ordinary word; undefined for any other. */
  private ofWord(text: string, at: number, end: number): number | undefined {
    if (end - at > LONGEST_ORDINARY || !isBetweenSpaces(text, at, end)) return undefined;
    const word = text.slice(at, end);
    const known = this.known.get(word);
    if (known !== undefined) return known;
    if (!ORDINARY.test(word)) return undefined;
    const tokens = this.count(word);
    if (this.known.size >= MOST_WORDS) this.known.clear();
    this.known.set(ownCopy(word), tokens);
    return tokens;
  }

  private ofOthers(words: string): number {
    return words === '' ? 0 : this.count(ownCopy(words));
  }
}

/** A copy: a part of a text that is remembered, here or by the library, would keep the whole text in memory. */
function ownCopy(part: string): string {
  const middle = part.length >> 1;
  return [part.slice(0, middle), part.slice(middle)].join('');
}

/** Whether no other token can contain a part of the word. A space begins a new token in every vocabulary, unless it follows a blank. */
function isBetweenSpaces(text: string, at: number, end: number): boolean {
  return (at === 0 || text.charCodeAt(at) === SPACE) && (end === text.length || text.charCodeAt(end) === SPACE);
}

/**
 * The end of a section: at a space behind a word, where a new token begins. Where there is none nearby, at another blank, and the sum may be too
 * high by one.
 */
function sectionEnd(text: string, begin: number): number {
  for (let at = begin + SECTION; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    const isBehindWord = isBlank(unit) && !isBlank(text.charCodeAt(at - 1));
    if (isBehindWord && (unit === SPACE || at > begin + 2 * SECTION)) return at;
  }
  return text.length;
}

/** The end of the match of `/\s?\S+|\s+/` at an offset: a word with the blank before it, or several blanks. */
function wordEnd(text: string, from: number): number {
  const begin = isBlank(text.charCodeAt(from)) ? from + 1 : from;
  const hasWord = begin < text.length && !isBlank(text.charCodeAt(begin));
  let at = begin;
  while (at < text.length && isBlank(text.charCodeAt(at)) !== hasWord) at++;
  return at;
}

function isBlank(unit: number): boolean {
  if (unit < FIRST_NOT_ASCII) return unit === SPACE || (unit >= 0x09 && unit <= 0x0d);
  return (unit <= LAST_BLANK || unit === BYTE_ORDER_MARK) && FURTHER_BLANKS.has(unit);
}
