import { isStop, type Steps } from '../steps/steps.js';
import { replacing } from './replacing.js';
import { runsOf } from './runs.js';

/** A character of two bytes, or of four in GB18030, whose later bytes may be ASCII letters and digits. */
const WIDE_CHARACTER = /[\x81-\xfe](?:[0-9][\x81-\xfe][0-9]|[\x40-\x7e\x80-\xfe])/g;

/** The same characters if the first of several such bytes is a character by itself, as kana in Shift_JIS are, or is skipped. */
const LATER_CHARACTER = new RegExp(`(?<![\\x80-\\xfe])[\\x80-\\xfe](?=[\\x81-\\xfe])|${WIDE_CHARACTER.source}`, 'g');

/** Shorter rows of printable characters are ignored. */
const SOMETHING = /[!-~]{6}/;

/** ASCII white space only: the byte of the no-break space in Latin-1 may be half of a character. */
const BLANK = /[\t-\r ]/g;
const NO_BLANK = /[^\t-\r ]/g;

/**
 * The words that receivers read if they decode bytes as Shift_JIS, GBK, GB18030, Big5 or EUC: in these encodings, a letter may be the
 * second byte of a character, so that a word may begin inside an ASCII word. Returns only the affected words. In steps.
 *
 * @param bytes one character per byte
 */
export function* readingTwoBytes(bytes: string): Steps<string[]> {
  const found: string[] = [];
  let index = 0;
  for (const { start, end } of runsOf(bytes, NO_BLANK, BLANK)) {
    const word = bytes.slice(start, end);
    const read = yield* replacing(word, WIDE_CHARACTER, () => ' ');
    if (read !== word) {
      const later = yield* replacing(word, LATER_CHARACTER, () => ' ');
      for (const one of new Set([read, later])) if (SOMETHING.test(one)) found.push(one);
    }
    if (isStop(index++)) yield;
  }
  return found;
}
