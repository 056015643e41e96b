/** Periodic work of the service: runs never overlap, however long one takes. */
export class PeriodicWork {
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> = Promise.resolve();
  private isWaiting = false;

  /** @param work never rejects: it tells what failed, and the next run tries again */
  constructor(
    private readonly work: () => Promise<void>,
    private readonly everyMs: number,
  ) {}

  /** The first run is after `everyMs`: call `runNow` where it is not to wait. */
  start(): void {
    this.timer = setInterval(() => this.runNow(), this.everyMs);
    this.timer.unref();
  }

  /** Begins a run, or has one begin when the current one has ended: one sees whatever came meanwhile, so that no queue grows. */
  runNow(): void {
    if (this.isWaiting) return;
    this.isWaiting = true;
    this.running = this.running.then(() => {
      this.isWaiting = false;
      return this.work();
    });
  }

  /** Waits for the run that is under way. */
  async stop(): Promise<void> {
    clearInterval(this.timer);
    await this.running;
  }
}
