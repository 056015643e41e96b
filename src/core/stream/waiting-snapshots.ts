import type { Channels, HeldPiece } from './channels.js';
import type { GuardedBlock } from './outbox.js';
import type { StreamEvent } from './stream-event.js';
import type { TextSnapshot } from './text-snapshots.js';

/** The place of a text in the blocks that wait to be forwarded. */
export interface TextPlace {
  readonly event: StreamEvent;
  readonly segment: number;
  readonly block: GuardedBlock;
}

/** A snapshot that is judged by itself since its text has gone on, and its place. */
export interface OutgrownPiece extends TextPlace {
  readonly held: HeldPiece;
}

/** The events with snapshots of texts that wait to be forwarded. */
export class WaitingSnapshots {
  private readonly places = new Map<TextSnapshot, TextPlace>();

  constructor(private readonly channels: Channels) {}

  note(snapshot: TextSnapshot, place: TextPlace): void {
    place.block.snapshots.push(snapshot);
    this.places.set(snapshot, place);
  }

  /** Called when a block is forwarded. */
  forwarded({ snapshots }: GuardedBlock): void {
    for (const snapshot of snapshots) {
      this.places.delete(snapshot);
      this.channels.forwarded(snapshot);
    }
  }

  /** Returns the snapshots that have to be judged by themselves; each only once. */
  takeOutgrown(): OutgrownPiece[] {
    return this.channels.takeOutgrown().flatMap(({ snapshot, held }) => {
      const place = this.places.get(snapshot);
      return place === undefined ? [] : [{ ...place, held }];
    });
  }
}
