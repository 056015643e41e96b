import type { Channel } from './channels.js';
import type { GuardedChannel } from './guarded-channel.js';
import { blockKey, type EndedTexts } from './stream-ends.js';
import type { PlacedCall } from './stream-event.js';
import { isBegun } from './stream-tool-calls.js';

/**
 * Tracks which tool calls of a stream are complete. Even a call that one event contains completely is complete only when all of its texts
 * have ended: only then are they scanned, and a verdict on a call with unscanned texts would mask nothing in them.
 */
export class CallEnds {
  private readonly begun = new Set<string>();
  private readonly ended = new Set<string>();

  /** @param channels every text that can continue, and every text of a tool call */
  constructor(private readonly channels: ReadonlyMap<Channel, GuardedChannel>) {}

  /** Called for an event with a call or a piece of one. */
  see({ scope }: PlacedCall): void {
    if (isBegun(scope)) this.begun.add(blockKey(scope));
  }

  /** Called for an event that ends texts. @returns the blocks and items that it ends */
  end({ block }: EndedTexts): readonly string[] {
    if (block === undefined) return [];
    const blocks = block === 'all' ? [...this.begun] : [block];
    for (const each of blocks) this.ended.add(each);
    if (block === 'all') this.begun.clear();
    return blocks;
  }

  /** Whether the call that a piece belongs to has ended. */
  isComplete({ scope, channels }: PlacedCall): boolean {
    if (isBegun(scope) && !this.ended.has(blockKey(scope))) return false;
    return channels.every((channel) => this.isClosed(channel));
  }

  /** Whether a block or item has ended. @param block its key */
  hasEnded(block: string): boolean {
    return this.ended.has(block);
  }

  isClosed(channel: Channel): boolean {
    const guarded = this.channels.get(channel);
    return guarded === undefined ? channel.whole : guarded.decidedBy.closed;
  }
}
