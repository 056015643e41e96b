/** Runs one piece of work at a time, first come, first served. */
export class Mutex {
  private tail: Promise<unknown> = Promise.resolve();

  /** Waits for its turn, runs `work`, and gives the turn on whether or not `work` throws. */
  run<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.tail.then(work);
    this.tail = turn.catch(() => undefined);
    return turn;
  }
}
