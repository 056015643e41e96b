import { applyEdits, type Edit } from '../redaction/edit.js';
import type { GuardedChannel } from './guarded-channel.js';
import { eventEdits, type StreamEvent } from './stream-reader.js';

/** A piece of a channel's text: a segment of an event, and its place in the channel. */
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
  /** Whether it tells clients that the answer is complete. */
  waitsForEnd = false;
  private readonly pieces: Piece[] = [];

  constructor(
    private readonly block: string,
    private readonly events: readonly StreamEvent[],
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
      const own = this.pieces.filter((piece) => piece.event === event).flatMap(pieceEdits);
      return own.length === 0 ? [] : eventEdits(event, own);
    });
    for (const { channel, end } of this.pieces) channel.forget(end);
    return applyEdits(
      this.block,
      edits.sort((a, b) => a.start - b.start),
    );
  }
}

/** The first piece that a range touches has the replacement. */
function pieceEdits({ channel, segment, start, end }: Piece): Edit[] {
  return channel.edits
    .filter((edit) => edit.end > start && edit.start < end)
    .map((edit) => ({
      segment,
      start: Math.max(edit.start, start) - start,
      end: Math.min(edit.end, end) - start,
      replacement: edit.start >= start ? edit.replacement : '',
    }));
}
