import { LRUCache } from 'lru-cache';
import { countHit, type HitWindow } from './hit-window.js';
import { storageRecord, type HitStorage } from './storage-record.js';

/** The maximum number of keys that are stored for one limit. */
const MAX_KEYS = 20_000;

/**
 * Counts hits in this process: a cache look-up, no timer. Each limit has its own cache, so that many addresses cannot evict apps; a
 * full cache evicts the least recently used key.
 */
export class MemoryStorage implements HitStorage {
  private readonly limits = new Map<string, LRUCache<string, HitWindow>>();

  constructor(
    /** Monotonic milliseconds. */
    private readonly nowMs: () => number,
    private readonly maxKeys = MAX_KEYS,
  ) {}

  /** @param ttl milliseconds of the window; a refused key is not blocked for longer than the window requires */
  increment(key: string, ttl: number, limit: number, _blockDuration: number, throttlerName: string, hits = 1) {
    return storageRecord(countHit(this.windowOf(throttlerName, key), limit, ttl, this.nowMs(), hits));
  }

  /** The number of keys of one limit that are stored now. */
  keys(throttlerName: string): number {
    return this.limits.get(throttlerName)?.size ?? 0;
  }

  private windowOf(name: string, key: string): HitWindow {
    let windows = this.limits.get(name);
    if (windows === undefined) this.limits.set(name, (windows = new LRUCache({ max: this.maxKeys })));
    let window = windows.get(key);
    if (window === undefined) windows.set(key, (window = []));
    return window;
  }
}
