import { DatabaseUnavailable, WRONG_CLOCK_MS, type SqlRunner } from '../../database/index.js';
import type { RetentionInForce, RetentionOf } from '../../deployments/index.js';
import { PeriodicWork } from '../../resilience/index.js';
import type { ArchiveFiles } from '../archive/rewrite-part.js';
import type { LedgerWriter } from '../event.js';
import { deleteMarks } from '../marks/delete-marks.js';
import { deleteDetached } from '../detached-weeks.js';
import { partitionedWeeks, weekNamed, WEEK_MS, type Week } from '../partitions.js';
import { dueOf, whollyDue, type Due } from './due.js';
import { deleteIds } from './delete-ids.js';
import { deleteEventDetails } from './delete-event-details.js';
import { beginParts, begun, noteParts, partKey, partsOf, settleParts } from './week-parts.js';
import { keepArchived } from './keep-archived.js';
import { replaceWeek, type Replacing } from './replace-week.js';

const EVERY_MS = 60 * 60 * 1000;
/** Events of a call that was open when the week ended are received after it. */
const AFTER_MS = 24 * 60 * 60 * 1000;
const MS_PER_S = 1_000;

export interface RetentionParts {
  readonly sql: SqlRunner;
  readonly inForce: Pick<RetentionInForce, 'read'>;
  readonly ledger: LedgerWriter;
  /** The files of archived weeks; absent if no archive is configured. */
  readonly archive?: ArchiveFiles;
  readonly report: (message: string) => void;
  readonly now: () => Date;
  /** Time by which the clock of this server is ahead of that of `now`; absent if there is only one clock. */
  readonly clockAheadMs?: () => number;
}

/** A week, and the retention of all accounts at the time of a run. */
interface RunOnWeek {
  readonly week: Week;
  /** Whether the week has a partition. */
  readonly isThere: boolean;
  readonly retentionOf: RetentionOf;
  readonly nowMs: number;
}

/** A week with the retention that is due. */
interface DueWeek extends Pick<RunOnWeek, 'week' | 'isThere'> {
  readonly parts: readonly Due[];
  readonly whollyDueOf: Replacing['whollyDueOf'];
}

/** Applies the retention of the policies in force every hour, week by week, the oldest first. */
export class RetentionKeeper {
  private readonly work = new PeriodicWork(() => this.keep(), EVERY_MS);
  private readonly ending = new AbortController();
  private readonly isEnding = (): boolean => this.ending.signal.aborted || this.parts.archive?.store.isEnded === true;
  /** Whether this run has detached a week. Otherwise the server that has done so deletes the tables. */
  private hasDetached = false;
  /** See `IdDeletion`. */
  private readonly finished = new Set<string>();
  private due = 0;

  constructor(private readonly parts: RetentionParts) {}

  /** Number of weeks with data that was due for deletion in the last run and was not deleted. */
  get weeksDue(): number {
    return this.due;
  }

  /** Runs immediately, in the background, and then every hour. */
  start(): void {
    this.work.runNow();
    this.work.start();
  }

  /** Stops after the statement that is running, without waiting for the archive. A week that is being copied stays unchanged. */
  async stop(): Promise<void> {
    this.ending.abort();
    this.parts.archive?.store.end();
    await this.work.stop();
  }

  /**
   * Applies the retention once to all weeks. Never rejects: a failure is reported, and the next run tries again. A failure of one week, or
   * of one of the three tasks, does not keep the others from being done.
   */
  async keep(): Promise<void> {
    const { sql, report, now } = this.parts;
    if (this.isClockWrong()) return;
    const nowMs = now().getTime();
    this.hasDetached = false;
    try {
      await this.keepWeeks(nowMs);
    } catch (error) {
      report(`Events due for deletion could not be deleted; they are kept until the next attempt: ${reasonOf(error)}`);
    }
    try {
      const { finished } = this;
      const { signal } = this.ending;
      if (!signal.aborted) await deleteIds({ maintenance: sql.forMaintenance(), signal, finished }, nowMs);
    } catch (error) {
      report(
        `Ids of events that were deleted long ago could not be deleted; they are kept until the next attempt: ${reasonOf(error)}`,
      );
    }
    try {
      await deleteDetached(sql, { signal: this.ending.signal, isLeftOver: !this.hasDetached });
    } catch (error) {
      report(
        `The tables of deleted weeks could not be deleted; they are kept until the next attempt: ${reasonOf(error)}`,
      );
    }
  }

  /** Deleted data cannot be restored, so nothing is deleted while one of the two clocks is known to be wrong. */
  private isClockWrong(): boolean {
    const { report, clockAheadMs } = this.parts;
    const aheadMs = clockAheadMs?.() ?? 0;
    if (Math.abs(aheadMs) <= WRONG_CLOCK_MS) return false;
    const seconds = Math.round(Math.abs(aheadMs) / MS_PER_S);
    report(
      `Events due for deletion are kept while the clock of this server is ${seconds} s ${aheadMs > 0 ? 'ahead of' : 'behind'} the database's.`,
    );
    return true;
  }

  private async keepWeeks(nowMs: number): Promise<void> {
    const { sql, inForce } = this.parts;
    const retentionOf = await inForce.read();
    const weeks = await partitionedWeeks(sql);
    const gone = (await knownWeeks(sql)).filter(({ table }) => !weeks.some((week) => week.table === table));
    let undone = 0;
    for (const week of [...gone, ...weeks].toSorted((a, b) => a.startMs - b.startMs)) {
      if (week.startMs + WEEK_MS + AFTER_MS > nowMs) break;
      if (this.isEnding()) return;
      if (!(await this.keepWeek({ week, isThere: weeks.includes(week), retentionOf, nowMs }))) undone += 1;
    }
    this.due = undone;
  }

  /** @returns whether nothing is due any more */
  private async keepWeek({ week, isThere, retentionOf, nowMs }: RunOnWeek): Promise<boolean> {
    const { sql, report } = this.parts;
    try {
      const known = await partsOf(sql.forMaintenance(), week, isThere, this.isEnding);
      const parts = known.map((part) => dueOf(part, week, retentionOf, nowMs));
      const whollyDueOf: DueWeek['whollyDueOf'] = (accountIds) => whollyDue(accountIds, week, retentionOf, nowMs);
      return await this.applyTo({ week, parts, isThere, whollyDueOf });
    } catch (error) {
      if (this.isEnding()) return false;
      report(
        `Events in ${week.table} that are due for deletion could not be deleted; they are kept until the next attempt: ${reasonOf(error)}`,
      );
      // This also fails if the database is gone: the attempts for the other weeks would fail as well.
      if (error instanceof DatabaseUnavailable) await sql.query('SELECT 1 AS one');
      return false;
    }
  }

  /** @returns whether nothing is due any more */
  private async applyTo({ week, parts, isThere, whollyDueOf }: DueWeek): Promise<boolean> {
    let open = parts.filter(({ texts, settled, name }) => texts && settled !== name);
    if (open.length === 0) return true;
    const { sql, archive: files, ledger } = this.parts;
    const { isEnding } = this;
    const maintenance = sql.forMaintenance();
    let remains = isThere;
    if (isThere && open.some(({ settled, name }) => settled !== `~${name}`)) {
      const replaced = await replaceWeek(maintenance, week, parts, { whollyDueOf, isEnding });
      if (replaced === undefined) return false;
      this.hasDetached = true;
      remains = !replaced.isGone;
      // Before another week is copied: the disk has room for one copy, but not for copies of all weeks.
      if (remains) await deleteDetached(sql, this.ending);
      const known = new Set(parts.map(partKey));
      open = [...open, ...replaced.parts.filter((part) => !known.has(partKey(part)))];
    } else {
      open = await beginParts(maintenance, week, open, isThere);
      if (open.length === 0) return false;
    }
    // Adds parts for environments whose first events arrived after the week was read.
    if (remains && !(await noteParts(maintenance, week, isEnding))) return false;
    await keepArchived(maintenance, week, open, { files, isEnding });
    await deleteMarks(sql);
    await deleteEventDetails({ maintenance, ledger, isEnding }, week, open);
    if (isEnding()) return false;
    await settleParts(
      maintenance,
      week,
      open.map((part) => ({ ...part, settled: part.name, was: begun(part).settled })),
    );
    return true;
  }
}

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : 'unknown error');

async function knownWeeks(sql: SqlRunner): Promise<Week[]> {
  const rows = await sql.forMaintenance().query<{ week: string }>('SELECT DISTINCT week FROM event_weeks');
  return rows.map(({ week }) => weekNamed(week));
}
