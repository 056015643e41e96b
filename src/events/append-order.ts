/** A waiting request whose order matters. */
interface Place<Item> {
  readonly item: Item;
  readonly isLarge: boolean;
  /** The number of requests that have to leave the queue first; above 0, the request is held back. */
  blockers: number;
  /** The requests that are held back because of this one. */
  readonly followers: Place<Item>[];
}

/**
 * Keeps the order of related requests. Small and large requests wait in separate queues, so a small request could be stored before an
 * earlier, large one of its call, and the events of a call are counted in the order in which they are stored. A request whose latest
 * relative waits in the other queue is therefore held back until that one has left it.
 */
export class AppendOrder<Item extends { readonly names: readonly string[] }> {
  /** The latest waiting request of each name. */
  private readonly latest = new Map<string, Place<Item>>();
  private readonly places = new Map<Item, Place<Item>>();
  private heldNow = 0;

  /** The number of requests that are held back. */
  get held(): number {
    return this.heldNow;
  }

  /** @returns whether the request may join its queue now; otherwise `leave` returns it later */
  enter(item: Item, isLarge: boolean): boolean {
    const place: Place<Item> = { item, isLarge, blockers: 0, followers: [] };
    // A relative in the same queue is ahead of this request there, because both have the same key in nearly all cases.
    for (const relative of this.relativesOf(item)) {
      if (relative.isLarge === isLarge && relative.blockers === 0) continue;
      relative.followers.push(place);
      place.blockers++;
    }
    for (const name of item.names) this.latest.set(name, place);
    this.places.set(item, place);
    if (place.blockers > 0) this.heldNow++;
    return place.blockers === 0;
  }

  /** To be called when a request has left its queue. @returns the requests that may now join their queues, in order */
  leave(item: Item): readonly Item[] {
    const place = this.places.get(item);
    if (place === undefined) return [];
    this.places.delete(item);
    for (const name of item.names) if (this.latest.get(name) === place) this.latest.delete(name);
    const freed: Item[] = [];
    this.free(place.followers, freed);
    return freed;
  }

  /**
   * Removes all requests that are held back and pass a test; `leave` must be called with each of them. If one passes, earlier ones must
   * pass as well, because later ones may then join their queues.
   */
  removeHeld(test: (item: Item) => boolean): readonly Item[] {
    const held = this.heldNow === 0 ? [] : [...this.places.values()].filter(({ blockers }) => blockers > 0);
    const removed = held.filter(({ item }) => test(item));
    // So that they do not join their queues when their relatives leave.
    for (const place of removed) place.blockers = Infinity;
    this.heldNow -= removed.length;
    return removed.map(({ item }) => item);
  }

  /** The latest waiting request of each of its names; usually there is none. */
  private relativesOf({ names }: Item): Iterable<Place<Item>> {
    let relatives: Set<Place<Item>> | undefined;
    for (const name of names) {
      const relative = this.latest.get(name);
      if (relative !== undefined) (relatives ??= new Set()).add(relative);
    }
    return relatives ?? [];
  }

  private free(followers: readonly Place<Item>[], freed: Item[]): void {
    for (const follower of followers) {
      follower.blockers--;
      if (follower.blockers > 0) continue;
      this.heldNow--;
      freed.push(follower.item);
    }
  }
}
