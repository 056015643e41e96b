import { LRUCache } from 'lru-cache';

/**
 * Remembers for under a second who a credential belongs to, so that a busy key costs one query per second and replica.
 * The entry's age counts from before its query was sent: a deletion works everywhere within `lifetimeMs`, and at once
 * where `forget` is called.
 */
export interface CacheOptions {
  readonly lifetimeMs: number;
  readonly maxEntries: number;
  readonly nowMs: () => number;
}

/** The contract allows a second; the rest is for clocks and timers. */
export const CACHE_DEFAULTS: CacheOptions = { lifetimeMs: 900, maxEntries: 10_000, nowMs: () => performance.now() };

interface Entry<Value> {
  readonly value: Promise<Value | null>;
  readonly askedAtMs: number;
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
    const key = Buffer.from(digest).toString('base64');
    const nowMs = this.options.nowMs();
    const known = this.entries.get(key);
    if (known !== undefined && nowMs - known.askedAtMs < this.options.lifetimeMs) {
      return known.value;
    }
    const entry: Entry<Value> = { value: load(), askedAtMs: nowMs };
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
