import { ownCopy } from '../detection/engine/own-copy.js';

/** Beginnings up to this length are kept as they are, whatever is forgotten. */
const HEAD_UNITS = 4_096;
/** Less than this is not worth copying the rest. */
const LEAST_FORGOTTEN = 4_096;
/** FNV-1a, http://www.isthe.com/chongo/tech/comp/fnv/. */
const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

/** The text up to a place, by its hash. */
interface Mark {
  readonly at: number;
  readonly hash: number;
}

/**
 * A text that grows. What lies far enough back can be forgotten, so that a long answer does not cost its length in
 * memory; a text that repeats it from its beginning is recognised all the same.
 */
export class GrowingText {
  private head = '';
  private tail = '';
  /** Where the tail begins. */
  private from = 0;
  private readonly marks: Mark[] = [];

  get length(): number {
    return this.from + this.tail.length;
  }

  /** All of it. Only for a text of which nothing was forgotten. */
  get whole(): string {
    if (this.from > 0) throw new RangeError('the beginning of the text is forgotten');
    return this.tail;
  }

  /** What is not forgotten, and where it begins. */
  get known(): { readonly text: string; readonly from: number } {
    return { text: this.tail, from: this.from };
  }

  append(piece: string): void {
    this.tail += piece;
  }

  /** Nobody asks for the text before a place any more. */
  forget(before: number): void {
    const dropped = before - this.from;
    if (dropped < LEAST_FORGOTTEN) return;
    if (this.head.length < HEAD_UNITS) this.head += this.tail.slice(0, HEAD_UNITS - this.head.length);
    const hash = hashOf(this.tail, 0, dropped, this.marks.at(-1)?.hash ?? FNV_OFFSET);
    this.marks.push({ at: before, hash });
    this.tail = ownCopy(this.tail.slice(dropped));
    this.from = before;
  }

  /**
   * Whether another text is the beginning of this one, or all of it. Of what is forgotten it is told by hashes; a text
   * that ends far back is compared to the last place before its end that has one.
   */
  beginsWith(other: string): boolean {
    if (other.length > this.length) return false;
    if (this.from === 0) return this.tail.startsWith(other);
    if (!other.startsWith(this.head.slice(0, other.length))) return false;
    const mark = this.marks.findLast(({ at }) => at <= other.length);
    if (mark === undefined) return true;
    if (hashOf(other, 0, mark.at, FNV_OFFSET) !== mark.hash) return false;
    return mark.at < this.from || this.tail.startsWith(other.slice(mark.at));
  }

  /** Whether this text is the beginning of another one. */
  isBeginningOf(other: string): boolean {
    return other.length >= this.length && this.beginsWith(other.slice(0, this.length));
  }
}

function hashOf(text: string, start: number, end: number, seed: number): number {
  let hash = seed;
  for (let at = start; at < end; at++) hash = Math.imul(hash ^ text.charCodeAt(at), FNV_PRIME);
  return hash;
}
