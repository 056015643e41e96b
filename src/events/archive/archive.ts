/** The archive of a server: its location, and the operations on it. */
import type { AppConfig } from '../../config/index.js';
import type { SqlRunner } from '../../database/index.js';
import { directoryStore, s3Store, type ObjectStore } from '../../object-storage/index.js';
import { partitionedWeeks, WEEK_MS, type Week } from '../partitions.js';
import { archiveWeek, PartDiffers, type ArchiveParts, type WeekOutcome } from './archive-week.js';
import { keptInLog, partsWhere, type ArchivePart } from './catalogue.js';
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
  const kept = await keptInLog(sql.forMaintenance());
  const weeks = await partitionedWeeks(sql);
  return weeks.filter(({ table, startMs }) => startMs + WEEK_MS + afterMs <= nowMs && !kept.has(table));
}

/** Archives one week after the other. @throws as `archiveWeek` */
export async function* archiveWeeks(
  parts: ArchiveParts,
  weeks: readonly Week[],
): AsyncGenerator<{ readonly week: Week; readonly outcome: WeekOutcome }> {
  for (const week of weeks) {
    if (parts.isEnding?.() === true) return;
    yield { week, outcome: await archiveWeek(parts, week) };
  }
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
