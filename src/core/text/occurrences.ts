import { isStop, type Steps } from '../steps/steps.js';

/** The number of positions that are checked in less than a millisecond. */
const PLACES_AT_ONCE = 65_536;
/** How many times as long as all texts and values what is compared may be: beyond that, somebody made them for it. */
const PATIENCE = 8;
const MULTIPLIER = 0x01000193;
/** Tells most places at which nothing begins from the others. */
const SIEVE_SIZE = 65_536;

/** A value that is looked for. */
interface Sought {
  readonly value: string;
  count: number;
  /** The text in which it was found last, and where it may begin next: what overlaps counts once. */
  text: number;
  free: number;
}

/**
 * How often each of some values stands in some texts; what overlaps itself counts once. All texts are read once for each
 * size of values, from a power of two to the next, however many values there are, by a sum of what stands there that rolls
 * on (Karp and Rabin, Efficient randomized pattern-matching algorithms, 1987). In steps.
 *
 * @param enough a value that was found so often is not looked for any more
 * @returns undefined for texts and values that take out of proportion to their size
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

/** Values of about one size, by the sum of how they begin. */
class SizeClass {
  private readonly bySum = new Map<number, Sought[]>();
  private readonly sieve = new Uint8Array(SIEVE_SIZE);
  /** What the first of `width` units counts in their sum. */
  private readonly first: number;

  /** @param width all values are at least so long */
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

  /** @returns what is left of the patience; less than zero when there is none */
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
    // Texts may be many and short.
    if (isStop(index)) yield;
    return left;
  }

  private sumOf(text: string): number {
    let sum = 0;
    for (let at = 0; at < this.width; at++) sum = (Math.imul(sum, MULTIPLIER) + text.charCodeAt(at)) | 0;
    return sum;
  }
}

/** Counts a value if it stands there. @returns how much had to be compared */
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
