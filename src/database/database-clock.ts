import type { SqlExecutor } from './sql-runner.js';

/** The interval between two comparisons. Clocks of machines diverge by some milliseconds per minute. */
const COMPARE_EVERY_MS = 5_000;

/** Questions at the start: the quickest answer of them says most. */
const QUESTIONS_AT_START = 8;

/** The wall clock as it was at the start of this process, going on by itself: nobody can set it. */
const steadyMs = (): number => performance.timeOrigin + performance.now();

/**
 * What time it is for the database. Ids and times of events, their weeks in the log, and windows of budgets are told by it,
 * so they are the same on all replicas, however the clocks of their machines go.
 */
export class DatabaseClock {
  private aheadMs = 0;
  private timer?: NodeJS.Timeout;

  /** @param ownMs a clock of this process, milliseconds; no jump of it is noticed before the next comparison */
  constructor(private readonly ownMs: () => number = steadyMs) {}

  /** Milliseconds since the epoch, whole ones. */
  nowMs(): number {
    return Math.floor(this.ownMs() + this.aheadMs);
  }

  now(): Date {
    return new Date(this.nowMs());
  }

  /**
   * Asks what time it is there. The database read its clock at some time between question and answer; what was
   * known before stays as long as that may be true, so that a slow answer makes nothing worse.
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
   * Compares some times now, and then every few seconds until `stop`. While the database cannot be asked, the clock goes on as it is.
   *
   * @throws DatabaseError | DatabaseUnavailable when it cannot be asked now
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
