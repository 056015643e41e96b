import type { Pool } from 'pg';

/** Metrics of running statements, without their texts or parameters. */
export interface StatementObserver {
  /** Called when a statement has waited for a connection for `ms` milliseconds. */
  waited(ms: number): void;
  /** Called when a statement has succeeded, has failed, or was cancelled by the database at the requested time (`ended`). */
  ran(ms: number, outcome: 'done' | 'failed' | 'ended'): void;
}

/** The current connections to the database. */
export interface ConnectionFigures {
  readonly open: number;
  readonly idle: number;
  /** The number of callers that wait for a connection. */
  readonly waiting: number;
  readonly limit: number;
}

/**
 * The figures of a pool of connections to PostgreSQL.
 *
 * @param outside the number of callers that do not wait in the pool yet
 */
export function poolFigures({ totalCount, idleCount, waitingCount, options }: Pool, outside = 0): ConnectionFigures {
  return { open: totalCount, idle: idleCount, waiting: waitingCount + outside, limit: options.max };
}

/** Passes the figures of the database to an observer, because this folder does not depend on metrics. */
export class DatabaseFigures {
  private observer: StatementObserver | undefined;

  constructor(
    readonly connections: () => ConnectionFigures,
    private readonly nowMs: () => number = () => performance.now(),
  ) {}

  /** Sets the observer. */
  setObserver(observer: StatementObserver): void {
    this.observer = observer;
  }

  /** Measures the wait for a connection. */
  async waiting<T>(connecting: Promise<T>): Promise<T> {
    const sinceMs = this.nowMs();
    try {
      return await connecting;
    } finally {
      this.observer?.waited(this.nowMs() - sinceMs);
    }
  }

  /** Measures the duration of a statement. @param outcomeOf the outcome for an error of the statement; by default `failed` */
  async running<T>(
    statement: Promise<T>,
    outcomeOf: (error: unknown) => 'failed' | 'ended' = () => 'failed',
  ): Promise<T> {
    const sinceMs = this.nowMs();
    try {
      const result = await statement;
      this.observer?.ran(this.nowMs() - sinceMs, 'done');
      return result;
    } catch (error) {
      this.observer?.ran(this.nowMs() - sinceMs, outcomeOf(error));
      throw error;
    }
  }
}
