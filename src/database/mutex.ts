/** Runs one task at a time, in the order of arrival. */
export class Mutex {
  private tail: Promise<unknown> = Promise.resolve();
  private pending = 0;

  /** How many pieces of work run or wait for their turn. */
  get load(): number {
    return this.pending;
  }

  /** Waits for its turn, runs `work`, and gives the turn on whether or not `work` throws. */
  run<T>(work: () => Promise<T>): Promise<T> {
    this.pending += 1;
    const turn = this.tail.then(work).finally(() => {
      this.pending -= 1;
    });
    this.tail = turn.catch(() => undefined);
    return turn;
  }
}
