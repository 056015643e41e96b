import type { SqlRunner } from '../../database/index.js';
import { PeriodicWork } from '../../resilience/index.js';
import { sumDays } from './day-sums.js';
import { deleteMinutes } from './delete-minutes.js';

const EVERY_MS = 60 * 60 * 1000;

/**
 * Computes the daily sums of past days, and deletes old sums per minute, at start and every hour, in the background. Until a day is summed
 * up, its hourly sums are used.
 */
export class DayKeeper {
  private readonly work = new PeriodicWork(() => this.keep(), EVERY_MS);
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

  /** Waits for the day that is being summed up, or for the step of the deletion. */
  async stop(): Promise<void> {
    this.isEnding = true;
    await this.work.stop();
  }

  private async keep(): Promise<void> {
    const isEnding = (): boolean => this.isEnding;
    await this.attempt(
      () => sumDays(this.sql, this.now(), isEnding),
      (reason) => this.report(`Daily sums could not be computed; statistics over months take longer: ${reason}`),
    );
    await this.attempt(
      () => deleteMinutes(this.sql, this.now(), isEnding),
      (reason) =>
        this.report(`Old sums per minute could not be deleted; they are kept until the next attempt: ${reason}`),
    );
  }

  /** Never rejects: failed work is repeated by the next run. */
  private async attempt(work: () => Promise<unknown>, failed: (reason: string) => void): Promise<void> {
    try {
      if (!this.isEnding) await work();
    } catch (error) {
      failed(error instanceof Error ? error.message : 'unknown error');
    }
  }
}
