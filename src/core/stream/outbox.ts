import { applyEdits } from '../text/edit.js';
import type { Edit } from '../text/edit.js';
import { editsWithin } from './edits-within.js';
import type { GuardedChannel } from './guarded-channel.js';
import { PriorityQueue } from './priority-queue.js';
import { eventEdits } from './stream-reader.js';
import type { StreamEvent } from './stream-event.js';
import type { TextSnapshot } from './text-snapshots.js';

/** A segment of an event, and the corresponding part of a channel's text. */
interface Piece {
  readonly event: StreamEvent;
  readonly segment: number;
  readonly channel: GuardedChannel;
  readonly start: number;
  readonly end: number;
}

/**
 * A block of an event stream that waits for its texts to be decided. It is forwarded as a whole: an event in two parts
 * would differ from the provider's event.
 */
export class GuardedBlock {
  private readonly pieces: Piece[] = [];
  /** The texts of its events that were whole texts so far. */
  readonly snapshots: TextSnapshot[] = [];
  /** The number of its pieces that were decided at the last check. */
  private decided = 0;

  /**
   * @param choice the only choice that the block concerns; undefined if it concerns anything else
   * @param waitsForEnd whether the block tells clients that the answer is complete
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

  /** Whether the block contains a piece of a text that clients join, or a tool call. */
  get hasText(): boolean {
    return this.pieces.some(({ channel: { channel }, start, end }) => end > start && isAnswer(channel));
  }

  /**
   * A text of which more has to be decided before the block is forwarded; undefined when nothing in the block can
   * change any more.
   */
  get undecided(): GuardedChannel | undefined {
    // A text that turned out to be a part of another text is decided only as far as the other text, so finally all pieces are checked
    // again.
    return this.undecidedFrom(this.decided) ?? this.undecidedFrom(0);
  }

  /**
   * The block in the form that is forwarded.
   * @param wasMasked whether a text of an earlier block was masked: then no log probabilities are forwarded, because they may repeat that
   * text. An event in which only values were restored loses its log probabilities, since they no longer match its text
   */
  release(wasMasked: boolean): { readonly text: string; readonly isMasked: boolean } {
    if (!wasMasked && this.pieces.every(isUnchanged)) return { text: this.block, isMasked: false };
    const byEvent = new Map<StreamEvent, Edit[]>();
    for (const { event, channel, segment, start, end } of this.pieces) {
      const edits = editsWithin(channel.decidedEdits, start, end);
      if (edits.length === 0) continue;
      const own = byEvent.get(event) ?? [];
      byEvent.set(event, own);
      for (const edit of edits) own.push({ segment, ...edit });
    }
    const isMasked = wasMasked || this.pieces.some(({ channel, end }) => channel.isMaskedBefore(end));
    if (!isMasked && byEvent.size === 0) return { text: this.block, isMasked };
    const edits = this.events.flatMap((event) =>
      isMasked || byEvent.has(event) ? eventEdits(event, byEvent.get(event) ?? []) : [],
    );
    const text = applyEdits(
      this.block,
      edits.sort((a, b) => a.start - b.start),
    );
    return { text, isMasked };
  }

  private undecidedFrom(from: number): GuardedChannel | undefined {
    for (let at = from; at < this.pieces.length; at++) {
      const { channel, end } = this.pieces[at]!;
      if (end <= channel.limit) continue;
      this.decided = at;
      return channel;
    }
    return undefined;
  }
}

/** Whether nothing in the piece's text was replaced, and nothing before the piece's end was masked. */
function isUnchanged({ channel, end }: Piece): boolean {
  return channel.decidedEdits.length === 0 && !channel.isMaskedBefore(end);
}

/** Whether a text belongs to the answer itself, and not to the data about it. */
function isAnswer({ whole, role }: GuardedChannel['channel']): boolean {
  return !whole || role === 'tool_call';
}

/** A first-in, first-out queue that keeps no reference to removed elements. */
class Line<Thing> {
  private waiting: (Thing | undefined)[] = [];
  private at = 0;

  get first(): Thing | undefined {
    return this.waiting[this.at];
  }

  get last(): Thing | undefined {
    return this.waiting.at(-1);
  }

  add(thing: Thing): void {
    this.waiting.push(thing);
  }

  drop(): void {
    this.waiting[this.at++] = undefined;
    const isEmpty = this.at === this.waiting.length;
    if (!isEmpty && (this.at < 1_024 || this.at * 2 < this.waiting.length)) return;
    this.waiting = isEmpty ? [] : this.waiting.slice(this.at);
    this.at = 0;
  }
}

/** A block with its position in the stream. */
interface Waiting {
  readonly block: GuardedBlock;
  readonly order: number;
}

/** Blocks of one choice in their original order. */
class Lane {
  readonly blocks = new Line<Waiting>();

  constructor(readonly group: Group) {}
}

/** The lanes of all choices; no lane waits for another. */
class Group {
  readonly lanes = new Map<number | undefined, Lane>();
  /** Lanes whose first block has not been checked. */
  readonly unsure = new Set<Lane>();
  /** The first blocks that are ready, in their original order. */
  readonly ready = new PriorityQueue<Waiting & { readonly lane: Lane }>(({ order }) => order);
}

/**
 * The blocks of a stream that wait to be forwarded. They are forwarded in the order of their arrival, but a block of one choice
 * does not wait for a block of another, because clients assemble each choice separately. Blocks that belong to no single
 * choice, such as all events of a provider without choices, keep their position among all others.
 *
 * However many blocks wait, a block is checked only if there is new information about it.
 */
export class Outbox {
  /** All blocks of one group are forwarded before the next group. */
  private readonly groups = new Line<Group>();
  /** Lanes whose first block waits for a text to be decided. */
  private readonly waiting = new Map<GuardedChannel, Set<Lane>>();
  /** Lanes whose first block waits for the end of the answer. */
  private readonly atEnd = new Set<Lane>();
  private order = 0;
  private isComplete = false;

  /** Whether no block has arrived yet. */
  get isUnused(): boolean {
    return this.order === 0;
  }

  add(block: GuardedBlock): void {
    const group = this.groupFor(block);
    const lane = group.lanes.get(block.choice) ?? new Lane(group);
    group.lanes.set(block.choice, lane);
    if (lane.blocks.first === undefined) group.unsure.add(lane);
    lane.blocks.add({ block, order: this.order++ });
  }

  /** Called when more of a text is decided, or when it turned out to be a part of another one. */
  decided(channel: GuardedChannel): void {
    const lanes = this.waiting.get(channel);
    if (lanes === undefined) return;
    this.waiting.delete(channel);
    for (const lane of lanes) lane.group.unsure.add(lane);
  }

  /** Called when the answer is complete and judged. */
  complete(): void {
    this.isComplete = true;
    for (const lane of this.atEnd) lane.group.unsure.add(lane);
    this.atEnd.clear();
  }

  /** Removes and returns the next block that is ready. */
  take(): GuardedBlock | undefined {
    for (let group = this.groups.first; group !== undefined; group = this.groups.first) {
      for (const lane of group.unsure) this.look(lane);
      group.unsure.clear();
      const next = group.ready.take();
      if (next !== undefined) {
        const { lane, block } = next;
        lane.blocks.drop();
        if (lane.blocks.first === undefined) group.lanes.delete(block.choice);
        else group.unsure.add(lane);
        return block;
      }
      // An empty last group is kept for the next block, because most events are forwarded at once.
      if (group.lanes.size > 0 || group === this.groups.last) return undefined;
      this.groups.drop();
    }
    return undefined;
  }

  private groupFor({ choice }: GuardedBlock): Group {
    const last = this.groups.last;
    if (last !== undefined && (last.lanes.size === 0 || last.lanes.has(undefined) === (choice === undefined)))
      return last;
    const group = new Group();
    this.groups.add(group);
    return group;
  }

  /** Determines whether the first block of a lane waits for a text, for the end of the answer, or for nothing. */
  private look(lane: Lane): void {
    const { first } = lane.blocks;
    if (first === undefined) return;
    const { block } = first;
    const channel = block.undecided?.decidedBy;
    if (channel !== undefined) {
      const lanes = this.waiting.get(channel);
      if (lanes === undefined) this.waiting.set(channel, new Set([lane]));
      else lanes.add(lane);
    } else if (block.waitsForEnd && !this.isComplete) this.atEnd.add(lane);
    else lane.group.ready.add({ ...first, lane });
  }
}
