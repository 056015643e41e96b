/** The pause after each text, as a multiple of the time that it took: making texts uses at most a fifth of the time. */
const REST = 4;
const LONGEST_REST_MS = 1_000;

export interface MetricsClock {
  /** Monotonic milliseconds. */
  nowMs(): number;
  later(work: () => void, ms: number): void;
}

const CLOCK: MetricsClock = {
  nowMs: () => performance.now(),
  later: (work, ms) => void setTimeout(work, ms),
};

/**
 * The text of the metrics for clients without a credential. Making the text asks all processes, so a client could occupy them with many
 * requests. Therefore one text is made at a time, with a pause after it; it answers all requests that arrived before its beginning, and none
 * that arrived later, so no client receives values from before its request.
 */
export class MetricsText {
  private next: PromiseWithResolvers<string> | undefined;
  /** Whether the next text is being made already or will be made after a pause. */
  private isPlanned = false;

  constructor(
    private readonly make: () => Promise<string>,
    private readonly clock: MetricsClock = CLOCK,
  ) {}

  /** @throws the error of `make`; later requests make the text again */
  get(): Promise<string> {
    this.next ??= Promise.withResolvers();
    const { promise } = this.next;
    if (!this.isPlanned) void this.begin();
    return promise;
  }

  private async begin(): Promise<void> {
    const { next, clock } = this;
    this.isPlanned = next !== undefined;
    if (next === undefined) return;
    this.next = undefined;
    const beganMs = clock.nowMs();
    try {
      next.resolve(await this.make());
    } catch (error) {
      next.reject(error);
    }
    const restMs = Math.min(LONGEST_REST_MS, REST * (clock.nowMs() - beganMs));
    clock.later(() => void this.begin(), restMs);
  }
}
