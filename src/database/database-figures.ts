import type { Pool } from 'pg';

/** Metrics of running statements, without their texts or parameters. */
export interface StatementObserver {
  /** A connection was waited for. */
  waited(ms: number): void;
  /** The database answered a statement, it failed, or the database ended it as it was told to. */
  ran(ms: number, outcome: 'done' | 'failed' | 'ended'): void;
}

/** Connections to the database, as they are now. */
export interface ConnectionFigures {
  readonly open: number;
  readonly idle: number;
  /** Callers that wait for a connection. */
  readonly waiting: number;
  readonly limit: number;
}

/** Of a pool of connections to PostgreSQL. */
export function poolFigures({ totalCount, idleCount, waitingCount, options }: Pool): ConnectionFigures {
  return { open: totalCount, idle: idleCount, waiting: waitingCount, limit: options.max };
}

/** How the database does, for whoever counts it: this folder knows no figures of others. */
export class DatabaseFigures {
  private observer: StatementObserver | undefined;

  constructor(
    readonly connections: () => ConnectionFigures,
    private readonly nowMs: () => number = () => performance.now(),
  ) {}

  /** From now on this one is told. */
  tell(observer: StatementObserver): void {
    this.observer = observer;
  }

  /** Waits for a connection. */
  async waiting<T>(connecting: Promise<T>): Promise<T> {
    const sinceMs = this.nowMs();
    try {
      return await connecting;
    } finally {
      this.observer?.waited(this.nowMs() - sinceMs);
    }
  }

  /** Waits for a statement's result. @param outcomeOf the meaning of its error, by default a failure */
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
