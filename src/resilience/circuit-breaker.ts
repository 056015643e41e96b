/** The thresholds of a circuit breaker. */
export interface BreakerLimits {
  /** The number of consecutive failures that opens the breaker, which then refuses requests. */
  readonly failures: number;
  /** The time from the opening until one request is admitted as a trial, in milliseconds. */
  readonly openMs: number;
}

/**
 * Prevents every call from waiting for the timeout of a service that is down: after a number of consecutive failures, requests are
 * refused at once, until one request is admitted to check whether the service has recovered.
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

  /** Whether requests are refused, except for the trials. */
  get isOpen(): boolean {
    return this.openedMs !== undefined;
  }

  /** Whether a request may be sent. If so, `succeeded`, `failed` or `gaveUp` must be called afterwards. */
  admit(): boolean {
    if (this.openedMs === undefined) return true;
    if (this.trying || this.nowMs() - this.openedMs < this.limits.openMs) return false;
    this.trying = true;
    return true;
  }

  /** @returns true if this call closed the breaker */
  succeeded(): boolean {
    const wasOpen = this.openedMs !== undefined;
    this.failures = 0;
    this.openedMs = undefined;
    this.trying = false;
    return wasOpen;
  }

  /** Records that the caller stopped waiting before there was a result. */
  gaveUp(): void {
    this.trying = false;
  }

  /**
   * @param enough the number of consecutive failures that opens the breaker this time
   * @returns true if this call opened the breaker
   */
  failed(enough = this.limits.failures): boolean {
    const wasOpen = this.openedMs !== undefined;
    this.trying = false;
    this.failures++;
    if (wasOpen || this.failures >= enough) this.openedMs = this.nowMs();
    return !wasOpen && this.openedMs !== undefined;
  }
}
