import type { Steps } from '../steps/steps.js';
import { SIGNATURES } from './numbers-in-text.js';

/** Finds files in `data:` URLs that are not in base64 but in escapes, such as `data:application/pdf,%25PDF-1.7%0A…`. */

/** Signs that encoders of URLs do not escape, or that some forget to escape. */
const SIGN = /[!%(-]/;

/** The forms of a byte in a URL: an ASCII character, and an escape. */
function formsOf(character: string): string {
  const escape = `%${character.charCodeAt(0).toString(16).padStart(2, '0')}`;
  if (SIGN.test(character)) return `(?:\\${character}|${escape})`;
  return /\w/.test(character) ? `(?:${character}|${escape})` : escape;
}

const ANY_SIGNATURE = SIGNATURES.map((one) => Array.from(one, formsOf).join('')).join('|');
const HEAD = new RegExp(String.raw`data:[\w.+/-]{0,160}(?:;[^,;\s"'<>()]{1,80}){0,4},(?=${ANY_SIGNATURE})`, 'gi');
/** The characters that end a URL. */
const AFTER_URL = /[\s"<>\x60\\]/g;
const UNITS_AT_ONCE = 65_536;
/** More than the longest head with the signature after it. */
const LONGEST_HEAD = 1_024;

/** A half-open range of escapes in a text. */
interface EscapedFile {
  readonly start: number;
  readonly end: number;
}

/** Finds such files, in steps. */
export function* findingEscapedUrls(value: string): Steps<EscapedFile[]> {
  const found: EscapedFile[] = [];
  for (let from = 0; from < value.length; from += UNITS_AT_ONCE) {
    if (from > 0) yield;
    const part = value.slice(from, from + UNITS_AT_ONCE + LONGEST_HEAD);
    // `matchAll` would copy the long expression for each text, which takes longer than the search.
    HEAD.lastIndex = 0;
    for (let match = HEAD.exec(part); match !== null && match.index < UNITS_AT_ONCE; match = HEAD.exec(part)) {
      const start = from + match.index + match[0].length;
      AFTER_URL.lastIndex = start;
      if (start >= (found.at(-1)?.end ?? 0)) found.push({ start, end: AFTER_URL.exec(value)?.index ?? value.length });
    }
  }
  return found;
}
