import type { Scope } from '../providers/stream-family.js';

/**
 * Numbers the runs of the texts of blocks. A run ends where an event begins the block, or the whole message, once more: some clients then
 * begin a new text, and others continue the text before it.
 */
export class BlockRuns {
  /** The runs of the blocks that have begun in the current message. */
  private readonly runs = new Map<Scope['index'], number>();
  private ofMessage = 0;
  private last = 0;

  /** Returns the number of the run of an event's texts; undefined if the event belongs to no block. */
  note({ family, type, index }: Scope): number | undefined {
    const restarts = family.restarts(type);
    if (restarts === 'all' && this.runs.size > 0) {
      this.ofMessage = ++this.last;
      this.runs.clear();
    }
    if (index === undefined) return undefined;
    if (restarts === 'block') this.runs.set(index, this.runs.has(index) ? ++this.last : this.ofMessage);
    return this.runs.get(index) ?? this.ofMessage;
  }
}
