import type { Channel } from './channels.js';
import type { PlacedCall } from './stream-event.js';
import { StreamOrderError } from './stream-order-error.js';

/**
 * The maximum number of verdicts on one call for which all of its pieces are read. A provider needs few, however often it repeats the complete
 * call.
 */
const MOST_VERDICTS = 64;
/** The maximum length of the texts of a call that is recognised when it is repeated. */
const MOST_UNITS = 64 * 1024;

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
  /** The number of pieces, from the first, that were judged. */
  private judged = 0;
  /** Keys of the whole calls that were judged. */
  private readonly known = new Set<string>();
  private readonly numbers = new Map<Channel, number>();

  /** @param isRepeatable whether other events can repeat or continue the call */
  constructor(private readonly isRepeatable = true) {}

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

  /**
   * Returns the pieces that are read for a verdict on the call: the new ones if each of them only repeats a whole call that was judged,
   * otherwise all.
   * @throws StreamOrderError for a call that a stream completes in other ways again and again
   */
  takeForVerdict(): readonly PlacedCall[] {
    const added = this.pieces.slice(this.judged);
    this.judged = this.pieces.length;
    if (this.isRepeatable && added.length > 0 && this.areKnown(added)) return added;
    if (++this.verdicts > MOST_VERDICTS) throw new StreamOrderError('the stream repeats a tool call too often');
    return this.pieces;
  }

  /** Whether all of these pieces repeat whole calls that were judged. Notes the others, as far as the limits allow. */
  private areKnown(pieces: readonly PlacedCall[]): boolean {
    let areKnown = true;
    for (const piece of pieces) {
      const key = this.keyOf(piece);
      if (key !== undefined && this.known.has(key)) continue;
      areKnown = false;
      if (this.known.size >= MOST_VERDICTS) break;
      if (key !== undefined) this.known.add(key);
    }
    return areKnown;
  }

  /** A key that is equal for whole calls with equal texts; undefined for a piece that other events may continue, and for a long one. */
  private keyOf({ call, scope, channels }: PlacedCall): string | undefined {
    const { id, names, joinedNames, args } = call;
    if (call.partial || scope.family.begins(scope.type)) return undefined;
    const units = channels.reduce((sum, { role, content }) => sum + (role === 'tool_call' ? content.length : 0), 0);
    if (units > MOST_UNITS) return undefined;
    // Not everything of a long result is kept, but a repeated one is the same text.
    const texts = channels.map((channel) => (channel.role === 'tool_call' ? channel.text : this.numberOf(channel)));
    return JSON.stringify([id, names, joinedNames, args, texts]);
  }

  private numberOf(channel: Channel): number {
    const number = this.numbers.get(channel) ?? this.numbers.size;
    this.numbers.set(channel, number);
    return number;
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
