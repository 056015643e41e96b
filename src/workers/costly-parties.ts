/** The limit of worker time for one party. */
export interface PartyLimits {
  /** Tasks of one party that run or wait; more are refused. */
  readonly running: number;
  /** A task that takes longer than this has to be slept off, milliseconds of processor time. */
  readonly shortMs: number;
  /** So many times the processor time that it took. */
  readonly rest: number;
}

const MAX_PARTIES = 10_000;

/** Keeps parties whose tasks take long from letting everybody wait: after much work theirs waits. */
export class CostlyParties {
  /** When a party that used much time may ask again, monotonic milliseconds. */
  private readonly notBefore = new Map<string, number>();
  private readonly running = new Map<string, number>();

  constructor(
    private readonly limits: PartyLimits,
    private readonly nowMs: () => number,
  ) {}

  /** @returns undefined when the task may begin, and then `end` has to follow; else for how long it may not */
  begin(party: string): { readonly waitMs: number } | undefined {
    const waitMs = (this.notBefore.get(party) ?? 0) - this.nowMs();
    const running = this.running.get(party) ?? 0;
    if (waitMs > 0 || running >= this.limits.running) return { waitMs: Math.max(0, waitMs) };
    this.running.set(party, running + 1);
    return undefined;
  }

  /** @param tookMs processor time */
  end(party: string, tookMs: number): void {
    const running = (this.running.get(party) ?? 1) - 1;
    if (running > 0) this.running.set(party, running);
    else this.running.delete(party);
    const { shortMs, rest } = this.limits;
    if (tookMs > shortMs) this.notBefore.set(party, this.nowMs() + rest * tookMs);
    const [oldest] = this.notBefore.keys();
    if (this.notBefore.size > MAX_PARTIES && oldest !== undefined) this.notBefore.delete(oldest);
  }
}
