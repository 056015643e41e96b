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

/** Blocks of one choice, in the order in which they came. */
class Lane {
  private readonly waiting: { readonly block: GuardedBlock; readonly order: number }[] = [];
  private at = 0;

  add(block: GuardedBlock, order: number): void {
    this.waiting.push({ block, order });
  }

  get next(): { readonly block: GuardedBlock; readonly order: number } | undefined {
    return this.waiting[this.at];
  }

  drop(): void {
    this.at++;
    if (this.at < 1_024 || this.at * 2 < this.waiting.length) return;
    this.waiting.splice(0, this.at);
    this.at = 0;
  }
}

/**
 * The blocks of a stream that wait to leave. They leave in the order in which they came, but a block of one choice does
 * not wait for one of another: clients put each choice together on its own. What belongs to no single choice, as every
 * event of a provider without choices, keeps its place among all others.
 */
export class Outbox {
  /** Lanes by choice; what is in one group leaves before anything of the next. */
  private readonly groups: Map<number | undefined, Lane>[] = [];
  private order = 0;

  /** Whether nothing has ever come. */
  get isUnused(): boolean {
    return this.order === 0;
  }

  add(block: GuardedBlock): void {
    const last = this.groups.at(-1);
    const joins = last !== undefined && last.has(undefined) === (block.choice === undefined);
    const group = joins ? last : new Map<number | undefined, Lane>();
    if (!joins) this.groups.push(group);
    const lane = group.get(block.choice) ?? new Lane();
    group.set(block.choice, lane);
    lane.add(block, this.order++);
  }

  /** Takes the next block that may leave. */
  take(mayLeave: (block: GuardedBlock) => boolean): GuardedBlock | undefined {
    for (;;) {
      const [group] = this.groups;
      if (group === undefined) return undefined;
      if (group.size === 0) {
        this.groups.shift();
        continue;
      }
      const found = nextLane(group, mayLeave);
      if (found === undefined) return undefined;
      const { lane, block } = found;
      lane.drop();
      if (lane.next === undefined) group.delete(block.choice);
      return block;
    }
  }
}

/** The lane of the earliest block that may leave. */
function nextLane(
  group: ReadonlyMap<number | undefined, Lane>,
  mayLeave: (block: GuardedBlock) => boolean,
): { readonly lane: Lane; readonly block: GuardedBlock } | undefined {
  let first: { readonly lane: Lane; readonly block: GuardedBlock; readonly order: number } | undefined;
  for (const lane of group.values()) {
    const { next } = lane;
    if (next === undefined || (first !== undefined && next.order > first.order) || !mayLeave(next.block)) continue;
    first = { lane, ...next };
  }
  return first;
}
