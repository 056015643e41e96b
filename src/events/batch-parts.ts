import type { DatabaseError } from '../database/index.js';

/** Properties of a request that decide with which others it stays together. */
interface PartItem {
  /** The names that it has in common with related requests, of which an earlier one must be stored first. */
  readonly names: readonly string[];
  /** The name of its account and key. */
  readonly keyName: string;
}

/**
 * Divides a batch of which the database refused a part, until the refused requests are found and all others are stored. The largest parts
 * are tried first, so that most requests are stored soon, even if there is no time to find each refused one. Related requests stay in
 * order: a part with some of them is settled before later ones are stored.
 */
export class BatchParts<Item extends PartItem> {
  /**
   * @param attempt tries to store requests. Returns the refusal if none was stored; otherwise it has settled all of them
   * @param refuse settles the one request that the database refuses
   */
  constructor(
    private readonly attempt: (items: readonly Item[]) => Promise<DatabaseError | undefined>,
    private readonly refuse: (item: Item, refusal: DatabaseError) => void,
  ) {}

  /** Settles all requests of a batch that the database refused. */
  async settle(batch: readonly Item[], refusal: DatabaseError): Promise<void> {
    const refused = [{ groups: groupsOf(batch), refusal }];
    for (let next = refused.shift(); next !== undefined; next = refused.shift()) {
      const [only, ...others] = next.groups;
      if (only !== undefined && others.length === 0) {
        await this.settleInOrder(only, next.refusal);
        continue;
      }
      for (const groups of halvesOf(next.groups)) {
        const again = await this.attempt(groups.flat());
        if (again !== undefined) refused.push({ groups, refusal: again });
      }
    }
  }

  /** Settles refused requests that are related: the first ones before later ones are tried. */
  private async settleInOrder(items: readonly Item[], refusal: DatabaseError): Promise<void> {
    const [only, ...others] = items;
    if (only !== undefined && others.length === 0) {
      this.refuse(only, refusal);
      return;
    }
    for (const half of halvesOf(items)) {
      const again = await this.attempt(half);
      if (again !== undefined) await this.settleInOrder(half, again);
    }
  }
}

/**
 * The related requests of a batch, each group in the order of the batch. Groups of one key are adjacent, because a lock often affects one
 * key.
 */
function groupsOf<Item extends PartItem>(batch: readonly Item[]): Item[][] {
  /** For each request, the position of an earlier one of its group; its own for the first one. */
  const earlier = batch.map((_, position) => position);
  const firstOf = (position: number): number => {
    const before = earlier[position] ?? position;
    return before === position ? position : firstOf(before);
  };
  const named = new Map<string, number>();
  batch.forEach(({ names }, position) => {
    for (const name of names) {
      const other = named.get(name) ?? position;
      named.set(name, other);
      const [first = position, second = position] = [firstOf(other), firstOf(position)].sort((a, b) => a - b);
      earlier[second] = first;
    }
  });
  const groups = [...Map.groupBy(batch, (_, position) => firstOf(position)).values()];
  return [...Map.groupBy(groups, ([first]) => first?.keyName).values()].flat();
}

function halvesOf<Item>(items: readonly Item[]): [Item[], Item[]] {
  const middle = Math.ceil(items.length / 2);
  return [items.slice(0, middle), items.slice(middle)];
}
