/** A feature that begins at a token: which bucket of the weight table it falls into. */
export const BUCKET_BITS = 17;
const BUCKETS = 1 << BUCKET_BITS;

export interface Tokens {
  /** Start of each token in the text. */
  readonly starts: readonly number[];
  readonly ends: readonly number[];
  /** Buckets of the features that end at each token, `PER_TOKEN` of them; -1 where there is none. */
  readonly buckets: Int32Array;
}

export const PER_TOKEN = 6;
const MAX_TOKENS = 200_000;

/** Runs of letters, of digits, or one sign that has a meaning in prompts. */
const TOKEN = /[\p{L}\p{M}]{1,40}|\d{1,20}|[!?:<>[\]{}"#|*=%@/]/gu;
/** Scripts that are written without spaces: each character is a token. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]/u;

/**
 * Cuts a text into tokens and hashes, for each, the word, its stem, the word at the start of a sentence, and the pairs
 * and triples that end at it. The same text gives the same buckets everywhere.
 */
export function featuresOf(text: string): Tokens {
  const starts: number[] = [];
  const ends: number[] = [];
  const hashes: number[] = [];
  const stems: number[] = [];
  const opens: boolean[] = [];
  let previousEnd = 0;
  for (const match of text.matchAll(TOKEN)) {
    if (starts.length >= MAX_TOKENS) break;
    const token = match[0];
    const gap = text.slice(previousEnd, match.index);
    const open = starts.length === 0 || /[\n.!?;:"'{]/.test(gap);
    const pieces = token.charCodeAt(0) > 0xe00 && UNSPACED.test(token) ? [...token] : [token];
    let at = match.index;
    for (const piece of pieces) {
      const word = piece.toLowerCase();
      starts.push(at);
      ends.push((at += piece.length));
      const digits = word >= '0' && word <= '9:';
      hashes.push(hash(digits ? `0${word.length}` : word, 17));
      stems.push(hash(digits ? '0' : word.slice(0, 5), 31));
      opens.push(open);
    }
    previousEnd = match.index + token.length;
  }
  return { starts, ends, buckets: bucketsOf(hashes, stems, opens) };
}

function bucketsOf(hashes: readonly number[], stems: readonly number[], opens: readonly boolean[]): Int32Array {
  const buckets = new Int32Array(hashes.length * PER_TOKEN).fill(-1);
  for (let index = 0; index < hashes.length; index++) {
    const at = index * PER_TOKEN;
    const word = hashes[index]!;
    const stem = stems[index]!;
    buckets[at] = bucket(word, 1);
    buckets[at + 1] = bucket(stem, 2);
    if (opens[index]!) buckets[at + 2] = bucket(stem, 3);
    if (index < 1) continue;
    buckets[at + 3] = bucket(mix(hashes[index - 1]!, word), 4);
    if (index < 2) continue;
    buckets[at + 4] = bucket(mix(stems[index - 2]!, stem), 5);
    buckets[at + 5] = bucket(mix(mix(hashes[index - 2]!, hashes[index - 1]!), word), 6);
  }
  return buckets;
}

/** The bucket of a named feature that is no word: a phrase rule, a form of the text. */
export function namedBucket(name: string): number {
  return bucket(hash(name, 97), 7);
}

function hash(text: string, seed: number): number {
  let value = 0x811c9dc5 ^ seed;
  for (let index = 0; index < text.length; index++) value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
  return value >>> 0;
}

function mix(a: number, b: number): number {
  return (Math.imul(a ^ (b >>> 15), 0x85ebca6b) + Math.imul(b, 0xc2b2ae35)) >>> 0;
}

function bucket(value: number, kind: number): number {
  let mixed = Math.imul(value ^ (kind * 0x9e3779b1), 0x85ebca6b);
  mixed ^= mixed >>> 13;
  return (Math.imul(mixed, 0xc2b2ae35) >>> 0) % BUCKETS;
}
