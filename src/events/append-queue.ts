import { FairQueue } from '../overload/index.js';
import { AppendOrder } from './append-order.js';

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
  /** The result of `keyNameOf` for the event. */
  readonly keyName: string;
  /** Monotonic milliseconds. */
  readonly sinceMs: number;
  /** The names that it has in common with related requests, of which an earlier one must be stored first. */
  readonly names: readonly string[];
}

/** Maximum number of rows of one account, and of one of its keys, in a statement, while others store events as well. */
const ROWS_BESIDE_OTHERS = [64, 16] as const;
/**
 * A request with more units or rows gets its own statement: otherwise small requests in the same statement would wait for the large one.
 */
const LARGE_UNITS = 128 * 1_024;
const LARGE_ROWS = 64;
/** A caller that has stored nothing for this time is treated as absent. */
const LATELY_MS = 60_000;

/** Whether a request gets a statement of its own. */
export function isLarge({ size, rows }: Pick<QueuedAppend, 'size' | 'rows'>): boolean {
  return size > LARGE_UNITS || rows.length > LARGE_ROWS;
}

/**
 * The queue of requests to be stored; it selects those of the next statement. A request that arrives while a statement runs waits for its
 * end, so no caller may make statements long for others: accounts, and the keys of each, take turns and have a share of each statement, and
 * large requests get statements of their own. A caller that is alone may fill whole statements.
 */
export class AppendQueue<Item extends QueuedAppend> {
  private readonly small = new FairQueue<Item>();
  private readonly large = new FairQueue<Item>();
  private readonly order = new AppendOrder<Item>();
  private readonly lately = new LatelySeen();
  private wasLarge = false;
  /** Total size of the waiting requests, in UTF-16 units. */
  private unitsNow = 0;

  constructor(private readonly limits: AppendQueueLimits) {}

  get length(): number {
    return this.small.size + this.large.size + this.order.held;
  }

  get units(): number {
    return this.unitsNow;
  }

  push(item: Item): void {
    if (this.order.enter(item, isLarge(item))) this.join(item);
    this.unitsNow += item.size;
    this.lately.see(item.event.accountId, item.keyName, item.sinceMs);
  }

  /** Removes all requests that arrived before a time. */
  takeOlderThan(ms: number): readonly Item[] {
    const isOld = ({ sinceMs }: Item): boolean => sinceMs < ms;
    return this.taken([
      ...this.order.removeHeld(isOld),
      ...this.small.removeAll(isOld),
      ...this.large.removeAll(isOld),
    ]);
  }

  /**
   * Returns alternately small requests of several callers and one large request. Empty only when no request waits.
   */
  nextBatch(nowMs: number): readonly Item[] {
    this.lately.forgetBefore(nowMs - LATELY_MS);
    this.wasLarge = this.large.size > 0 && (this.small.size === 0 || !this.wasLarge);
    if (!this.wasLarge) return this.taken(this.nextSmall());
    const next = this.large.shift();
    return this.taken(next === undefined ? [] : [next]);
  }

  private join(item: Item): void {
    const { accountId, keyId } = item.event;
    (isLarge(item) ? this.large : this.small).push([accountId, keyId], item);
  }

  private nextSmall(): Item[] {
    const { batchRows, batchSize } = this.limits;
    const batch: Item[] = [];
    const rowsOf = new Map<string, number>();
    let [rows, size] = [0, 0];
    const hasRoom = (path: readonly string[]): boolean =>
      (rowsOf.get(nameOf(path)) ?? 0) < (this.lately.hasOthers(path) ? ROWS_BESIDE_OTHERS[path.length - 1]! : Infinity);
    const count = (name: string, more: number): void => void rowsOf.set(name, (rowsOf.get(name) ?? 0) + more);
    const fits = (next: Item): boolean =>
      batch.length === 0 || (rows + next.rows.length <= batchRows && size + next.size <= batchSize);
    for (let next = this.small.shift(hasRoom, fits); next !== undefined; next = this.small.shift(hasRoom, fits)) {
      batch.push(next);
      rows += next.rows.length;
      size += next.size;
      count(next.event.accountId, next.rows.length);
      count(next.keyName, next.rows.length);
    }
    return batch;
  }

  private taken(items: Item[]): readonly Item[] {
    for (const item of items) {
      this.unitsNow -= item.size;
      for (const freed of this.order.leave(item)) this.join(freed);
    }
    return items;
  }
}

interface Seen {
  readonly accountId: string;
  ms: number;
}

/** Accounts and keys that have stored events recently. */
class LatelySeen {
  /** When each key was last seen; the most recent one comes last. */
  private readonly keys = new Map<string, Seen>();
  private readonly keysOf = new Map<string, number>();
  private latest: Seen | undefined;

  see(accountId: string, keyName: string, ms: number): void {
    const seen = this.keys.get(keyName);
    if (seen !== undefined && seen === this.latest) {
      seen.ms = ms;
      return;
    }
    if (!this.keys.delete(keyName)) this.keysOf.set(accountId, (this.keysOf.get(accountId) ?? 0) + 1);
    this.latest = { accountId, ms };
    this.keys.set(keyName, this.latest);
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

  /** Whether other accounts, or other keys of this account, have stored events recently. */
  hasOthers([accountId, keyId]: readonly string[]): boolean {
    return (keyId === undefined ? this.keysOf.size : (this.keysOf.get(accountId ?? '') ?? 0)) > 1;
  }
}

/** The name of a key and its account, which is unambiguous because ids contain no spaces. */
export function keyNameOf({ accountId, keyId }: QueuedAppend['event']): string {
  return `${accountId} ${keyId}`;
}

/** The name of an account, or of one of its keys. */
function nameOf([accountId = '', keyId]: readonly string[]): string {
  return keyId === undefined ? accountId : keyNameOf({ accountId, keyId });
}
