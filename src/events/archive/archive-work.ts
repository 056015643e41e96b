/** The operations of an operator on the archive. */
import type { AppConfig } from '../../config/index.js';
import type { Database, SqlParameter } from '../../database/index.js';
import { NotStored } from '../../object-storage/index.js';
import { WorkerFailure } from '../../workers/index.js';
import { deleteDetached } from '../detached-weeks.js';
import { partitionedWeeks, WEEK_MS, type Week } from '../partitions.js';
import { WeekInUse } from '../week-tables.js';
import { PartDiffers, type WeekOutcome } from './archive-week.js';
import {
  Archive,
  archiveWeeks,
  dueWeeks,
  problemOf,
  tidyArchive,
  unknownObjects,
  WeeksNotArchived,
} from './archive.js';
import { weeksKeptInLog, partsWhere, type ArchivePart } from './catalogue.js';
import { ErasureOpen, restorePart } from './restore-part.js';
import { PartChanged, type ArchiveFiles } from './rewrite-part.js';

const EXPECTED = [NotStored, WorkerFailure, WeekInUse, WeeksNotArchived, PartDiffers, ErasureOpen, PartChanged];

/** Failures that are not bugs of the service; the message is for operators. */
export function isArchiveFailure(error: unknown): error is Error {
  return EXPECTED.some((kind) => error instanceof kind);
}

export interface PlannedWeek {
  /** Monday, 00:00 UTC. */
  readonly week: string;
  readonly state: 'due' | 'later' | 'restored';
  /** Estimated by the database. */
  readonly events: number;
  readonly bytes: number;
}

export interface ArchivedWeek {
  readonly week: string;
  readonly outcome: WeekOutcome;
}

const dayOf = ({ startMs }: Week): string => new Date(startMs).toISOString().slice(0, 10);

/** Serves one operation; `close` it afterwards. */
export class ArchiveWork {
  private readonly archive: Archive;
  private readonly files: ArchiveFiles;

  constructor(
    private readonly config: AppConfig['archive'],
    private readonly database: Database,
  ) {
    this.archive = new Archive(config);
    if (this.archive.files === undefined) throw new Error('no archive is set up');
    this.files = this.archive.files;
  }

  /** Weeks in the database, oldest first, and which of them are due. */
  async plan(): Promise<PlannedWeek[]> {
    const { sql, clock } = this.database;
    const [kept, weeks] = [await weeksKeptInLog(sql.forMaintenance()), await partitionedWeeks(sql)];
    const nowMs = clock.nowMs();
    const sizes = await sql.query<{ name: string; events: number; bytes: number }>(
      `SELECT relname::text AS name, greatest(reltuples, 0)::double precision AS events,
         pg_total_relation_size(oid)::double precision AS bytes FROM pg_class WHERE relname = ANY ($1::text[])`,
      [weeks.map(({ table }) => table)],
    );
    const byName = new Map(sizes.map((size) => [size.name, size]));
    return weeks
      .filter(({ startMs }) => startMs <= nowMs)
      .map((week) => {
        const isDue = week.startMs + WEEK_MS + this.config.afterMs <= nowMs;
        const { events = 0, bytes = 0 } = byName.get(week.table) ?? {};
        return { week: dayOf(week), state: kept.has(week.table) ? 'restored' : isDue ? 'due' : 'later', events, bytes };
      });
  }

  /** Archives the weeks that are due, and deletes replaced objects. @throws as `archiveWeeks` */
  async *run(): AsyncGenerator<ArchivedWeek> {
    const { sql, clock } = this.database;
    const weeks = await dueWeeks(sql, { afterMs: this.config.afterMs, nowMs: clock.nowMs() });
    for await (const { week, outcome } of archiveWeeks({ sql, ...this.files }, weeks)) {
      yield { week: dayOf(week), outcome };
    }
    await tidyArchive(this.files, sql);
    await deleteDetached(sql, {});
  }

  /** Archived parts, oldest first. @param week Monday of a week; absent: all weeks */
  parts({ week, account }: { readonly week?: string; readonly account?: string }): Promise<ArchivePart[]> {
    const parameters: SqlParameter[] = [week === undefined ? null : tableOf(week), account ?? null];
    return partsWhere(
      this.database.sql.forMaintenance(),
      `p.state IN ('archived', 'restored') AND ($1::text IS NULL OR p.week = $1)
         AND ($2::text IS NULL OR p.account_id = $2::text::uuid)`,
      parameters,
    );
  }

  /** @returns the problem of the part's object; undefined if there is none */
  verify(part: ArchivePart): Promise<string | undefined> {
    return problemOf(this.files, part);
  }

  /** Objects in the archive's location that the database does not know. */
  unknownObjects(): Promise<string[]> {
    return unknownObjects(this.files, this.database.sql);
  }

  /** @throws as `restorePart` */
  restore(part: ArchivePart, keepDays: number): Promise<void> {
    return restorePart(this.files, this.database.sql, part, { keepDays, now: this.database.clock.now() });
  }

  close(): Promise<void> {
    return this.archive.close();
  }
}

const tableOf = (day: string): string => `events_w${day.replaceAll('-', '')}`;
