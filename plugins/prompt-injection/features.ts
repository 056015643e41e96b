/** Size of the weight table, as a power of two. */
export const BUCKET_BITS = 17;
const BUCKET_MASK = (1 << BUCKET_BITS) - 1;
/** Features that end at one token. */
export const PER_TOKEN = 6;

const MAX_TOKENS = 200_000;
const STEM_UNITS = 5;

/** The tokens of a text with what the features are made of. */
export interface Tokens {
  readonly count: number;
  readonly starts: Int32Array;
  readonly ends: Int32Array;
  /** Hash of the whole word, case ignored; digits only by how many there are. */
  readonly words: Uint32Array;
  /** Hash of its first five letters. */
  readonly stems: Uint32Array;
  /** 1 where a sentence, a line or a quotation begins. */
  readonly opens: Uint8Array;
}

const OTHER = 0;
const LETTER = 1;
const DIGIT = 2;
const SIGN = 3;
/** A letter of a script without spaces: a token of its own. */
const ALONE = 4;
const BREAK = 5;
const UNKNOWN = 6;

const classes = new Uint8Array(0x10000).fill(UNKNOWN, 0x80);
const lower = Uint16Array.from({ length: 0x10000 }, (_unused, unit) => unit);
for (let unit = 0x41; unit <= 0x5a; unit++) lower[unit] = unit + 32;
for (let unit = 0x61; unit <= 0x7a; unit++) classes[unit] = classes[unit - 32] = LETTER;
for (let unit = 0x30; unit <= 0x39; unit++) classes[unit] = DIGIT;
for (const sign of '!?:<>[]{}"#|*=%@/') classes[sign.charCodeAt(0)] = SIGN;
for (const sign of "\n.;'") classes[sign.charCodeAt(0)] = BREAK;
const OPENING = new Set([...'!?:;"{\n.\''].map((sign) => sign.charCodeAt(0)));

/** Class of a unit beyond ASCII, worked out on first sight (a cache of a pure function). */
function learn(unit: number): number {
  const char = String.fromCharCode(unit);
  const small = char.toLowerCase();
  if (small.length === 1) lower[unit] = small.charCodeAt(0);
  const unspaced =
    /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]/u.test(char);
  return (classes[unit] = unspaced
    ? ALONE
    : /[\p{L}\p{M}]/u.test(char)
      ? LETTER
      : /[。！？]/.test(char)
        ? BREAK
        : OTHER);
}

/** Cuts a text into words, numbers and the signs that have a meaning in prompts. One pass, linear. */
export function tokenise(text: string): Tokens {
  const room = Math.min(text.length, MAX_TOKENS);
  const starts = new Int32Array(room);
  const ends = new Int32Array(room);
  const words = new Uint32Array(room);
  const stems = new Uint32Array(room);
  const opens = new Uint8Array(room);
  let count = 0;
  let open = 1;
  for (let index = 0; index < text.length && count < room;) {
    const unit = text.charCodeAt(index);
    let kind = classes[unit]!;
    if (kind === UNKNOWN) kind = learn(unit);
    if (kind === OTHER || kind === BREAK) {
      if (kind === BREAK) open = 1;
      index++;
      continue;
    }
    let hash = 0x811c9dc5;
    let stem = hash;
    let end = index;
    if (kind === DIGIT) {
      while (end < text.length && classes[text.charCodeAt(end)] === DIGIT) end++;
      stem = 0x2f;
      hash = Math.imul(end - index, 0x01000193) ^ stem;
    } else {
      do {
        hash = Math.imul(hash ^ lower[text.charCodeAt(end)]!, 0x01000193);
        end++;
        if (end - index <= STEM_UNITS) stem = hash;
      } while (kind === LETTER && end < text.length && isLetter(text.charCodeAt(end)));
    }
    starts[count] = index;
    ends[count] = end;
    words[count] = hash;
    stems[count] = stem;
    opens[count] = open;
    open = kind === SIGN && OPENING.has(unit) ? 1 : 0;
    count++;
    index = end;
  }
  return { count, starts, ends, words, stems, opens };
}

function isLetter(unit: number): boolean {
  const kind = classes[unit]!;
  return (kind === UNKNOWN ? learn(unit) : kind) === LETTER;
}

/**
 * Writes the buckets of the features that end at token `index` into `into`: the word, its stem, the stem where a
 * sentence begins, the pair, the stems with one word between, the triple. -1 where there is none.
 */
export function bucketsAt(tokens: Tokens, index: number, into: Int32Array): void {
  const { words, stems, opens } = tokens;
  const word = words[index]!;
  const stem = stems[index]!;
  into[0] = bucket(word, 0x9e3779b1);
  into[1] = bucket(stem, 0x3c6ef362);
  into[2] = opens[index] === 1 ? bucket(stem, 0xdaa66d13) : -1;
  into[3] = index > 0 ? bucket(mix(words[index - 1]!, word), 0x78dde6c4) : -1;
  into[4] = index > 1 ? bucket(mix(stems[index - 2]!, stem), 0x17156075) : -1;
  into[5] = index > 1 ? bucket(mix(mix(words[index - 2]!, words[index - 1]!), word), 0xb54cda26) : -1;
}

/** The bucket of a named feature that is no word: a phrase, a form of the text. */
export function namedBucket(name: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < name.length; index++) hash = Math.imul(hash ^ name.charCodeAt(index), 0x01000193);
  return bucket(hash >>> 0, 0x5384540f);
}

/**
 * The outward form of a text as one word: JSON, a table, a mail, code, and how long. A request inside a table means
 * something else than one that stands alone.
 */
export function formOf(text: string): string {
  const head = text.slice(0, 2_000);
  const json = /^\s{0,20}["']?[[{]/.test(head) ? 'j' : '-';
  const table = /\|[^|\n]{0,200}\|[^|\n]{0,200}\|/.test(head) ? 't' : '-';
  const mail = /(?:^|\n)(?:subject|from|to|dear|hi|hello)\b/i.test(head) ? 'm' : '-';
  const code = /[{};]\s{0,20}\n/.test(head) ? 'c' : '-';
  return json + table + mail + code + (text.length > 1_500 ? 'L' : text.length > 300 ? 'M' : 'S');
}

function mix(a: number, b: number): number {
  return (Math.imul(a ^ (b >>> 15), 0x85ebca6b) + Math.imul(b, 0xc2b2ae35)) >>> 0;
}

function bucket(value: number, kind: number): number {
  let mixed = Math.imul(value ^ kind, 0x85ebca6b);
  mixed ^= mixed >>> 13;
  mixed = Math.imul(mixed, 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) & BUCKET_MASK;
}
