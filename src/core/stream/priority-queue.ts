/** A priority queue: a binary heap (Knuth, The Art of Computer Programming, volume 3, 5.2.3). */
export class PriorityQueue<Thing> {
  private readonly things: Thing[] = [];

  /** @param rankOf the rank of an element, which must not change while the element is in the queue */
  constructor(private readonly rankOf: (thing: Thing) => number) {}

  add(thing: Thing): void {
    const { things, rankOf } = this;
    const rank = rankOf(thing);
    let at = things.push(thing) - 1;
    while (at > 0) {
      const above = (at - 1) >> 1;
      if (rankOf(things[above]!) <= rank) break;
      things[at] = things[above]!;
      at = above;
    }
    things[at] = thing;
  }

  /** Removes and returns the least element; undefined when the queue is empty. */
  take(): Thing | undefined {
    const { things } = this;
    const least = things[0];
    const last = things.pop();
    if (last !== undefined && things.length > 0) this.sink(last);
    return least;
  }

  /** Moves an element from the top to its position. */
  private sink(thing: Thing): void {
    const { things, rankOf } = this;
    const rank = rankOf(thing);
    let at = 0;
    for (let below = 1; below < things.length; below = 2 * at + 1) {
      if (below + 1 < things.length && rankOf(things[below + 1]!) < rankOf(things[below]!)) below++;
      if (rankOf(things[below]!) >= rank) break;
      things[at] = things[below]!;
      at = below;
    }
    things[at] = thing;
  }
}
