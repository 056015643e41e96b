import type { SqlRunner } from '../../database/index.js';
import { PeriodicWork } from '../../resilience/index.js';
import { sumDays } from './day-sums.js';

const EVERY_MS = 60 * 60 * 1000;

/** Computes the daily sums of past days, at start and every hour, in the background: until then, the hourly sums are used. */
export class DayKeeper {
  private readonly work = new PeriodicWork(() => this.sum(), EVERY_MS);
  private isEnding = false;

  constructor(
    private readonly sql: SqlRunner,
    private readonly report: (message: string) => void,
    private readonly now: () => Date,
  ) {}

  start(): void {
    this.work.runNow();
    this.work.start();
  }

  /** Waits for the day that is being summed up. */
  async stop(): Promise<void> {
    this.isEnding = true;
    await this.work.stop();
  }

  /** Never rejects: a failed run is repeated. */
  private async sum(): Promise<void> {
    try {
      if (!this.isEnding) await sumDays(this.sql, this.now(), () => this.isEnding);
    } catch (error) {
      const reason = error instanceof Error ? error.message : 'unknown error';
      this.report(`Daily sums could not be computed; statistics over months take longer: ${reason}`);
    }
  }
}
