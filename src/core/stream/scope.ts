/** Which text an event goes on with. */
export interface Scope {
  /** Equal for all events that go on with the same texts. */
  readonly key: string;
  /** The event's type. */
  readonly type: string;
  /** The block or item that the event is about. */
  readonly index?: number;
  /** The part of the item's content, or of its summary. */
  readonly part?: number;
}

/**
 * What a text in an event is:
 * - `whole`: complete as it is;
 * - `retold`: complete as it is, and told again as it was by other events;
 * - `piece`: what comes under the same path in other events continues it;
 * - `either`: it may be a piece or complete, the dialect does not say: it is read both ways;
 * - `beginning`: pieces continue it that are found elsewhere;
 * - `repeat`: a text so far, told again with every event.
 */
export type PieceKind = 'whole' | 'retold' | 'piece' | 'either' | 'beginning' | 'repeat';
