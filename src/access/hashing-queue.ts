/**
 * Limits the number of passwords that are hashed at a time: each takes 19 MiB and a thread of the pool, which is also needed for files
 * and name look-ups. If the queue is full, callers must retry, so that floods of sign-ins cost time but no memory.
 */
const AT_A_TIME = 2;
const MAX_WAITING = 200;

/** Too many passwords wait to be checked: this is an outage (503), and the client may retry after a second. */
export class TooManyPasswords extends Error {
  override readonly name = 'TooManyPasswords';
  readonly retryAfterSeconds = 1;
}

export class HashingQueue {
  private running = 0;
  private readonly waiting: (() => void)[] = [];

  constructor(
    private readonly atATime: number = AT_A_TIME,
    private readonly maxWaiting: number = MAX_WAITING,
  ) {}

  /** Runs `work` when its turn has come. @throws TooManyPasswords at once when too many wait */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.running >= this.atATime) {
      if (this.waiting.length >= this.maxWaiting)
        throw new TooManyPasswords('too many passwords are queued for checking');
      await new Promise<void>((resolve) => this.waiting.push(resolve));
    } else {
      this.running += 1;
    }
    try {
      return await work();
    } finally {
      // The work that has waited longest starts next.
      const next = this.waiting.shift();
      if (next === undefined) this.running -= 1;
      else next();
    }
  }
}
