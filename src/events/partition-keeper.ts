import type { SqlRunner } from '../database/index.js';
import { forgetMarks } from './marks/forget-marks.js';
import { forgetSessions } from './sessions/session-histories.js';
import { ensurePartitions } from './partitions.js';

const CHECK_EVERY_MS = 6 * 60 * 60 * 1000;

/**
 * Looks after the log's partitions at start and every few hours, after the marks of events that are gone, and
 * after sessions that are over. A check that fails is said and repeated.
 */
export class PartitionKeeper {
  private timer?: NodeJS.Timeout;
  private running: Promise<void> = Promise.resolve();

  constructor(
    private readonly sql: SqlRunner,
    private readonly report: (message: string) => void,
    private readonly now: () => Date,
  ) {}

  /** Checks once, then every six hours until `stop`. Never rejects: the default partition takes what has no other. */
  async start(): Promise<void> {
    await this.check();
    this.timer = setInterval(() => {
      this.running = this.check();
    }, CHECK_EVERY_MS);
    this.timer.unref();
  }

  /** Stops checking and waits for a check that is under way. */
  async stop(): Promise<void> {
    clearInterval(this.timer);
    await this.running;
  }

  private async check(): Promise<void> {
    try {
      await ensurePartitions(this.sql, this.now());
    } catch (error) {
      const reason = error instanceof Error ? error.message : 'unknown error';
      this.report(`The event log's partitions could not be checked; events go to the default partition: ${reason}`);
      return;
    }
    try {
      await forgetSessions(this.sql, this.now());
    } catch (error) {
      const reason = error instanceof Error ? error.message : 'unknown error';
      this.report(`Sessions that are over could not be forgotten: ${reason}`);
    }
    try {
      await forgetMarks(this.sql);
    } catch (error) {
      const reason = error instanceof Error ? error.message : 'unknown error';
      this.report(`Marks of events that are gone could not be deleted: ${reason}`);
    }
  }
}
