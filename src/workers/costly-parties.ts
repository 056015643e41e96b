/** The limit of worker time for one party. */
export interface PartyLimits {
  /** Tasks of one party that run or wait; more are refused. */
  readonly running: number;
  /** After a task that takes longer than this, its party must pause; milliseconds of CPU time. */
  readonly shortMs: number;
  /** The length of this pause as a multiple of the CPU time of the task. */
  readonly rest: number;
}

const MAX_PARTIES = 10_000;

/** Prevents parties with long tasks from delaying all others: after a long task, its party must pause. */
export class CostlyParties {
  /** The time when a party that must pause may begin a task again, in monotonic milliseconds. */
  private readonly notBefore = new Map<string, number>();
  private readonly running = new Map<string, number>();

  constructor(
    private readonly limits: PartyLimits,
    private readonly nowMs: () => number,
  ) {}

  /** @returns undefined if the task may begin, and `end` must be called after it; otherwise the remaining pause */
  begin(party: string): { readonly waitMs: number } | undefined {
    const waitMs = (this.notBefore.get(party) ?? 0) - this.nowMs();
    const running = this.running.get(party) ?? 0;
    if (waitMs > 0 || running >= this.limits.running) return { waitMs: Math.max(0, waitMs) };
    this.running.set(party, running + 1);
    return undefined;
  }

  /** @param tookMs CPU time */
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
