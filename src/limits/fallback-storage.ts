import { CircuitBreaker, type BreakerLimits } from '../resilience/index.js';
import type { HitStorage } from './storage-record.js';

const BREAKER: BreakerLimits = { failures: 3, openMs: 2_000 };

export interface FallbackEvents {
  /** A hit was counted only by this process. */
  fellBack(): void;
  /** From now on hits are counted by this process alone, or by all together again. */
  changed(shared: boolean): void;
}

/**
 * Counts together with the other replicas while their common storage answers in time, and alone while it does not: a
 * limit is never the reason why a call fails.
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
