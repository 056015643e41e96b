/** Recognises the form of single values (identifiers, words, base64) by their characters alone. */

import { checkingBase64 } from '../coding/base64.js';
import type { Steps } from '../steps/steps.js';
import { cutsAtCodedText } from './coded-text.js';

/** One word of an enum value, a model's name or a media type. `isPlain` also limits the digits, to exclude numbers of cards and people. */
const WORD = /^(?:[A-Za-z]{0,15}|[0-9]{0,15}|(?=.{1,15}$)[A-Za-z]*(?:[0-9][A-Za-z]*){1,3})$/;
/** Minimum length of a word that counts as random if it switches often between upper case, lower case and digits. */
const MIN_RANDOM = 8;
const MAX_TURNS = 4;
const TURNS = /[a-z]+|[A-Z]+|[0-9]+/g;
const WORD_ENDS = /[_.:/+-]/;
const MAX_PLAIN = 128;
const MAX_DIGITS = 6;
/** Numbers with so few digits are no numbers of cards, people or telephones. */
const FEW_DIGITS = 3;
/** Words in lower case, like most values: too short to be random, and without digits. At most `MAX_PLAIN` long. */
const SMALL_WORDS = /^[a-z]{1,15}(?:[_.:/+-][a-z]{1,15}){0,6}$/;
/** The date in a model's name, which no number and no single letter follows; its digits do not count. */
const DATE = /(?<![0-9])20[0-9]{2}-?[01][0-9]-?[0-3][0-9](?![0-9]|[_.:/+-](?:[0-9]|[A-Za-z](?![A-Za-z0-9])))/;
const TIME_STAMP = /^20[0-9]{2}-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9]Z?$/;
const VERSION = /^v?[0-9]{1,4}(?:\.[0-9]{1,4}){1,2}$/;
/** The words of names with more than a few digits, such as `turbo`, `0613`, `70B`, `8x7B` and `v2`. One of them has no digits. */
const NAME_WORD = /^(?:[A-Za-z]*|[0-9]*|[0-9]{1,3}[A-Za-z]{1,2}|[0-9]{1,2}x[0-9]{1,2}[Bb]|[A-Za-z]{1,10}[0-9]{1,2})$/;
const WORD_WITHOUT_DIGITS = /^[A-Za-z]{3,}$/;
/** Pairs of digits, as numbers of people are written. */
const PAIRS = /(?<![A-Za-z0-9])[0-9]{2}(?:[_.:/+-][0-9]{2}){2}(?![A-Za-z0-9])/;
/** Prefixes of identifiers. No vendor writes them before a credential. */
const PREFIX =
  'call|toolu|srvtoolu|mcptoolu|msg|msgbatch|resp|item|run|step|thread|asst|chatcmpl|cmpl|gen|file|batch|container|cntr|req';
/** Further prefixes, after which only a UUID is an identifier. */
const UUID_PREFIX =
  'agent|assistant|chat|conv|conversation|embd|event|evt|job|message|org|proj|project|rerank|request|response|sess|session|task|trace|user|workflow';
/**
 * Identifiers in the exact forms that providers generate, recognised by their prefixes. Random characters in them can look like
 * personal data, and a call fails if one is masked. Any other text after such a prefix is read as text, and so are letters and digits that
 * encode a text, so a prefix cannot hide a credential.
 */
const IDENTIFIERS: readonly RegExp[] = [
  new RegExp(
    `^(?:(?:${PREFIX})[_-]|(?:rs|fc|ctc|ws|fs|ci|ig|lsh|sh|cu|mcp|mcpl|mcpr|apc|fp|vs)_)(?:(?:bdrk|vrtx)_)?(?![0-9]{7,}$)[A-Za-z0-9]{1,64}$`,
  ),
  /^gen-[0-9]{10}-[A-Za-z0-9]{20}$/,
  /^tooluse_[A-Za-z0-9_-]{22}$/,
  /^function-call-[0-9]{1,20}$/,
  new RegExp(
    `^(?:lc_run--?|run--|(?:${PREFIX}|${UUID_PREFIX})[_-])?[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}(?:-[0-9]{1,3})?$`,
  ),
];
/** Prefixes and infixes of credentials that consist only of letters and digits. */
export const CREDENTIAL_MARK =
  /A(?:KIA|SIA|BIA|CCA)[A-Z0-9]|AIza|AKID|LTAI|AZDO|AzSe|dapi|dckr|EAA[A-Za-z]|eyJ|[_-](?:(?:SK|AC)[0-9a-f]{32}$|SCW|DO|cio|oy2|AKC|ATTA|FLW|EZ[AT]K|4b1d)/;
/**
 * Names of parameters, headers and members for identifiers. Under another name, such as that of a vendor, an identifier can be a
 * credential, and is judged together with its name.
 */
const ID_NAME = /(?:ids?|after|before|cursor|idempotency-key)(?:\[\])?$/i;
/** Names of headers whose value may be a date, such as `anthropic-version`. */
const VERSION_NAME = /version$/i;
/** Minimum length of a compressed file with one word, in base64. */
const MIN_SHORT_FILE = 20;
/** Minimum length of opaque data; shorter base64 is always read as text. */
export const MIN_OPAQUE = 64;
/** Number of characters checked between two stops; takes less than a millisecond. */
const LETTERS_AT_ONCE = 65_536;
/**
 * The prefix of Fernet tokens, the format of OpenAI's encrypted contents. Other base64url is read as text: many credentials look like
 * it.
 */
const FERNET = 'gAAAAA';
const BASE64_URL = /^data:[^,]*; {0,8}base64,/i;
const BINARY_DATA_URL = /^data:(?:(?:image|audio|video|font)\/[\w.+-]{1,64}|application\/(?:pdf|octet-stream));base64,/;

/** Whether a text is an identifier of a provider or a UUID. */
export function isIdentifier(value: string): boolean {
  return hasFormOfIdentifier(value) && !CREDENTIAL_MARK.test(value) && cutsAtCodedText(value) === undefined;
}

/** The `cuts` of a text that has the form of an identifier and encodes another text; undefined for any other text. */
export function cutsOfIdentifier(value: string): readonly number[] | undefined {
  return hasFormOfIdentifier(value) ? cutsAtCodedText(value) : undefined;
}

function hasFormOfIdentifier(value: string): boolean {
  return IDENTIFIERS.some((form) => form.test(value));
}

/** Whether a value with this name is an identifier and nothing else. */
export function isIdentifierOf(name: string, value: string): boolean {
  return ID_NAME.test(name) && isIdentifier(value);
}

/** Whether a text looks like an identifier, an enum value or a date. Any other value of such a field is read as text. */
export function isPlain(value: string): boolean {
  return isPlainWith(value, MAX_DIGITS) || isIdentifier(value);
}

/**
 * Whether a value is plain whatever its name says. Names that a client chooses can turn short numbers into those of a person, dates into
 * those of a birth, and identifiers into credentials.
 */
export function isPlainOf(name: string, value: string): boolean {
  if (DATE.exec(value)?.[0] === value) return VERSION_NAME.test(name);
  return isPlainWith(value, FEW_DIGITS) || isIdentifierOf(name, value);
}

/** @param most the maximum number of digits besides those of a date; versions may have more */
function isPlainWith(value: string, most: number): boolean {
  if (SMALL_WORDS.test(value) || TIME_STAMP.test(value)) return true;
  if (value.length > MAX_PLAIN || !value.split(WORD_ENDS).every(isWord)) return false;
  const rest = value.replace(DATE, '');
  const digits = rest.replace(/[^0-9]/g, '').length;
  if (digits <= FEW_DIGITS) return true;
  return digits <= MAX_DIGITS && (VERSION.test(value) || (digits <= most && isNameWithNumbers(rest)));
}

/** Whether a value can be the name of a model with its version, and not the number of a person after a word. */
function isNameWithNumbers(value: string): boolean {
  const words = value.split(WORD_ENDS);
  return (
    words.every((word) => NAME_WORD.test(word)) &&
    words.some((word) => WORD_WITHOUT_DIGITS.test(word)) &&
    !PAIRS.test(value)
  );
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

/** Whether a text that is too short to be opaque may be a compressed file in base64, such as gzip with one word. In steps. */
export function* checkingShortFile(value: string): Steps<boolean> {
  if (value.length < MIN_SHORT_FILE || value.length >= MIN_OPAQUE) return false;
  return yield* checkingBase64(value, 0, value.length);
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
