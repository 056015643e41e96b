import type { SqlExecutor } from '../database/index.js';

/** What time it is for the database: windows of all replicas begin and end at the same instant, however their clocks go. */
export class DatabaseClock {
  private aheadMs = 0;

  constructor(private readonly ownMs: () => number = () => Date.now()) {}

  /** Milliseconds since the epoch. */
  nowMs(): number {
    return this.ownMs() + this.aheadMs;
  }

  /** An instant of this process's clock as the database would have had it. */
  of(ownMs: number): number {
    return ownMs + this.aheadMs;
  }

  /** Compares the clocks. @throws DatabaseUnavailable */
  async compare(sql: SqlExecutor): Promise<void> {
    const askedMs = this.ownMs();
    const [row] = await sql.query<{ ms: number }>(
      'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::double precision AS ms',
    );
    const answeredMs = this.ownMs();
    if (row !== undefined) this.aheadMs = Math.round(row.ms - (askedMs + answeredMs) / 2);
  }
}
