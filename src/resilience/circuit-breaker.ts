/** The thresholds of a circuit breaker. */
export interface BreakerLimits {
  /** Failures in a row after which nothing is sent any more. */
  readonly failures: number;
  /** Then, how long until one request may try again. */
  readonly openMs: number;
}

/**
 * Keeps a service that is down from costing every call its deadline: after a number of failures in a row requests are
 * refused at once, until one request may try whether the service is back.
 */
export class CircuitBreaker {
  private failures = 0;
  private openedMs: number | undefined;
  private trying = false;

  constructor(
    private readonly limits: BreakerLimits,
    /** Monotonic milliseconds. */
    private readonly nowMs: () => number,
  ) {}

  /** Whether a request may be sent. Where it may, `succeeded`, `failed` or `gaveUp` has to follow. */
  admit(): boolean {
    if (this.openedMs === undefined) return true;
    if (this.trying || this.nowMs() - this.openedMs < this.limits.openMs) return false;
    this.trying = true;
    return true;
  }

  /** @returns true when this closed the breaker */
  succeeded(): boolean {
    const wasOpen = this.openedMs !== undefined;
    this.failures = 0;
    this.openedMs = undefined;
    this.trying = false;
    return wasOpen;
  }

  /** The caller did not wait long enough to know. */
  gaveUp(): void {
    this.trying = false;
  }

  /** @returns true when this opened the breaker */
  failed(): boolean {
    const wasOpen = this.openedMs !== undefined;
    this.trying = false;
    this.failures++;
    if (wasOpen || this.failures >= this.limits.failures) this.openedMs = this.nowMs();
    return !wasOpen && this.openedMs !== undefined;
  }
}
