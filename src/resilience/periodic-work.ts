/** Periodic work of the service: runs never overlap, however long one takes. */
export class PeriodicWork {
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> = Promise.resolve();
  private isWaiting = false;

  /** @param work never rejects: it reports failures, and the next run retries */
  constructor(
    private readonly work: () => Promise<void>,
    private readonly everyMs: number,
  ) {}

  /** The first run begins after `everyMs`: call `runNow` for an immediate run. */
  start(): void {
    this.timer = setInterval(() => this.runNow(), this.everyMs);
    this.timer.unref();
  }

  /**
   * Begins a run, or schedules one for the end of the current run. A single further run covers all requests made meanwhile, so no queue
   * grows.
   */
  runNow(): void {
    if (this.isWaiting) return;
    this.isWaiting = true;
    this.running = this.running.then(() => {
      this.isWaiting = false;
      return this.work();
    });
  }

  /** Stops the timer and waits for the current run. */
  async stop(): Promise<void> {
    clearInterval(this.timer);
    await this.running;
  }
}
