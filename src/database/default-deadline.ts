/** The deadline of statements that bring none of their own. */
export class DefaultDeadline {
  private suspended = 0;

  constructor(private readonly limitMs: number) {}

  /** Absent while work runs that may take as long as it takes. */
  get ms(): number | undefined {
    return this.suspended > 0 ? undefined : this.limitMs;
  }

  /** Suspends it while `work` runs: migrations take as long as they take. */
  async without<T>(work: () => Promise<T>): Promise<T> {
    this.suspended += 1;
    try {
      return await work();
    } finally {
      this.suspended -= 1;
    }
  }
}
