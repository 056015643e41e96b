import type { SqlRunner } from '../../database/index.js';
import type { RetentionInForce } from '../../deployments/index.js';
import { PeriodicWork } from '../../resilience/index.js';
import type { ArchiveFiles } from '../archive/rewrite-part.js';
import type { LedgerWriter } from '../event.js';
import { forgetMarks } from '../marks/forget-marks.js';
import { deleteDetached } from '../detached-weeks.js';
import { partitionedWeeks, weekOf, WEEK_MS, type Week } from '../partitions.js';
import { dueOf, whollyDue, type Due } from './due.js';
import { forgetDetails, forgetIds } from './forget-rest.js';
import { beginParts, begun, noteParts, partKey, partsOf, settleParts } from './kept-weeks.js';
import { keepArchived } from './keep-archived.js';
import { replaceWeek } from './replace-week.js';

const EVERY_MS = 60 * 60 * 1000;
/** Events of a call that was open when the week ended are received after it. */
const AFTER_MS = 24 * 60 * 60 * 1000;

export interface RetentionParts {
  readonly sql: SqlRunner;
  readonly inForce: Pick<RetentionInForce, 'read'>;
  readonly ledger: LedgerWriter;
  /** The files of archived weeks; absent if no archive is configured. */
  readonly archive?: ArchiveFiles;
  readonly report: (message: string) => void;
  readonly now: () => Date;
}

/** A week with the retention that is due. */
interface KeptWeek {
  readonly week: Week;
  readonly parts: readonly Due[];
  /** Whether the week has a partition. */
  readonly isThere: boolean;
  /** All parts that the accounts can have, if all events in them are due for deletion. */
  readonly whollyDueOf: (accountIds: readonly string[]) => readonly Due[] | undefined;
}

/** Applies the retention of the policies in force every hour, week by week, the oldest first. */
export class RetentionKeeper {
  private readonly work = new PeriodicWork(() => this.keep(), EVERY_MS);
  private readonly ending = new AbortController();
  /** Whether this run has detached a week. Otherwise the server that has done so deletes the tables. */
  private hasDetached = false;

  constructor(private readonly parts: RetentionParts) {}

  /** Runs immediately, in the background, and then every hour. */
  start(): void {
    this.work.runNow();
    this.work.start();
  }

  /** Stops after the week that is being processed. */
  async stop(): Promise<void> {
    this.ending.abort();
    await this.work.stop();
  }

  /** Applies the retention once to all weeks. Never rejects: a failure is reported, and the next run tries again. */
  async keep(): Promise<void> {
    const { sql, inForce, report, now } = this.parts;
    this.hasDetached = false;
    try {
      const nowMs = now().getTime();
      const keptFor = await inForce.read();
      const maintenance = sql.forMaintenance();
      const weeks = await partitionedWeeks(sql);
      const gone = (await knownWeeks(sql)).filter(({ table }) => !weeks.some((week) => week.table === table));
      for (const week of [...gone, ...weeks].toSorted((a, b) => a.startMs - b.startMs)) {
        if (this.ending.signal.aborted || week.startMs + WEEK_MS + AFTER_MS > nowMs) break;
        const isThere = weeks.includes(week);
        const known = await partsOf(maintenance, week, isThere, () => this.ending.signal.aborted);
        const parts = known.map((part) => dueOf(part, week, keptFor, nowMs));
        const whollyDueOf = (accountIds: readonly string[]) => whollyDue(accountIds, week, keptFor, nowMs);
        await this.keepWeek({ week, parts, isThere, whollyDueOf });
        await forgetIds(this.forgetting, week, parts, nowMs);
      }
    } catch (error) {
      report(`Events due for deletion could not be deleted; they are kept until the next attempt: ${reasonOf(error)}`);
    }
    try {
      await deleteDetached(sql, { signal: this.ending.signal, isLeftOver: !this.hasDetached });
    } catch (error) {
      report(
        `The tables of deleted weeks could not be deleted; they are kept until the next attempt: ${reasonOf(error)}`,
      );
    }
  }

  private get forgetting() {
    const { sql, ledger } = this.parts;
    return { maintenance: sql.forMaintenance(), ledger, isEnding: () => this.ending.signal.aborted };
  }

  private async keepWeek({ week, parts, isThere, whollyDueOf }: KeptWeek): Promise<void> {
    let open = parts.filter(({ texts, settled, name }) => texts && settled !== name);
    if (open.length === 0) return;
    const { sql, report } = this.parts;
    const maintenance = sql.forMaintenance();
    try {
      let remains = isThere;
      if (isThere && open.some(({ settled, name }) => settled !== `~${name}`)) {
        const replaced = await replaceWeek(maintenance, week, parts, whollyDueOf);
        if (replaced === undefined) return;
        this.hasDetached = true;
        remains = !replaced.isGone;
        // Before another week is copied: the disk has room for one copy, but not for copies of all weeks.
        if (remains) await deleteDetached(sql, this.ending);
        const known = new Set(parts.map(partKey));
        open = [...open, ...replaced.parts.filter((part) => !known.has(partKey(part)))];
      } else {
        open = await beginParts(maintenance, week, open, isThere);
        if (open.length === 0) return;
      }
      // Adds parts for environments whose first events arrived after the week was read.
      if (remains && !(await noteParts(maintenance, week, () => this.ending.signal.aborted))) return;
      await keepArchived(maintenance, week, open, this.parts.archive);
      await forgetMarks(sql);
      await forgetDetails(this.forgetting, week, open);
      if (this.ending.signal.aborted) return;
      await settleParts(
        maintenance,
        week,
        open.map((part) => ({ ...part, settled: part.name, was: begun(part).settled })),
      );
    } catch (error) {
      report(
        `Events in ${week.table} that are due for deletion could not be deleted; they are kept until the next attempt: ${reasonOf(error)}`,
      );
    }
  }
}

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : 'unknown error');

async function knownWeeks(sql: SqlRunner): Promise<Week[]> {
  const rows = await sql.forMaintenance().query<{ week: string }>('SELECT DISTINCT week FROM event_weeks');
  return rows.map(({ week }) => weekOf(Date.parse(week.replace(/^events_w(\d{4})(\d{2})(\d{2})$/, '$1-$2-$3'))));
}
