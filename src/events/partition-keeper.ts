import type { SqlRunner } from '../database/index.js';
import { deleteMarks } from './marks/delete-marks.js';
import { deleteIdleSessions } from './sessions/session-histories.js';
import { countStrays, ensurePartitions, WeeksWithoutPartition } from './partitions.js';

const CHECK_EVERY_MS = 6 * 60 * 60 * 1000;
const COUNT_EVERY_MS = 60 * 1000;

/**
 * Maintains the log's partitions at start and every few hours, deletes the marks of deleted events, and ends expired sessions. A failed
 * check is logged and repeated.
 */
export class PartitionKeeper {
  private readonly timers: NodeJS.Timeout[] = [];
  private running: Promise<void> = Promise.resolve();
  private strayCount = 0;
  private isEnding = false;

  constructor(
    private readonly sql: SqlRunner,
    private readonly report: (message: string) => void,
    private readonly now: () => Date,
  ) {}

  /** Events in the default partition, when they were last counted. */
  get strays(): number {
    return this.strayCount;
  }

  /**
   * Checks the partitions, then everything every six hours until `stop`, and counts every minute. Never rejects: events without a partition
   * go to the default one. What no event needs any more is deleted in the background: after a day with many sessions, that takes minutes.
   */
  async start(): Promise<void> {
    const isAvailable = await this.checkPartitions();
    if (isAvailable) this.running = this.running.then(() => this.tidy());
    this.repeat(() => this.check(), CHECK_EVERY_MS);
    this.repeat(() => this.count(), COUNT_EVERY_MS);
  }

  /** Stops checking and waits for a running check. */
  async stop(): Promise<void> {
    this.isEnding = true;
    for (const timer of this.timers) clearInterval(timer);
    await this.running;
  }

  private repeat(work: () => Promise<void>, everyMs: number): void {
    const timer = setInterval(() => {
      this.running = this.running.then(work);
    }, everyMs);
    timer.unref();
    this.timers.push(timer);
  }

  private async check(): Promise<void> {
    if (await this.checkPartitions()) await this.tidy();
  }

  /** @returns false if the database is unavailable: the other tasks would fail as well */
  private async checkPartitions(): Promise<boolean> {
    try {
      await ensurePartitions(this.sql, this.now());
      return true;
    } catch (error) {
      const reason = error instanceof Error ? error.message : 'unknown error';
      this.report(`The event log's partitions could not be checked; events go to the default partition: ${reason}`);
      return error instanceof WeeksWithoutPartition;
    }
  }

  /** Deletes ended sessions and marks without an event, and counts the events without a partition. Never rejects. */
  private async tidy(): Promise<void> {
    try {
      await deleteIdleSessions(this.sql, this.now(), () => this.isEnding);
    } catch (error) {
      const reason = error instanceof Error ? error.message : 'unknown error';
      this.report(`Ended sessions could not be deleted: ${reason}`);
    }
    try {
      await deleteMarks(this.sql);
    } catch (error) {
      const reason = error instanceof Error ? error.message : 'unknown error';
      this.report(`Marks of deleted events could not be deleted: ${reason}`);
    }
    await this.count();
  }

  /** An unavailable database is reported elsewhere: the last count is kept. */
  private async count(): Promise<void> {
    this.strayCount = await countStrays(this.sql).catch(() => this.strayCount);
  }
}
