import { LRUCache } from 'lru-cache';

export interface CacheOptions {
  readonly lifetimeMs: number;
  readonly maxEntries: number;
  readonly nowMs: () => number;
  /** Set to refresh the entries in use before they expire. */
  readonly ahead?: RefreshOptions;
}

/** Options for refreshing entries before they expire, so that no call has to wait for the query. */
export interface RefreshOptions {
  /** Time between two rounds; this time plus the duration of a query must be shorter than the lifetime of an entry. */
  readonly everyMs: number;
  /** An entry that was not used for this time is only refreshed on its next use. */
  readonly idleMs: number;
  /** Maximum number of entries per round; the most recently used are refreshed. */
  readonly maxEntries: number;
}

/** A deletion must take effect within a second: the rest of the second is a margin for clocks and timers. */
export const CACHE_DEFAULTS: CacheOptions = { lifetimeMs: 900, maxEntries: 10_000, nowMs: () => performance.now() };

export const AHEAD_DEFAULTS: RefreshOptions = { everyMs: 400, idleMs: 60_000, maxEntries: 1_000 };

interface Entry<Value> {
  value: Promise<Value | null>;
  askedAtMs: number;
  usedAtMs: number;
  /** Absent while the query is pending. */
  known?: Value;
}

/**
 * Caches the holder of a credential for under a second, so that a busy key costs one query per second and replica. The age of an entry
 * counts from before its query was sent: a deletion takes effect everywhere within `lifetimeMs`, and at once in a process where
 * `forget` is called.
 */
export class CredentialCache<Value> {
  private readonly entries: LRUCache<string, Entry<Value>>;

  constructor(private readonly options: CacheOptions = CACHE_DEFAULTS) {
    this.entries = new LRUCache({ max: options.maxEntries });
  }

  /**
   * Returns the cached value of `digest`, or loads it with `load`. Concurrent callers share one load. Only hits are cached, never an
   * unknown credential or a failed load. A cached value is returned without a promise.
   */
  get(digest: Uint8Array, load: () => Promise<Value | null>): Value | Promise<Value | null> {
    const key = Buffer.from(digest.buffer, digest.byteOffset, digest.byteLength).toString('latin1');
    const nowMs = this.options.nowMs();
    const known = this.entries.get(key);
    if (known !== undefined && nowMs - known.askedAtMs < this.options.lifetimeMs) {
      known.usedAtMs = nowMs;
      return known.known ?? known.value;
    }
    return this.loaded(key, nowMs, load);
  }

  /**
   * Refreshes the entries that were used recently. An entry that is dropped meanwhile stays dropped.
   * @param ask answers in the order of the values; null for a value that is no longer valid
   * @returns whether there was anything to refresh
   */
  async askAgain(
    { idleMs, maxEntries }: RefreshOptions,
    ask: (values: readonly Value[]) => Promise<readonly (Value | null)[]>,
  ): Promise<boolean> {
    const askedAtMs = this.options.nowMs();
    const due: { key: string; entry: Entry<Value>; known: Value }[] = [];
    // The most recently used entries come first.
    for (const [key, entry] of this.entries.entries()) {
      if (askedAtMs - entry.usedAtMs >= idleMs || due.length >= maxEntries) break;
      if (entry.known !== undefined) due.push({ key, entry, known: entry.known });
    }
    if (due.length === 0) return false;
    const values = await ask(due.map(({ known }) => known));
    for (const [index, { key, entry }] of due.entries()) {
      if (this.entries.peek(key) !== entry) continue;
      const value = values[index] ?? null;
      if (value === null) this.entries.delete(key);
      else Object.assign(entry, { value: Promise.resolve(value), known: value, askedAtMs });
    }
    return true;
  }

  /**
   * Drops the selected entries, or all, and every pending load: the query of such a load may have been sent before a change, so no later
   * caller gets its result.
   */
  forget(isMeant: (value: Value) => boolean = () => true): void {
    for (const [key, { known }] of [...this.entries.entries()]) {
      if (known === undefined || isMeant(known)) this.entries.delete(key);
    }
  }

  get size(): number {
    return this.entries.size;
  }

  private async loaded(key: string, nowMs: number, load: () => Promise<Value | null>): Promise<Value | null> {
    const entry: Entry<Value> = { value: load(), askedAtMs: nowMs, usedAtMs: nowMs };
    this.entries.set(key, entry);
    try {
      const value = await entry.value;
      if (value === null) this.drop(key, entry);
      else entry.known = value;
      return value;
    } catch (error) {
      this.drop(key, entry);
      throw error;
    }
  }

  private drop(key: string, entry: Entry<Value>): void {
    if (this.entries.get(key) === entry) {
      this.entries.delete(key);
    }
  }
}
