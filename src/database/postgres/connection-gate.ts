import { DatabaseUnavailable } from '../database-error.js';

/** Connections that calls find free: two for statements of calls, and the one that receives notices. */
const LEFT_TO_CALLS = 3;
/** A smaller pool has no connections to spare: then all statements wait for the same ones. */
const FEWEST = 2 * LEFT_TO_CALLS;

/**
 * Limits the connections in use for statements that no call waits for, such as searches and exports: of hundreds of reads at once, each
 * waits for a connection, and calls would wait behind them until their deadline.
 */
export class ConnectionGate {
  private readonly queue = new Set<() => void>();
  private used = 0;

  /**
   * @param most the maximum number of connections in use
   * @param limitMs the maximum wait for a turn
   */
  constructor(
    private readonly most: number,
    private readonly limitMs: number,
  ) {}

  /** The gate for a pool. @param connectTimeoutMs as for the pool */
  static of(poolSize: number, connectTimeoutMs: number): ConnectionGate {
    return new ConnectionGate(poolSize < FEWEST ? Infinity : poolSize - LEFT_TO_CALLS, connectTimeoutMs);
  }

  /** The number of statements that wait. */
  get waiting(): number {
    return this.queue.size;
  }

  /** @returns whether a connection may be used now: call `leave` afterwards */
  enterNow(): boolean {
    if (this.used >= this.most) return false;
    this.used += 1;
    return true;
  }

  /** Waits until a connection may be used, in order: call `leave` afterwards. @throws DatabaseUnavailable after the time limit */
  async turn(): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<undefined>();
    const admit = (): void => resolve(undefined);
    this.queue.add(admit);
    const timer = setTimeout(() => {
      if (this.queue.delete(admit)) reject(noneFree());
    }, this.limitMs);
    await promise.finally(() => clearTimeout(timer));
  }

  /** Passes the turn on to the statement that has waited longest. */
  leave(): void {
    const [next] = this.queue;
    if (next === undefined) {
      this.used -= 1;
      return;
    }
    this.queue.delete(next);
    next();
  }
}

/** All connections of this process are in use. */
export const noneFree = (): DatabaseUnavailable =>
  new DatabaseUnavailable('no connection to the database is free', 'NO_CONNECTION');
