/** So many urgent tasks in a row, while others wait. */
const MOST_URGENT = 2;

type Task = () => Promise<void>;

/**
 * Runs one task at a time, in the order of arrival, but urgent tasks before the others. The others are not kept waiting for ever: one of
 * them follows after every few urgent ones.
 */
export class Mutex {
  private urgent: Task[] = [];
  private others: Task[] = [];
  private urgentInRow = 0;
  private running = 0;

  /** The number of tasks that run or wait for their turn. */
  get load(): number {
    return this.running + this.urgent.length + this.others.length;
  }

  /** Waits for its turn and runs `work`; the next task follows even if `work` throws. */
  run<T>(work: () => Promise<T>, isUrgent = false): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      // An error that `work` throws at once is for its caller as well.
      (isUrgent ? this.urgent : this.others).push(() => Promise.resolve().then(work).then(resolve, reject));
      if (this.running === 0) this.next();
    });
  }

  /** As `run`, after all tasks that wait now, urgent or not; urgent tasks that come later may still go before it. */
  runAfterWaiting<T>(work: () => Promise<T>): Promise<T> {
    this.others.unshift(...this.urgent.splice(0));
    return this.run(work);
  }

  private next(): void {
    const isUrgent = this.urgent.length > 0 && (this.urgentInRow < MOST_URGENT || this.others.length === 0);
    const task = (isUrgent ? this.urgent : this.others).shift();
    if (task === undefined) return;
    this.urgentInRow = isUrgent ? this.urgentInRow + 1 : 0;
    this.running = 1;
    void task().then(() => {
      this.running = 0;
      this.next();
    });
  }
}
