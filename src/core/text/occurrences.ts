import { isStop, type Steps } from '../steps/steps.js';

/** The number of positions that are checked in less than a millisecond. */
const PLACES_AT_ONCE = 65_536;
/** Limit of compared units, as a multiple of the length of all texts and values: only hostile inputs exceed it. */
const PATIENCE = 8;
const MULTIPLIER = 0x01000193;
/** Size of the table that excludes most positions at which no value begins. */
const SIEVE_SIZE = 65_536;

/** A value to be counted. */
interface Sought {
  readonly value: string;
  count: number;
  /**
   * The text of the last occurrence, and the position after it: overlapping occurrences count once.
   */
  text: number;
  free: number;
}

/**
 * Counts the occurrences of each value in the texts; overlapping occurrences of a value count once. Uses a rolling hash (Karp and Rabin,
 * Efficient randomized pattern-matching algorithms, 1987): values are grouped by length, from one power of two to the next, and all texts
 * are read once for each group, regardless of its number of values. In steps.
 *
 * @param enough number of occurrences after which a value is no longer searched for
 * @returns undefined if the work is out of proportion to the size of texts and values
 */
export function* countingValues(
  texts: readonly string[],
  values: Iterable<string>,
  enough = Infinity,
): Steps<ReadonlyMap<string, number> | undefined> {
  const sizes = new Map<number, SizeClass>();
  const all: Sought[] = [];
  let length = 0;
  for (const value of values) {
    if (value === '') continue;
    const width = 2 ** Math.floor(Math.log2(value.length));
    let size = sizes.get(width);
    if (size === undefined) sizes.set(width, (size = new SizeClass(width)));
    all.push(size.add(value));
    length += value.length;
    if (isStop(all.length)) yield;
  }
  for (const text of texts) length += text.length;
  let patience = length * PATIENCE;
  for (const size of sizes.values()) {
    for (const [index, text] of texts.entries()) {
      patience = yield* size.countingIn(text, index, enough, patience);
      if (patience < 0) return undefined;
    }
  }
  return new Map(all.map(({ value, count }) => [value, count]));
}

/** Values of similar size, indexed by the hash of their first `width` units. */
class SizeClass {
  private readonly bySum = new Map<number, Sought[]>();
  private readonly sieve = new Uint8Array(SIEVE_SIZE);
  /** The factor of the first of the `width` units in the hash. */
  private readonly first: number;

  /** @param width minimum length of the values */
  constructor(private readonly width: number) {
    let first = 1;
    for (let power = 1; power < width; power++) first = Math.imul(first, MULTIPLIER);
    this.first = first;
  }

  add(value: string): Sought {
    const sought: Sought = { value, count: 0, text: -1, free: 0 };
    const sum = this.sumOf(value);
    const same = this.bySum.get(sum);
    if (same === undefined) this.bySum.set(sum, [sought]);
    else same.push(sought);
    this.sieve[sum & (SIEVE_SIZE - 1)] = 1;
    return sought;
  }

  /** @returns the rest of `patience`; negative if it is used up */
  *countingIn(text: string, index: number, enough: number, patience: number): Steps<number> {
    const { width, first, sieve, bySum } = this;
    const last = text.length - width;
    let left = patience;
    for (let at = 0, sum = last < 0 ? 0 : this.sumOf(text); at <= last; at++) {
      if (sieve[sum & (SIEVE_SIZE - 1)] === 1) {
        for (const sought of bySum.get(sum) ?? []) left -= look(sought, text, index, at, enough);
        if (left < 0) return left;
      }
      sum = (Math.imul(sum - Math.imul(text.charCodeAt(at), first), MULTIPLIER) + text.charCodeAt(at + width)) | 0;
      if (at % PLACES_AT_ONCE === PLACES_AT_ONCE - 1) yield;
    }
    // There may be many short texts, so it also pauses between texts.
    if (isStop(index)) yield;
    return left;
  }

  private sumOf(text: string): number {
    let sum = 0;
    for (let at = 0; at < this.width; at++) sum = (Math.imul(sum, MULTIPLIER) + text.charCodeAt(at)) | 0;
    return sum;
  }
}

/** Counts a value if it occurs there. @returns the number of compared units */
function look(sought: Sought, text: string, index: number, at: number, enough: number): number {
  const { value } = sought;
  if (sought.count >= enough || (sought.text === index && at < sought.free)) return 1;
  if (text.startsWith(value, at)) {
    sought.count++;
    sought.text = index;
    sought.free = at + value.length;
  }
  return value.length;
}
