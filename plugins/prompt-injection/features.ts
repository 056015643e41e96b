import { createConcepts, MOST_UNITS } from './concept-table.js';
import { extendHash, HASH_START } from './hash.js';

/** A feature is identified by its hash, 32 bits, signed. */
export type Feature = number;

/** Number of features of one token. */
export const PER_TOKEN = 15;
/** The last features of a token, which are only set if the token names a concept. */
const OF_CONCEPTS = 5;
/** Placeholder for a missing feature; its weight is 0. */
export const NO_FEATURE = 0;

/**
 * Called with each token in turn: its range, whether it starts a sentence, a line or a JSON value, and its features: the first `count`
 * entries of an array that is reused for the next token.
 */
export type VisitToken = (start: number, end: number, begins: boolean, features: Int32Array, count: number) => void;

const STEM_UNITS = 5;
const PREFIX_UNITS = 3;
const SUFFIX_UNITS = 4;

const OTHER = 0;
const LETTER = 1;
const DIGIT = 2;
const SIGN = 3;
/** A letter of a script without spaces, which forms a token on its own. */
const ALONE = 4;
const UNKNOWN = 5;

const SPACE = 0x20;
const NUMBER_STEM = 0x2f;
const SUFFIX_START = 0x4d;

const classes = new Uint8Array(0x10000).fill(UNKNOWN, 0x80);
const lower = Uint16Array.from({ length: 0x10000 }, (_unused, unit) => unit);
for (let unit = 0x41; unit <= 0x5a; unit++) lower[unit] = unit + 32;
for (let unit = 0x61; unit <= 0x7a; unit++) classes[unit] = classes[unit - 32] = LETTER;
for (let unit = 0x30; unit <= 0x39; unit++) classes[unit] = DIGIT;
for (const sign of '!?:<>[]{}"#|*=%@/') classes[sign.charCodeAt(0)] = SIGN;

const flags = (chars: string): Uint8Array => {
  const table = new Uint8Array(0x10000);
  for (const char of chars) table[char.charCodeAt(0)] = 1;
  return table;
};
/** Characters after which a clause begins. */
const CLAUSE = flags('\n.!?;:"\'{。！？');
const SENTENCE = flags('.!?。！？');
const QUOTE = flags('"\'');
/** Characters before the quotation mark that opens a value in JSON or a printed dictionary. */
const VALUE_LEAD = flags(':,[{');

const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]/u;

/** Class of a non-ASCII unit, computed at its first occurrence and then cached. */
function learn(unit: number): number {
  const char = String.fromCharCode(unit);
  const small = char.toLowerCase();
  if (small.length === 1) lower[unit] = small.charCodeAt(0);
  return (classes[unit] = UNSPACED.test(char) ? ALONE : /[\p{L}\p{M}]/u.test(char) ? LETTER : OTHER);
}

function classOf(unit: number): number {
  const kind = classes[unit]!;
  return kind === UNKNOWN ? learn(unit) : kind;
}

/** The letter at an index in lower case; 0 if it is not a letter. */
function letterAt(text: string, index: number): number {
  const unit = text.charCodeAt(index);
  return classOf(unit) === LETTER ? lower[unit]! : 0;
}

/** Case-insensitive hashes of one token: the word, its first five and three letters, and its last four; and its concept. */
interface Hashes {
  end: number;
  word: number;
  stem: number;
  prefix: number;
  suffix: number;
  /** Number of the concept; 0 for none. */
  concept: number;
}

/** The last two different concepts, and the index of the token that last named one. */
interface Thoughts {
  last: number;
  before: number;
  token: number;
}

/** Maximum distance, in tokens, of concepts that are combined into features. */
const FAR_APART = 14;

const conceptOf = createConcepts();

/**
 * Splits a text into words, numbers and the symbols that have a meaning in prompts, and computes the features of each token: the word
 * and its parts, its position at the start of a clause, pairs and triples of words, and the same for concepts regardless of words in
 * between. `form` is the feature of the text's form, so that a word can have a different weight at the start of a table row. A single
 * linear pass; no words are stored.
 */
export function eachToken(text: string, form: Feature, visit: VisitToken): void {
  const features = new Int32Array(PER_TOKEN);
  const hashes: Hashes = {
    end: 0,
    word: 0,
    stem: 0,
    prefix: 0,
    suffix: 0,
    concept: 0,
  };
  const before = { word: 0, stem: 0, opens: false, word2: 0, stem2: 0 };
  const thoughts: Thoughts = { last: 0, before: 0, token: 0 };
  let count = 0;
  let opens = true;
  let begins = true;
  /** The last unit that was not a space, or 0 if it belonged to a word or a number. */
  let solid = 0;
  for (let index = 0; index < text.length;) {
    const unit = text.charCodeAt(index);
    if (unit === SPACE) {
      // Skipped first, since spaces are the most frequent unit and carry no information.
      index++;
      continue;
    }
    const kind = classOf(unit);
    if (kind === SIGN || kind === OTHER) {
      if (beginsSentence(text, index, unit, solid)) begins = true;
      if (unit > 0x20) solid = unit;
    } else solid = 0;
    if (kind === OTHER) {
      if (CLAUSE[unit] === 1) opens = true;
      index++;
      continue;
    }
    readToken(text, index, kind, hashes);
    const { end, word, stem } = hashes;
    features[0] = feature(word, 0x9e3779b1);
    features[1] = feature(stem, 0x3c6ef362);
    features[2] = feature(hashes.prefix, 0x2222334b);
    features[3] = feature(hashes.suffix, 0x3222334b);
    features[4] = opens ? feature(stem, 0xdaa66d13) : NO_FEATURE;
    features[5] = opens ? feature(mix(stem, form), 0x1234567b) : NO_FEATURE;
    features[6] = before.opens ? feature(mix(before.stem, stem), 0x1f34567b) : NO_FEATURE;
    features[7] = count > 0 ? feature(mix(before.word, word), 0x78dde6c4) : NO_FEATURE;
    features[8] = count > 1 ? feature(mix(before.stem2, stem), 0x17156075) : NO_FEATURE;
    features[9] = count > 1 ? feature(mix(mix(before.word2, before.word), word), 0xb54cda26) : NO_FEATURE;
    if (hashes.concept !== 0) addThought(hashes.concept, thoughts, count, opens, features);
    visit(index, end, begins, features, hashes.concept === 0 ? PER_TOKEN - OF_CONCEPTS : PER_TOKEN);
    before.word2 = before.word;
    before.stem2 = before.stem;
    before.word = word;
    before.stem = stem;
    before.opens = opens;
    opens = kind === SIGN && CLAUSE[unit] === 1;
    // A symbol that ends a sentence belongs to that sentence; the next token begins a new one.
    begins = kind === SIGN && beginsSentence(text, index, unit, 0);
    count++;
    index = end;
  }
}

/** Writes the features of a concept: alone, with each of the two previous concepts, with both, and at the start of a clause. */
function addThought(concept: number, thoughts: Thoughts, token: number, opens: boolean, features: Int32Array): void {
  if (token - thoughts.token > FAR_APART) thoughts.last = thoughts.before = 0;
  const { last, before } = thoughts;
  features[10] = feature(concept, 0x51ed270b);
  features[11] = last === 0 ? NO_FEATURE : feature(last * MOST_CONCEPTS + concept, 0x6c1f0a35);
  features[12] = before === 0 ? NO_FEATURE : feature(before * MOST_CONCEPTS + concept, 0x2a3b4c5d);
  features[13] =
    before === 0 ? NO_FEATURE : feature((before * MOST_CONCEPTS + last) * MOST_CONCEPTS + concept, 0x77a1b3c5);
  features[14] = opens ? feature(concept, 0x1e35a7bd) : NO_FEATURE;
  if (concept !== last) {
    thoughts.before = last;
    thoughts.last = concept;
  }
  thoughts.token = token;
}

const MOST_CONCEPTS = 64;

/** Whether a new sentence, line or value follows the character at `index`; `solid` is the last symbol before it. */
function beginsSentence(text: string, index: number, unit: number, solid: number): boolean {
  if (unit === 0x0a) return true;
  if (SENTENCE[unit] === 1) return unit > 0x80 || !(text.charCodeAt(index + 1) > 0x22);
  return QUOTE[unit] === 1 && VALUE_LEAD[solid] === 1;
}

function readToken(text: string, start: number, kind: number, into: Hashes): void {
  let end = start + 1;
  into.concept = 0;
  if (kind === DIGIT) {
    while (end < text.length && classes[text.charCodeAt(end)] === DIGIT) end++;
    // Numbers differ only by their length.
    into.word = extendHash(NUMBER_STEM, end - start);
    into.stem = into.prefix = into.suffix = NUMBER_STEM;
    into.end = end;
    return;
  }
  const first = text.charCodeAt(start);
  let hash = extendHash(HASH_START, lower[first]!);
  let stem = hash;
  let prefix = hash;
  if (kind === LETTER) {
    for (; end < text.length; end++) {
      const letter = letterAt(text, end);
      if (letter === 0) break;
      hash = extendHash(hash, letter);
      if (end - start < STEM_UNITS) {
        stem = hash;
        if (end - start < PREFIX_UNITS) prefix = hash;
      }
    }
  }
  let suffix = SUFFIX_START;
  for (let index = Math.max(start, end - SUFFIX_UNITS); index < end; index++)
    suffix = extendHash(suffix, lower[text.charCodeAt(index)]!);
  into.end = end;
  into.word = hash;
  into.stem = stem;
  into.prefix = prefix;
  into.suffix = suffix;
  if (first >= FIRST_BEYOND_LATIN) into.concept = longestConcept(text, start, kind);
  else if (kind === LETTER) into.concept = conceptOf(hash) || (end - start > STEM_UNITS ? conceptOf(stem) : 0);
}

/** The first Greek unit; letters of scripts before it are Latin. */
const FIRST_BEYOND_LATIN = 0x370;

/** The concept of the longest prefix that has one. In scripts without spaces the prefix can extend into the next words. */
function longestConcept(text: string, start: number, kind: number): number {
  let hash = HASH_START;
  let found = 0;
  const stop = Math.min(text.length, start + MOST_UNITS);
  for (let index = start; index < stop; index++) {
    const unit = text.charCodeAt(index);
    if (classOf(unit) !== kind) break;
    hash = extendHash(hash, lower[unit]!);
    found = conceptOf(hash) || found;
  }
  return found;
}

/** The feature for a name that is not a word of the text, such as a sign or the text's form. */
export function namedFeature(name: string): Feature {
  let hash = HASH_START;
  for (let index = 0; index < name.length; index++) hash = extendHash(hash, name.charCodeAt(index));
  return feature(hash, 0x5384540f);
}

const LONG_UNITS = 1_500;
const SHORT_UNITS = 300;
const HEAD_UNITS = 2_000;

/** The form of a text as five letters: four for JSON, table, mail and code, and one for its length. */
export function formOf(text: string): string {
  const head = text.slice(0, HEAD_UNITS);
  const json = /^\s{0,20}["']?[[{]/.test(head) ? 'j' : '-';
  const table = head.includes('|') && /\|[^|\n]{0,200}\|[^|\n]{0,200}\|/.test(head) ? 't' : '-';
  const mail = hasMailLine(head) ? 'm' : '-';
  const code = head.includes('\n') && /[{};]\s{0,20}\n/.test(head) ? 'c' : '-';
  return json + table + mail + code + (text.length > LONG_UNITS ? 'L' : text.length > SHORT_UNITS ? 'M' : 'S');
}

const MAIL_LINE = /(?:subject|from|to|dear|hi|hello)\b/iy;
const MAIL_LETTER = flags('sftdhSFTDH');

/** Whether a line begins like a mail or a mail header. */
function hasMailLine(head: string): boolean {
  for (let start = 0; ;) {
    if (start < head.length && MAIL_LETTER[head.charCodeAt(start)] === 1) {
      MAIL_LINE.lastIndex = start;
      if (MAIL_LINE.test(head)) return true;
    }
    const end = head.indexOf('\n', start);
    if (end < 0) return false;
    start = end + 1;
  }
}

function mix(a: number, b: number): number {
  return Math.imul(a ^ (b >>> 15), 0x85ebca6b) + Math.imul(b, 0xc2b2ae35);
}

function feature(value: number, kind: number): Feature {
  let mixed = Math.imul(value ^ kind, 0x85ebca6b);
  mixed ^= mixed >>> 13;
  mixed = Math.imul(mixed, 0xc2b2ae35);
  return mixed ^ (mixed >>> 16);
}
