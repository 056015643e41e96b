import type { SqlExecutor } from './sql-runner.js';

/** The interval between two comparisons. Clocks of machines diverge by some milliseconds per minute. */
const COMPARE_EVERY_MS = 5_000;

/**
 * If the clocks of a server and of its database differ by more than this time, one of them is wrong: the server is not ready, and deletes
 * nothing because of its age.
 */
export const WRONG_CLOCK_MS = 60_000;

/** The number of comparisons at the start: the fastest one is the most accurate. */
const QUESTIONS_AT_START = 8;

/**
 * The wall clock at the start of this process, continued by the monotonic clock, so that later changes of the wall clock do not affect
 * it.
 */
const steadyMs = (): number => performance.timeOrigin + performance.now();

/**
 * Estimates the database's clock. Ids and times of events, their weeks in the log, and windows of budgets use it, so they are
 * consistent on all replicas, even if the clocks of their machines differ.
 */
export class DatabaseClock {
  private aheadMs = 0;
  private timer?: NodeJS.Timeout;

  /** @param ownMs a clock of this process in milliseconds; a jump is only noticed at the next comparison */
  constructor(private readonly ownMs: () => number = steadyMs) {}

  /** Whole milliseconds since the epoch. */
  nowMs(): number {
    return Math.floor(this.ownMs() + this.aheadMs);
  }

  now(): Date {
    return new Date(this.nowMs());
  }

  /**
   * Compares the clocks once. The database read its clock at some time between request and response, so the offset is
   * in a range; a previous offset within it is kept, so that a slow response does not make it less accurate.
   *
   * @throws DatabaseError | DatabaseUnavailable
   */
  async compare(sql: SqlExecutor): Promise<void> {
    const askedMs = this.ownMs();
    const [row] = await sql.query<{ ms: number }>(
      'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::double precision AS ms',
    );
    const answeredMs = this.ownMs();
    if (row === undefined) return;
    this.aheadMs = Math.min(Math.max(this.aheadMs, row.ms - answeredMs), row.ms - askedMs);
  }

  /**
   * Compares the clocks several times now, and then every few seconds until `stop`. While the database is unavailable,
   * the offset is unchanged.
   *
   * @throws DatabaseError | DatabaseUnavailable if the first comparisons fail
   */
  async keepComparing(sql: SqlExecutor): Promise<void> {
    for (let n = 0; n < QUESTIONS_AT_START; n += 1) await this.compare(sql);
    this.timer = setInterval(() => void this.compare(sql).catch(() => undefined), COMPARE_EVERY_MS);
    this.timer.unref();
  }

  stop(): void {
    clearInterval(this.timer);
  }
}
