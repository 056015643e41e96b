import { CircuitBreaker, type BreakerLimits } from '../resilience/index.js';
import type { HitStorage } from './storage-record.js';

const BREAKER: BreakerLimits = { failures: 3, openMs: 2_000 };

export interface FallbackEvents {
  /** Called when a hit was counted by this process only. */
  fellBack(): void;
  /** Called when hits begin to be counted by this process only, or in the shared storage again. */
  changed(shared: boolean): void;
}

/**
 * Counts hits in the shared storage of all replicas while it answers in time, otherwise in this process: an outage of the storage never
 * makes a call fail.
 */
export class FallbackStorage implements HitStorage {
  private readonly breaker: CircuitBreaker;

  constructor(
    private readonly shared: HitStorage,
    private readonly own: HitStorage,
    private readonly events: FallbackEvents,
    nowMs: () => number,
  ) {
    this.breaker = new CircuitBreaker(BREAKER, nowMs);
  }

  async increment(...hit: Parameters<HitStorage['increment']>) {
    if (this.breaker.admit()) {
      try {
        const counted = await this.shared.increment(...hit);
        if (this.breaker.succeeded()) this.events.changed(true);
        return counted;
      } catch {
        if (this.breaker.failed()) this.events.changed(false);
      }
    }
    this.events.fellBack();
    return this.own.increment(...hit);
  }
}
