/** Runs one task at a time, in the order of arrival. */
export class Mutex {
  private tail: Promise<unknown> = Promise.resolve();
  private pending = 0;

  /** The number of tasks that run or wait for their turn. */
  get load(): number {
    return this.pending;
  }

  /** Waits for its turn and runs `work`; the next task follows even if `work` throws. */
  run<T>(work: () => Promise<T>): Promise<T> {
    this.pending += 1;
    const turn = this.tail.then(work).finally(() => {
      this.pending -= 1;
    });
    this.tail = turn.catch(() => undefined);
    return turn;
  }
}
