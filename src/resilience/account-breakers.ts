import { LRUCache } from 'lru-cache';
import { CircuitBreaker, type BreakerLimits } from './circuit-breaker.js';

/** Accounts that are remembered, those with the most recent calls: a few hundred bytes each. */
const MAX_ACCOUNTS = 10_000;
/** Failing accounts that show an outage of the service, if no call of any account has succeeded in the meantime. */
const SEVERAL = 3;

/**
 * The circuit breakers of a service that several accounts use, one for each account: the service may fail only for the texts of one
 * account, which must not keep the texts of others from it. An account is never refused before a call of its own has failed. During an
 * outage, which several accounts notice, one such failure is enough.
 */
export class AccountBreakers {
  private readonly own = new LRUCache<string, CircuitBreaker>({ max: MAX_ACCOUNTS });
  /** Accounts whose breakers have opened since the last success of any account; at most one more than `SEVERAL`. */
  private readonly failing = new Set<string>();

  constructor(
    private readonly limits: BreakerLimits,
    /** Monotonic milliseconds. */
    private readonly nowMs: () => number,
  ) {}

  /** Whether a request of the account may be sent. If so, `succeeded`, `failed` or `gaveUp` must be called afterwards. */
  admit(accountId: string): boolean {
    return this.of(accountId).admit();
  }

  /** @returns true if this call closed the breaker of the account */
  succeeded(accountId: string): boolean {
    this.failing.clear();
    return this.of(accountId).succeeded();
  }

  /** Records that the account stopped waiting before there was a result. */
  gaveUp(accountId: string): void {
    this.of(accountId).gaveUp();
  }

  /** @returns true if this call opened the breaker of the account */
  failed(accountId: string): boolean {
    const breaker = this.of(accountId);
    const others = this.failing.size - (this.failing.has(accountId) ? 1 : 0);
    const hasOpened = breaker.failed(others >= SEVERAL ? 1 : this.limits.failures);
    if (breaker.isOpen && this.failing.size <= SEVERAL) this.failing.add(accountId);
    return hasOpened;
  }

  private of(accountId: string): CircuitBreaker {
    let breaker = this.own.get(accountId);
    if (breaker === undefined) {
      breaker = new CircuitBreaker(this.limits, this.nowMs);
      this.own.set(accountId, breaker);
    }
    return breaker;
  }
}
