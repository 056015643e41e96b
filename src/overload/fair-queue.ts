interface Flow<Item> {
  readonly flows: Map<string, Flow<Item>>;
  items: Item[];
  size: number;
}

/**
 * A queue in which all parties take turns, regardless of the number of their waiting requests. With a path such as account, then key,
 * accounts take turns, and so do the keys within each.
 */
export class FairQueue<Item> {
  private readonly root: Flow<Item> = emptyFlow();

  get size(): number {
    return this.root.size;
  }

  /** The number of items at a path or below it. */
  sizeOf(path: readonly string[]): number {
    return this.flowOf(path)?.size ?? 0;
  }

  /** The number of parties that take turns at the first level. */
  get parties(): number {
    return this.root.flows.size;
  }

  push(path: readonly string[], item: Item): void {
    let flow = this.root;
    flow.size++;
    for (const name of path) {
      let next = flow.flows.get(name);
      if (next === undefined) flow.flows.set(name, (next = emptyFlow()));
      flow = next;
      flow.size++;
    }
    flow.items.push(item);
  }

  /**
   * Removes and returns the next item. Its party moves behind all others.
   * @param mayGo called with paths and their prefixes; a party for which it returns false keeps its place
   * @param isWanted asked about the next item; if it is not wanted, nothing changes
   */
  shift(
    mayGo: (path: readonly string[]) => boolean = () => true,
    isWanted: (item: Item) => boolean = () => true,
  ): Item | undefined {
    const path = nextPath(this.root, mayGo, []);
    const next = path === undefined ? undefined : this.flowOf(path)?.items[0];
    return path === undefined || next === undefined || !isWanted(next) ? undefined : takeNext(this.root, path, 0);
  }

  /** Removes and returns the newest item of the party with most waiting: the party that fills the queue makes room. */
  popFromLongest(): Item | undefined {
    return this.size === 0 ? undefined : takeLast(this.root);
  }

  /** Removes and returns all items that pass a test, in no particular order. */
  removeAll(test: (item: Item) => boolean): Item[] {
    return this.size === 0 ? [] : takeAll(this.root, test);
  }

  private flowOf(path: readonly string[]): Flow<Item> | undefined {
    let flow: Flow<Item> | undefined = this.root;
    for (const name of path) flow = flow?.flows.get(name);
    return flow;
  }
}

function emptyFlow<Item>(): Flow<Item> {
  return { flows: new Map(), items: [], size: 0 };
}

function nextPath<Item>(
  { flows, items }: Flow<Item>,
  mayGo: (path: readonly string[]) => boolean,
  path: readonly string[],
): readonly string[] | undefined {
  for (const [name, next] of flows) {
    const own = [...path, name];
    const found = mayGo(own) ? nextPath(next, mayGo, own) : undefined;
    if (found !== undefined) return found;
  }
  return items.length > 0 ? path : undefined;
}

function takeNext<Item>(flow: Flow<Item>, path: readonly string[], depth: number): Item {
  flow.size--;
  const name = path[depth];
  if (name === undefined) return flow.items.shift()!;
  const next = flow.flows.get(name)!;
  flow.flows.delete(name);
  const item = takeNext(next, path, depth + 1);
  if (next.size > 0) flow.flows.set(name, next);
  return item;
}

function takeLast<Item>(flow: Flow<Item>): Item {
  flow.size--;
  let longest: [string, Flow<Item>] | undefined;
  for (const entry of flow.flows) if (longest === undefined || entry[1].size > longest[1].size) longest = entry;
  if (longest === undefined) return flow.items.pop()!;
  const item = takeLast(longest[1]);
  if (longest[1].size === 0) flow.flows.delete(longest[0]);
  return item;
}

function takeAll<Item>(flow: Flow<Item>, test: (item: Item) => boolean): Item[] {
  const taken = flow.items.filter(test);
  if (taken.length > 0) flow.items = flow.items.filter((item) => !test(item));
  for (const [name, next] of flow.flows) {
    taken.push(...takeAll(next, test));
    if (next.size === 0) flow.flows.delete(name);
  }
  flow.size -= taken.length;
  return taken;
}
