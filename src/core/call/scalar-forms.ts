/** Recognises the form of single values (identifiers, words, base64) by their characters alone. */

import type { Steps } from '../steps/steps.js';

/** One word of an enum value, a model's name or a media type. `isPlain` also limits the digits, to exclude card and telephone numbers. */
const WORD = /^[A-Za-z0-9]{0,15}$/;
/** Minimum length of a word that counts as random if it switches often between upper case, lower case and digits. */
const MIN_RANDOM = 8;
const MAX_TURNS = 4;
const TURNS = /[a-z]+|[A-Z]+|[0-9]+/g;
const WORD_ENDS = /[_.:/+-]/;
const MAX_PLAIN = 128;
const MAX_DIGITS = 6;
/** Words in lower case, like most values: too short to be random, and without digits. At most `MAX_PLAIN` long. */
const SMALL_WORDS = /^[a-z]{1,15}(?:[_.:/+-][a-z]{1,15}){0,6}$/;
/** The date in a model's name or a time stamp; its digits do not count. */
const DATE = /20\d\d-?[01]\d-?[0-3]\d/;
/**
 * Identifiers in the exact forms that providers generate, recognised by their prefixes. Random characters in them can look like
 * personal data, and a call fails if one is masked. Any other text after such a prefix is read as text, so a prefix cannot hide a
 * credential.
 */
const IDENTIFIERS: readonly RegExp[] = [
  /^(?:(?:call|toolu|srvtoolu|mcptoolu|msg|msgbatch|resp|item|run|step|thread|asst|chatcmpl|cmpl|gen|file|batch|container|cntr|req)[_-]|(?:rs|fc|ctc|ws|fs|ci|ig|lsh|sh|cu|mcp|mcpl|mcpr|apc|fp|vs)_)(?:(?:bdrk|vrtx)_)?(?![0-9]{7,}$)[A-Za-z0-9]{1,64}$/,
  /^gen-[0-9]{10}-[A-Za-z0-9]{20}$/,
  /^tooluse_[A-Za-z0-9_-]{22}$/,
  /^function-call-[0-9]{1,20}$/,
  /^(?:lc_run--?|run--|[a-z]{2,12}[_-])?[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}(?:-[0-9]{1,3})?$/,
];
/** Prefixes and infixes of credentials that consist only of letters and digits. */
const CREDENTIAL_MARK =
  /A(?:KIA|SIA|BIA|CCA)[A-Z0-9]|AIza|AKID|LTAI|AZDO|AzSe|dapi|dckr|EAA[A-Za-z]|eyJ|[_-](?:(?:SK|AC)[0-9a-f]{32}$|SCW|DO|cio|oy2|AKC|ATTA|FLW|EZ[AT]K|4b1d)/;
/** Minimum length of opaque data; shorter base64 is always read as text. */
export const MIN_OPAQUE = 64;
/** Number of characters checked between two stops; takes less than a millisecond. */
const LETTERS_AT_ONCE = 65_536;
/**
 * The prefix of Fernet tokens, the format of OpenAI's encrypted contents. Other base64url is read as text: many credentials look like
 * it.
 */
const FERNET = 'gAAAAA';
const BASE64_URL = /^data:[^,]*;base64,/i;
const BINARY_DATA_URL = /^data:(?:(?:image|audio|video|font)\/[\w.+-]{1,64}|application\/(?:pdf|octet-stream));base64,/;

/** Whether a text is an identifier of a provider or a UUID. */
export function isIdentifier(value: string): boolean {
  return IDENTIFIERS.some((form) => form.test(value)) && !CREDENTIAL_MARK.test(value);
}

/** Whether a text looks like an identifier, an enum value or a date. Any other value of such a field is read as text. */
export function isPlain(value: string): boolean {
  if (SMALL_WORDS.test(value) || isIdentifier(value)) return true;
  if (value.length > MAX_PLAIN || !value.split(WORD_ENDS).every(isWord)) return false;
  return value.replace(DATE, '').replace(/\D/g, '').length <= MAX_DIGITS;
}

function isWord(word: string): boolean {
  return WORD.test(word) && (word.length < MIN_RANDOM || (word.match(TURNS)?.length ?? 0) <= MAX_TURNS);
}

/**
 * Whether a text is base64 as in RFC 4648 from `start` to the end. Uses a loop, because regular expressions overflow the stack on
 * megabytes.
 */
function* checkingLetters(value: string, start: number, special: '+/' | '-_'): Steps<boolean> {
  let end = value.length;
  while (end > start && end > value.length - 2 && value.charCodeAt(end - 1) === 0x3d) end--;
  for (let from = start; from < end; from += LETTERS_AT_ONCE) {
    const to = Math.min(end, from + LETTERS_AT_ONCE);
    if (!areLetters(value, from, to, special)) return false;
    if (to < end) yield;
  }
  return true;
}

function areLetters(value: string, start: number, end: number, special: '+/' | '-_'): boolean {
  const [first, second] = [special.charCodeAt(0), special.charCodeAt(1)];
  for (let index = start; index < end; index++) {
    const unit = value.charCodeAt(index);
    const letter = (unit | 0x20) >= 0x61 && (unit | 0x20) <= 0x7a;
    if (!letter && !(unit >= 0x30 && unit <= 0x39) && unit !== first && unit !== second) return false;
  }
  return true;
}

/** Whether a text is encrypted or binary data: long enough base64. In steps. */
export function* checkingOpaque(value: string): Steps<boolean> {
  return value.length >= MIN_OPAQUE && (yield* checkingLetters(value, 0, value.startsWith(FERNET) ? '-_' : '+/'));
}

/** Where the content of a base64 data URL begins; undefined for any other text. */
export function dataStart(value: string): number | undefined {
  return BASE64_URL.exec(value.slice(0, 256))?.[0].length;
}

/** Whether a text is a data URL of an image, audio, a video, a font or a document. In steps. */
export function* checkingBinaryUrl(value: string): Steps<boolean> {
  const head = BINARY_DATA_URL.exec(value.slice(0, 128));
  return head !== null && (yield* checkingLetters(value, head[0].length, '+/'));
}
