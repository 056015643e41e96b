/** The archive of a server: its location, and the operations on it. */
import type { AppConfig } from '../../config/index.js';
import { DatabaseError, DatabaseUnavailable, type SqlRunner } from '../../database/index.js';
import { directoryStore, NotStored, s3Store, type ObjectStore } from '../../object-storage/index.js';
import { WorkerFailure } from '../../workers/index.js';
import { partitionedWeeks, WEEK_MS, type Week } from '../partitions.js';
import { WeekInUse } from '../week-tables.js';
import { archiveWeek, PartDiffers, type ArchiveParts, type WeekOutcome } from './archive-week.js';
import { weeksKeptInLog, partsWhere, type ArchivePart } from './catalogue.js';
import { PartCopies } from './part-copies.js';
import { PartPacker } from './part-packer.js';
import { deleteObjects, rowsOfPart, type ArchiveFiles } from './rewrite-part.js';

/** The archive configured in the settings, if there is one. */
export class Archive {
  /** Undefined: nothing is archived, and earlier parts cannot be read. */
  readonly files: ArchiveFiles | undefined;
  /** Local copies of its objects. */
  readonly copies: PartCopies | undefined;

  constructor({ place }: AppConfig['archive']) {
    this.files = place === undefined ? undefined : { store: storeOf(place), packer: new PartPacker() };
    this.copies = this.files === undefined ? undefined : new PartCopies(this.files);
  }

  async close(): Promise<void> {
    await this.copies?.close();
    await this.files?.packer.close();
    await this.files?.store.close();
  }
}

function storeOf(place: NonNullable<AppConfig['archive']['place']>): ObjectStore {
  if (place.kind === 'directory') return directoryStore(place.path);
  const { credentials, bucket, prefix, region, endpoint } = place;
  return s3Store({ bucket, prefix, region, ...(endpoint === undefined ? {} : { endpoint }) }, credentials);
}

/** Weeks whose time in the log is over, oldest first, except those with restored parts. */
export async function dueWeeks(
  sql: SqlRunner,
  { afterMs, nowMs }: { afterMs: number; nowMs: number },
): Promise<Week[]> {
  const kept = await weeksKeptInLog(sql.forMaintenance());
  const weeks = await partitionedWeeks(sql);
  return weeks.filter(({ table, startMs }) => startMs + WEEK_MS + afterMs <= nowMs && !kept.has(table));
}

/** If the storage fails for so many weeks, it is unavailable, and further attempts would only wait for it. */
const MOST_STORE_FAILURES = 3;

/** Some weeks could not be archived, and stay in the log until the next attempt. */
export class WeeksNotArchived extends Error {
  override readonly name = 'WeeksNotArchived';

  constructor(failures: ReadonlyMap<string, Error>) {
    const byReason = Map.groupBy(failures, ([, { message }]) => message);
    super([...byReason].map(([reason, weeks]) => `${weeks.map(([table]) => table).join(', ')}: ${reason}`).join('; '));
  }
}

/**
 * Archives one week after the other. A week that fails does not keep the later ones in the log.
 *
 * @throws WeeksNotArchived at the end, if weeks have failed; otherwise as `archiveWeek`
 */
export async function* archiveWeeks(
  parts: ArchiveParts,
  weeks: readonly Week[],
): AsyncGenerator<{ readonly week: Week; readonly outcome: WeekOutcome }> {
  const failures = new Map<string, Error>();
  for (const week of weeks) {
    if (parts.isEnding?.() === true) break;
    const outcome = await archiveWeek(parts, week).catch((error: unknown) => {
      if (!isOfOneWeek(error)) throw error;
      failures.set(week.table, error);
      return undefined;
    });
    if (outcome !== undefined) yield { week, outcome };
    if ([...failures.values()].filter((each) => each instanceof NotStored).length >= MOST_STORE_FAILURES) break;
  }
  if (failures.size > 0) throw new WeeksNotArchived(failures);
}

/** Whether a failure may concern only one week: the database is available, and the error is not a bug. */
function isOfOneWeek(error: unknown): error is Error {
  if (error instanceof DatabaseUnavailable) return error.isEnded;
  return [DatabaseError, NotStored, PartDiffers, WeekInUse, WorkerFailure].some((kind) => error instanceof kind);
}

/**
 * Deletes objects that were replaced, restored, left behind by a killed process, or written after their week was archived by another
 * process.
 *
 * @throws NotStored | DatabaseError | DatabaseUnavailable
 */
export async function tidyArchive(files: ArchiveFiles, sql: SqlRunner): Promise<void> {
  const maintenance = sql.forMaintenance();
  await maintenance.query(
    `UPDATE archive_parts SET state = 'deleting', state_at = now()
     WHERE (state = 'writing' AND state_at < now() - interval '1 hour') OR (state = 'written' AND to_regclass(week) IS NULL)`,
  );
  await deleteObjects(files, maintenance, { forget: true });
}

/** The problem of an archived part; undefined if there is none. @throws NotStored | WorkerFailure */
export async function problemOf(files: ArchiveFiles, part: ArchivePart): Promise<string | undefined> {
  try {
    const rows = await rowsOfPart(files, part);
    const events = rows.values[0]?.length ?? 0;
    return events === part.events ? undefined : `contains ${events} events, but ${part.events} were archived`;
  } catch (error) {
    if (error instanceof PartDiffers) return error.message;
    throw error;
  }
}

/**
 * Keys of objects that no part refers to: left behind when the database was restored from a backup, or of another origin.
 */
export async function unknownObjects({ store }: ArchiveFiles, sql: SqlRunner): Promise<string[]> {
  const parts = await partsWhere(sql.forMaintenance(), 'true');
  const known = new Set(parts.map(({ key }) => key));
  const unknown: string[] = [];
  for await (const key of store.list()) if (!known.has(key)) unknown.push(key);
  return unknown.sort();
}
