import type { SupervisorLine } from '../processes/index.js';
import type { HitStorage } from './storage-record.js';

/** Counts hits where all processes of this server do: in their supervisor, which is never further away than the port. */
export class SupervisorStorage implements HitStorage {
  constructor(private readonly line: Pick<SupervisorLine, 'countHit'>) {}

  increment(key: string, ttl: number, limit: number, _blockDuration: number, throttlerName: string, hits = 1) {
    return this.line.countHit({ name: throttlerName, key, windowMs: ttl, limit, hits });
  }
}
