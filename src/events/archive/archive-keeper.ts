import type { SqlRunner } from '../../database/index.js';
import { PeriodicWork } from '../../resilience/index.js';
import { deleteDetached } from '../detached-weeks.js';
import type { Week } from '../partitions.js';
import { archiveWeeks, dueWeeks, tidyArchive, WeeksNotArchived, type Archive } from './archive.js';
import type { ArchiveFiles } from './rewrite-part.js';

const EVERY_MS = 60 * 60 * 1000;

export interface ArchiveKeeperParts {
  readonly sql: SqlRunner;
  readonly archive: Archive;
  readonly afterMs: number;
  readonly report: (message: string) => void;
  readonly now: () => Date;
}

/** Every hour, archives the weeks that are due, the oldest first. */
export class ArchiveKeeper {
  private readonly work = new PeriodicWork(() => this.keep(), EVERY_MS);
  private readonly ending = new AbortController();
  private due = 0;

  constructor(private readonly parts: ArchiveKeeperParts) {}

  /** Number of weeks that were due at the last check and are not archived. */
  get weeksDue(): number {
    return this.due;
  }

  /** Checks immediately, in the background, and then every hour. Does nothing without an archive. */
  start(): void {
    if (this.parts.archive.files === undefined) return;
    this.work.runNow();
    this.work.start();
  }

  /** Waits for the part that is being archived, but not for its storage. */
  async stop(): Promise<void> {
    this.ending.abort();
    this.parts.archive.files?.store.end();
    await this.work.stop();
  }

  /** Never rejects: a failure is logged and repeated at the next check. */
  async keep(): Promise<void> {
    const { sql, archive, now, afterMs } = this.parts;
    const { files } = archive;
    if (files === undefined) return;
    try {
      const weeks = await dueWeeks(sql, { afterMs, nowMs: now().getTime() });
      this.due = weeks.length;
      const isLeftOver = !(await this.archive(files, weeks));
      const { signal } = this.ending;
      if (signal.aborted) return;
      await tidyArchive(files, sql);
      await deleteDetached(sql, { signal, isLeftOver });
    } catch (error) {
      this.reportFailure(error);
    }
  }

  /** @returns whether a week was archived */
  private async archive(files: ArchiveFiles, weeks: readonly Week[]): Promise<boolean> {
    const isEnding = (): boolean => this.isEnding();
    let isAnyArchived = false;
    try {
      for await (const { outcome } of archiveWeeks({ sql: this.parts.sql, ...files, isEnding }, weeks)) {
        if (outcome === 'archived' || outcome === 'nothing') this.due -= 1;
        isAnyArchived ||= outcome === 'archived';
      }
    } catch (error) {
      if (!(error instanceof WeeksNotArchived)) throw error;
      this.reportFailure(error);
    }
    return isAnyArchived;
  }

  private isEnding(): boolean {
    return this.ending.signal.aborted || this.parts.archive.files?.store.isEnded === true;
  }

  /** An interrupted attempt is no failure. */
  private reportFailure(error: unknown): void {
    if (this.isEnding()) return;
    const reason = error instanceof Error ? error.message : 'unknown error';
    this.parts.report(
      `Weeks due for archiving could not be archived; they stay in the database until the next attempt: ${reason}`,
    );
  }
}
