/** The deadline of statements without their own. */
export class DefaultDeadline {
  private suspended = 0;

  constructor(private readonly limitMs: number) {}

  /** Undefined while work without a time limit runs. */
  get ms(): number | undefined {
    return this.suspended > 0 ? undefined : this.limitMs;
  }

  /** Suspends the deadline while `work` runs, because migrations have no time limit. */
  async without<T>(work: () => Promise<T>): Promise<T> {
    this.suspended += 1;
    try {
      return await work();
    } finally {
      this.suspended -= 1;
    }
  }
}
