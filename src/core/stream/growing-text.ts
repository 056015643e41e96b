import { ownCopy } from '../detection/engine/own-copy.js';

/** Beginnings of texts up to this length are kept even if the rest is discarded. */
const HEAD_UNITS = 4_096;
/** The part before the kept one that stays comparable, character by character. */
const RECENT_UNITS = 4_096;
/** Discarding fewer units than this is not worth copying the rest. */
const LEAST_FORGOTTEN = 4_096;

/**
 * A digest (SHA-256 or as strong) that is equal only for equal texts, even if they contain lone surrogates: a provider must not be able to
 * write two texts that are taken for one.
 */
export type TextDigest = (text: string) => string;

/**
 * A growing text. Its older part can be discarded, so that a long answer need not stay in memory as a whole. A text that repeats the
 * growing text from the beginning is still recognised by the digest of the part that is not kept.
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
  /** The positions up to which the text before `recent` is included in `digested`, one after the other. */
  private readonly ends: number[] = [];
  /** The digest of each part before `recent`, together with the digest of all parts before it. */
  private digested = '';

  /** @param digest without it, the text is not compared once a part of it is not kept */
  constructor(private readonly digest?: TextDigest) {}

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
    if (lost > 0) {
      this.ends.push(this.lostUnits + lost);
      this.digested = this.digest?.(this.digested + discarded.slice(0, lost)) ?? '';
    }
    this.recent = ownCopy(discarded.slice(lost));
    this.tail = ownCopy(this.tail.slice(dropped));
    this.from = before;
  }

  /**
   * Whether another text is certainly a prefix of this one or equal to it. The part that is not kept is compared by its digest. A text that
   * ends in this part cannot be compared, so it counts as another text, which is judged separately.
   */
  beginsWith(other: string): boolean {
    if (other.length > this.length) return false;
    if (this.from === 0) return (other.length > this.flat.length ? this.tail : this.flat).startsWith(other);
    if (other.length <= this.head.length) return this.head.startsWith(other);
    const { lostUnits, recent } = this;
    if (other.length < lostUnits || !other.startsWith(this.head)) return false;
    const rest = other.slice(lostUnits);
    const isSameEnd =
      rest.length <= recent.length
        ? recent.startsWith(rest)
        : rest.startsWith(recent) && this.tail.startsWith(rest.slice(recent.length));
    return isSameEnd && this.hasLost(other);
  }

  /** Whether this text is a prefix of another one. */
  isBeginningOf(other: string): boolean {
    return other.length >= this.length && this.beginsWith(other.slice(0, this.length));
  }

  /** The number of units before `recent`. */
  private get lostUnits(): number {
    return this.ends.at(-1) ?? 0;
  }

  /** Whether another text has the part that is not kept. */
  private hasLost(other: string): boolean {
    const { digest } = this;
    if (this.ends.length === 0) return true;
    if (digest === undefined) return false;
    let digested = '';
    let from = 0;
    for (const end of this.ends) {
      digested = digest(digested + other.slice(from, end));
      from = end;
    }
    return digested === this.digested;
  }
}
