import { FairQueue } from '../overload/index.js';

export interface AppendQueueLimits {
  /**
   * The maximum number of rows of one statement, including violations and other children. One request may be larger: it then has a
   * separate statement.
   */
  readonly batchRows: number;
  /** Size of one statement in UTF-16 units. */
  readonly batchSize: number;
}

/** Properties of a request that the queue needs. */
export interface QueuedAppend {
  readonly rows: readonly unknown[];
  readonly size: number;
  readonly event: { readonly accountId: string; readonly keyId: string };
  /** Monotonic milliseconds. */
  readonly sinceMs: number;
}

/** Rows of one statement that one account, and one key of it, may have while others store as well. */
const ROWS_BESIDE_OTHERS = [64, 16] as const;
/** A request of more units or rows goes alone: small ones in its statement would wait for all of it. */
const LARGE_UNITS = 128 * 1_024;
const LARGE_ROWS = 64;
/** A caller that has stored nothing for this time counts as gone. */
const LATELY_MS = 60_000;

/**
 * What waits to be stored, and what of it goes into the next statement. Whoever comes while a statement runs waits for its
 * end, so nobody may make statements long for others: accounts, and the keys of each, take turns and have a share of each
 * statement, and what is large goes by itself. Whoever is alone fills statements as far as they go.
 */
export class AppendQueue<Item extends QueuedAppend> {
  private readonly small = new FairQueue<Item>();
  private readonly large = new FairQueue<Item>();
  private readonly lately = new LatelySeen();
  private wasLarge = false;
  /** Of all that wait, in UTF-16 units. */
  private unitsNow = 0;

  constructor(private readonly limits: AppendQueueLimits) {}

  get length(): number {
    return this.small.size + this.large.size;
  }

  get units(): number {
    return this.unitsNow;
  }

  push(item: Item): void {
    const { accountId, keyId } = item.event;
    const isLarge = item.size > LARGE_UNITS || item.rows.length > LARGE_ROWS;
    (isLarge ? this.large : this.small).push([accountId, keyId], item);
    this.unitsNow += item.size;
    this.lately.see(accountId, keyId, item.sinceMs);
  }

  /** Takes out all that came before a time. */
  takeOlderThan(ms: number): readonly Item[] {
    const isOld = ({ sinceMs }: Item): boolean => sinceMs < ms;
    return this.taken([...this.small.removeAll(isOld), ...this.large.removeAll(isOld)]);
  }

  /** Small requests of several, or a large one: the two take turns. Empty only when nothing waits. */
  nextBatch(nowMs: number): readonly Item[] {
    this.lately.forgetBefore(nowMs - LATELY_MS);
    this.wasLarge = this.large.size > 0 && (this.small.size === 0 || !this.wasLarge);
    if (!this.wasLarge) return this.taken(this.nextSmall());
    const next = this.large.shift();
    return this.taken(next === undefined ? [] : [next]);
  }

  private nextSmall(): Item[] {
    const { batchRows, batchSize } = this.limits;
    const batch: Item[] = [];
    const rowsOf = new Map<string, number>();
    let [rows, size] = [0, 0];
    const hasRoom = (path: readonly string[]): boolean =>
      (rowsOf.get(nameOf(path)) ?? 0) < (this.lately.hasOthers(path) ? ROWS_BESIDE_OTHERS[path.length - 1]! : Infinity);
    const fits = (next: Item): boolean =>
      batch.length === 0 || (rows + next.rows.length <= batchRows && size + next.size <= batchSize);
    for (let next = this.small.shift(hasRoom, fits); next !== undefined; next = this.small.shift(hasRoom, fits)) {
      batch.push(next);
      rows += next.rows.length;
      size += next.size;
      const { accountId, keyId } = next.event;
      for (const name of [nameOf([accountId]), nameOf([accountId, keyId])])
        rowsOf.set(name, (rowsOf.get(name) ?? 0) + next.rows.length);
    }
    return batch;
  }

  private taken(items: Item[]): readonly Item[] {
    for (const { size } of items) this.unitsNow -= size;
    return items;
  }
}

/** Accounts and keys that have stored events recently. */
class LatelySeen {
  /** When each key was seen last; who was seen last comes last. */
  private readonly keys = new Map<string, { readonly accountId: string; readonly ms: number }>();
  private readonly keysOf = new Map<string, number>();

  see(accountId: string, keyId: string, ms: number): void {
    const name = nameOf([accountId, keyId]);
    if (!this.keys.delete(name)) this.keysOf.set(accountId, (this.keysOf.get(accountId) ?? 0) + 1);
    this.keys.set(name, { accountId, ms });
  }

  forgetBefore(oldestMs: number): void {
    for (const [name, { accountId, ms }] of this.keys) {
      if (ms >= oldestMs) return;
      this.keys.delete(name);
      const left = (this.keysOf.get(accountId) ?? 1) - 1;
      if (left > 0) this.keysOf.set(accountId, left);
      else this.keysOf.delete(accountId);
    }
  }

  /** Whether there are others beside an account, or beside a key of its account. */
  hasOthers([accountId, keyId]: readonly string[]): boolean {
    return (keyId === undefined ? this.keysOf.size : (this.keysOf.get(accountId ?? '') ?? 0)) > 1;
  }
}

/** Ids hold no spaces. */
function nameOf(path: readonly string[]): string {
  return path.join(' ');
}
