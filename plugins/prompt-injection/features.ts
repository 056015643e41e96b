/** Size of the weight table, as a power of two. */
export const BUCKET_BITS = 17;
const BUCKET_MASK = (1 << BUCKET_BITS) - 1;
/** Buckets of one token. */
export const PER_TOKEN = 10;
/** Stands where a token lacks a feature; it weighs nothing. */
export const NO_BUCKET = 0;

/**
 * Called with each token in turn: its range, whether a sentence, a line or a value of JSON begins with it, and its
 * buckets, in an array that is used again for the next token.
 */
export type VisitToken = (start: number, end: number, begins: boolean, buckets: Int32Array) => void;

const STEM_UNITS = 5;
const PREFIX_UNITS = 3;
const SUFFIX_UNITS = 4;

const OTHER = 0;
const LETTER = 1;
const DIGIT = 2;
const SIGN = 3;
/** A letter of a script without spaces: a token of its own. */
const ALONE = 4;
const UNKNOWN = 5;

const HASH_START = 0x811c9dc5;
const HASH_FACTOR = 0x01000193;
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
/** After one of these a clause begins. */
const CLAUSE = flags('\n.!?;:"\'{。！？');
const SENTENCE = flags('.!?。！？');
const QUOTE = flags('"\'');
/** Before the quotation mark that opens a value of JSON or of a printed dictionary. */
const VALUE_LEAD = flags(':,[{');

const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]/u;

/** Class of a unit beyond ASCII, worked out on first sight (a cache of a pure function). */
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

/** Hashes of one token, case ignored: the word, its first five and three letters, its last four. */
interface Hashes {
  end: number;
  word: number;
  stem: number;
  prefix: number;
  suffix: number;
}

/**
 * Cuts a text into words, numbers and the signs that have a meaning in prompts, and gives each its buckets: the word
 * and its parts, what stands at the head of a clause, pairs and triples. `form` is the bucket of the text's outward
 * form, so that the same word can mean something else at the head of a table row. One pass, linear, no words are kept.
 */
export function eachToken(text: string, form: number, visit: VisitToken): void {
  const buckets = new Int32Array(PER_TOKEN);
  const hashes: Hashes = { end: 0, word: 0, stem: 0, prefix: 0, suffix: 0 };
  const before = { word: 0, stem: 0, opens: false, word2: 0, stem2: 0 };
  let count = 0;
  let opens = true;
  let begins = true;
  /** The last unit that was neither a space nor part of a word or a number. */
  let solid = 0;
  for (let index = 0; index < text.length;) {
    const unit = text.charCodeAt(index);
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
    buckets[0] = bucket(word, 0x9e3779b1);
    buckets[1] = bucket(stem, 0x3c6ef362);
    buckets[2] = bucket(hashes.prefix, 0x2222334b);
    buckets[3] = bucket(hashes.suffix, 0x3222334b);
    buckets[4] = opens ? bucket(stem, 0xdaa66d13) : NO_BUCKET;
    buckets[5] = opens ? bucket(mix(stem, form), 0x1234567b) : NO_BUCKET;
    buckets[6] = before.opens ? bucket(mix(before.stem, stem), 0x1f34567b) : NO_BUCKET;
    buckets[7] = count > 0 ? bucket(mix(before.word, word), 0x78dde6c4) : NO_BUCKET;
    buckets[8] = count > 1 ? bucket(mix(before.stem2, stem), 0x17156075) : NO_BUCKET;
    buckets[9] = count > 1 ? bucket(mix(mix(before.word2, before.word), word), 0xb54cda26) : NO_BUCKET;
    visit(index, end, begins, buckets);
    before.word2 = before.word;
    before.stem2 = before.stem;
    before.word = word;
    before.stem = stem;
    before.opens = opens;
    opens = kind === SIGN && CLAUSE[unit] === 1;
    // A sign that ends a sentence belongs to it; the next token begins the new one.
    begins = kind === SIGN && beginsSentence(text, index, unit, 0);
    count++;
    index = end;
  }
}

/** Whether what follows the sign at `index` is a new sentence, line or value; `solid` is the sign before it. */
function beginsSentence(text: string, index: number, unit: number, solid: number): boolean {
  if (unit === 0x0a) return true;
  if (SENTENCE[unit] === 1) return unit > 0x80 || !(text.charCodeAt(index + 1) > 0x22);
  return QUOTE[unit] === 1 && VALUE_LEAD[solid] === 1;
}

function readToken(text: string, start: number, kind: number, into: Hashes): void {
  let end = start + 1;
  if (kind === DIGIT) {
    while (end < text.length && classes[text.charCodeAt(end)] === DIGIT) end++;
    // Of a number only its length counts.
    into.word = Math.imul(end - start, HASH_FACTOR) ^ NUMBER_STEM;
    into.stem = into.prefix = into.suffix = NUMBER_STEM;
    into.end = end;
    return;
  }
  let hash = Math.imul(HASH_START ^ lower[text.charCodeAt(start)]!, HASH_FACTOR);
  let stem = hash;
  let prefix = hash;
  if (kind === LETTER) {
    for (; end < text.length; end++) {
      const unit = text.charCodeAt(end);
      if (classOf(unit) !== LETTER) break;
      hash = Math.imul(hash ^ lower[unit]!, HASH_FACTOR);
      if (end - start < STEM_UNITS) stem = hash;
      if (end - start < PREFIX_UNITS) prefix = hash;
    }
  }
  let suffix = SUFFIX_START;
  for (let index = Math.max(start, end - SUFFIX_UNITS); index < end; index++)
    suffix = Math.imul(suffix ^ lower[text.charCodeAt(index)]!, HASH_FACTOR);
  into.end = end;
  into.word = hash;
  into.stem = stem;
  into.prefix = prefix;
  into.suffix = suffix;
}

/** The bucket of a named feature that is no word: a sign, a form of the text. */
export function namedBucket(name: string): number {
  let hash = HASH_START;
  for (let index = 0; index < name.length; index++) hash = Math.imul(hash ^ name.charCodeAt(index), HASH_FACTOR);
  return bucket(hash, 0x5384540f);
}

const LONG_UNITS = 1_500;
const SHORT_UNITS = 300;
const HEAD_UNITS = 2_000;

/** The outward form of a text in four letters (JSON, table, mail, code) and one for its length. */
export function formOf(text: string): string {
  const head = text.slice(0, HEAD_UNITS);
  const json = /^\s{0,20}["']?[[{]/.test(head) ? 'j' : '-';
  const table = /\|[^|\n]{0,200}\|[^|\n]{0,200}\|/.test(head) ? 't' : '-';
  const mail = /(?:^|\n)(?:subject|from|to|dear|hi|hello)\b/i.test(head) ? 'm' : '-';
  const code = /[{};]\s{0,20}\n/.test(head) ? 'c' : '-';
  return json + table + mail + code + (text.length > LONG_UNITS ? 'L' : text.length > SHORT_UNITS ? 'M' : 'S');
}

function mix(a: number, b: number): number {
  return Math.imul(a ^ (b >>> 15), 0x85ebca6b) + Math.imul(b, 0xc2b2ae35);
}

function bucket(value: number, kind: number): number {
  let mixed = Math.imul(value ^ kind, 0x85ebca6b);
  mixed ^= mixed >>> 13;
  mixed = Math.imul(mixed, 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) & BUCKET_MASK;
}
