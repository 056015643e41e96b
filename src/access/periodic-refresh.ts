/**
 * Periodic work that runs while it is needed, and starts again with the next use. It does not keep the process alive; a failed run is
 * repeated at the next interval.
 */
export class PeriodicRefresh {
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> | undefined;

  /** @param round answers whether there was anything to do */
  constructor(
    private readonly everyMs: number,
    private readonly round: () => Promise<boolean>,
  ) {}

  /** Starts the periodic work, because its data is in use. */
  wake(): void {
    if (this.running === undefined) this.timer ??= setTimeout(this.run, this.everyMs).unref();
  }

  /** Stops the periodic work until the next use; resolves when none is running. */
  async settle(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    await this.running;
    clearTimeout(this.timer);
    this.timer = undefined;
  }

  private readonly run = (): void => {
    this.timer = undefined;
    this.running = this.round()
      .catch(() => true)
      .then((goesOn) => {
        this.running = undefined;
        if (goesOn) this.wake();
      });
  };
}
