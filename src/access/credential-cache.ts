import { LRUCache } from 'lru-cache';

/**
 * Caches the holder of a credential for under a second, so that a busy key costs one query per second and replica. The age of an entry
 * counts from before its query was sent: a deletion takes effect everywhere within `lifetimeMs`, and at once where `forget` is called.
 */
export interface CacheOptions {
  readonly lifetimeMs: number;
  readonly maxEntries: number;
  readonly nowMs: () => number;
  /** Whether those that are in use are asked about again before they are too old. */
  readonly ahead?: RefreshOptions;
}

/** Asking again, so that no call waits for the answer. */
export interface RefreshOptions {
  /** Time between two rounds: with the answer's own time less than the lifetime of an entry. */
  readonly everyMs: number;
  /** What was not used for so long is asked about when it is used. */
  readonly idleMs: number;
  /** In one round; those that were used last. */
  readonly maxEntries: number;
}

/** The contract allows a second; the rest is for clocks and timers. */
export const CACHE_DEFAULTS: CacheOptions = { lifetimeMs: 900, maxEntries: 10_000, nowMs: () => performance.now() };

export const AHEAD_DEFAULTS: RefreshOptions = { everyMs: 400, idleMs: 60_000, maxEntries: 1_000 };

interface Entry<Value> {
  value: Promise<Value | null>;
  askedAtMs: number;
  usedAtMs: number;
  /** Absent while the answer is awaited. */
  known?: Value;
}

export class CredentialCache<Value> {
  private readonly entries: LRUCache<string, Entry<Value>>;

  constructor(private readonly options: CacheOptions = CACHE_DEFAULTS) {
    this.entries = new LRUCache({ max: options.maxEntries });
  }

  /**
   * The value under `digest`, or what `load` answers. Callers at the same time share one load. Only hits are kept:
   * not knowing a credential, and failing to ask, are never remembered.
   */
  async get(digest: Uint8Array, load: () => Promise<Value | null>): Promise<Value | null> {
    const key = Buffer.from(digest.buffer, digest.byteOffset, digest.byteLength).toString('latin1');
    const nowMs = this.options.nowMs();
    const known = this.entries.get(key);
    if (known !== undefined && nowMs - known.askedAtMs < this.options.lifetimeMs) {
      known.usedAtMs = nowMs;
      return known.value;
    }
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

  /**
   * Asks again about all that were used lately. Who is forgotten meanwhile stays forgotten.
   * @param ask answers in the order of the values; null for one that is none any more
   * @returns whether there was anything to ask about
   */
  async askAgain(
    { idleMs, maxEntries }: RefreshOptions,
    ask: (values: readonly Value[]) => Promise<readonly (Value | null)[]>,
  ): Promise<boolean> {
    const askedAtMs = this.options.nowMs();
    const due: { key: string; entry: Entry<Value>; known: Value }[] = [];
    // Those that were used last come first.
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
   * Forgets those who are meant, or all. Also every question whose answer is awaited: it may have been asked before
   * something changed, so nobody who comes from now on gets that answer.
   */
  forget(isMeant: (value: Value) => boolean = () => true): void {
    for (const [key, { known }] of [...this.entries.entries()]) {
      if (known === undefined || isMeant(known)) this.entries.delete(key);
    }
  }

  get size(): number {
    return this.entries.size;
  }

  private drop(key: string, entry: Entry<Value>): void {
    if (this.entries.get(key) === entry) {
      this.entries.delete(key);
    }
  }
}
