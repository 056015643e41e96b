import type { Channel } from './channels.js';
import type { PlacedCall } from './stream-event.js';
import { StreamOrderError } from './stream-order-error.js';

/** The maximum number of verdicts on one call. Each reads all pieces of the call, and a provider needs few. */
const MOST_VERDICTS = 64;

/** The pieces of one call, and the texts and blocks to which they belong. */
export class CallGroup {
  readonly pieces: PlacedCall[] = [];
  readonly channels = new Set<Channel>();
  readonly blocks = new Set<string>();
  /** The number of pieces, from the first, that are known to be complete. */
  private complete = 0;
  /** The number of pieces whose names were judged before the call was complete. */
  private early = 0;
  private verdicts = 0;

  /** The block or item of the call. */
  get index(): PlacedCall['scope']['index'] {
    return this.pieces[0]?.scope.index;
  }

  /** Whether all pieces are complete; once a piece is, it is not asked again. */
  arePiecesComplete(isComplete: (piece: PlacedCall) => boolean): boolean {
    this.complete = firstFrom(this.pieces, this.complete, (piece) => !isComplete(piece));
    return this.complete === this.pieces.length;
  }

  /** Called when a text of the call turned out to be a part of another one, which may go on. */
  reopen(): void {
    this.complete = 0;
  }

  /** Returns the pieces that have arrived since the last time. */
  takeEarly(): readonly PlacedCall[] {
    const pieces = this.pieces.slice(this.early);
    this.early = this.pieces.length;
    return pieces;
  }

  /** Called before a verdict on the call. @throws StreamOrderError for a call that a stream repeats again and again */
  countVerdict(): void {
    if (++this.verdicts > MOST_VERDICTS) throw new StreamOrderError('the stream repeats a tool call too often');
  }
}

/** The position of the first element that is like this, from a position on; the length of the list if there is none. */
export function firstFrom<T extends object>(list: readonly T[], from: number, isLike: (each: T) => boolean): number {
  let at = from;
  for (; at < list.length; at++) {
    const each = list[at];
    if (each !== undefined && isLike(each)) break;
  }
  return at;
}
