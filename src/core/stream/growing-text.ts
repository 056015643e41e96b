import { ownCopy } from '../detection/engine/own-copy.js';

/** Beginnings of texts up to this length are kept even if the rest is discarded. */
const HEAD_UNITS = 4_096;
/** The part before the kept one that stays comparable, character by character. */
const RECENT_UNITS = 4_096;
/** Discarding fewer units than this is not worth copying the rest. */
const LEAST_FORGOTTEN = 4_096;
/** FNV-1a, http://www.isthe.com/chongo/tech/comp/fnv/. */
const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

/** The hash of the text up to a position. */
interface Mark {
  readonly at: number;
  readonly hash: number;
}

/**
 * A growing text. Its older part can be discarded, so that a long answer need not stay in memory as a whole. A text that repeats the
 * growing text from the beginning is still recognised.
 */
export class GrowingText {
  private head = '';
  private flat = '';
  /** The newest part. It is joined to `flat` only on demand, because each join takes time in proportion to the whole text. */
  private added = '';
  /** The position where the tail begins. */
  private from = 0;
  /** The discarded part directly before the tail, for texts that repeat slightly less than the sent text. */
  private recent = '';
  /** The hash of everything before `recent`. */
  private mark: Mark = { at: 0, hash: FNV_OFFSET };

  get length(): number {
    return this.from + this.flat.length + this.added.length;
  }

  private get tail(): string {
    if (this.added !== '') {
      this.flat += this.added;
      this.added = '';
    }
    return this.flat;
  }

  private set tail(text: string) {
    this.flat = text;
    this.added = '';
  }

  /** The whole text. It is available only while nothing was discarded. */
  get whole(): string {
    if (this.from > 0) throw new RangeError('the beginning of the text is no longer stored');
    return this.tail;
  }

  /** The kept part and its position. */
  get known(): { readonly text: string; readonly from: number } {
    return { text: this.tail, from: this.from };
  }

  append(piece: string): void {
    this.added += piece;
  }

  /** Discards the text before a position. */
  forget(before: number): void {
    const dropped = before - this.from;
    if (dropped < LEAST_FORGOTTEN) return;
    if (this.head.length < HEAD_UNITS) this.head += this.tail.slice(0, HEAD_UNITS - this.head.length);
    const discarded = this.recent + this.tail.slice(0, dropped);
    const lost = Math.max(0, discarded.length - RECENT_UNITS);
    this.mark = { at: this.mark.at + lost, hash: hashOf(discarded, lost, this.mark.hash) };
    this.recent = ownCopy(discarded.slice(lost));
    this.tail = ownCopy(this.tail.slice(dropped));
    this.from = before;
  }

  /**
   * Whether another text is certainly a prefix of this one or equal to it. The discarded part is compared by its hash. A text that ends
   * in the discarded part cannot be compared, so it counts as another text, which is judged separately.
   */
  beginsWith(other: string): boolean {
    if (other.length > this.length) return false;
    if (this.from === 0) return (other.length > this.flat.length ? this.tail : this.flat).startsWith(other);
    if (other.length <= this.head.length) return this.head.startsWith(other);
    const { mark, recent } = this;
    if (other.length < mark.at || hashOf(other, mark.at, FNV_OFFSET) !== mark.hash) return false;
    const rest = other.slice(mark.at);
    if (!other.startsWith(this.head)) return false;
    if (rest.length <= recent.length) return recent.startsWith(rest);
    return rest.startsWith(recent) && this.tail.startsWith(rest.slice(recent.length));
  }

  /** Whether this text is a prefix of another one. */
  isBeginningOf(other: string): boolean {
    return other.length >= this.length && this.beginsWith(other.slice(0, this.length));
  }
}

function hashOf(text: string, end: number, seed: number): number {
  let hash = seed;
  for (let at = 0; at < end; at++) hash = Math.imul(hash ^ text.charCodeAt(at), FNV_PRIME);
  return hash;
}
