import { applyEdits } from '../text/edit.js';
import { editsWithin } from './channels.js';
import type { GuardedChannel } from './guarded-channel.js';
import { eventEdits } from './stream-reader.js';
import type { StreamEvent } from './stream-event.js';

/** A segment of an event, and the part of a channel's text that it stands for. */
interface Piece {
  readonly event: StreamEvent;
  readonly segment: number;
  readonly channel: GuardedChannel;
  readonly start: number;
  readonly end: number;
}

/**
 * A block of an event stream that waits for its texts to be decided. It leaves as one: an event that is cut in two would
 * not be what the provider sent.
 */
export class GuardedBlock {
  private readonly pieces: Piece[] = [];

  /**
   * @param choice the one choice that it is about; undefined when it is about anything else
   * @param waitsForEnd whether it tells clients that the answer is complete
   */
  constructor(
    private readonly block: string,
    private readonly events: readonly StreamEvent[],
    readonly choice: number | undefined,
    readonly waitsForEnd: boolean,
  ) {}

  add(piece: Piece): void {
    this.pieces.push(piece);
  }

  /** Whether it holds a piece of a text that clients put together. */
  get hasText(): boolean {
    return this.pieces.some(({ channel, start, end }) => !channel.channel.whole && end > start);
  }

  /** Whether nothing in it can change any more. */
  get isDecided(): boolean {
    return this.pieces.every(({ channel, end }) => end <= channel.limit);
  }

  /** The block as it leaves. */
  release(): string {
    const edits = this.events.flatMap((event) => {
      const own = this.pieces
        .filter((piece) => piece.event === event)
        .flatMap(({ channel, segment, start, end }) =>
          editsWithin(channel.decidedEdits, start, end).map((edit) => ({ segment, ...edit })),
        );
      return own.length === 0 ? [] : eventEdits(event, own);
    });
    return edits.length === 0
      ? this.block
      : applyEdits(
          this.block,
          edits.sort((a, b) => a.start - b.start),
        );
  }
}
