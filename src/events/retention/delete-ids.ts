/**
 * Deletes the ids of events that were deleted long ago. No index finds them: the ids of clients have no order in time, and an index on
 * their times would cost each stored event. So the table is read from its beginning to its end, a few pages at a time, for all weeks that
 * are due at once: that is once a week.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { ADVISORY_LOCKS, type SqlExecutor, type SqlRow, type SqlSession } from '../../database/index.js';
import { inArchive, notArchived } from '../archive/catalogue.js';
import { WEEK_MS, weekNamed, weekOf } from '../partitions.js';

/** Time for which ids are kept, so that a retry is not recorded as a new event. */
const IDS_KEPT_MS = 400 * 86_400_000;
/** Pages that one statement reads: 8 MiB. */
const PAGES = 1_024;
/** Maximum number of ids that one statement deletes. */
const ROWS = 1_000;
/** Maximum number of parts in one pass through the table; the next run continues. */
const MOST_PARTS = 2_000;

/** A part of a week whose events are deleted. */
interface OldPart extends SqlRow {
  readonly account_id: string;
  readonly environment: string;
  readonly week: string;
  /** See `WeekPart`. */
  readonly settled: string;
  /** Whether events of the part are held or archived. */
  readonly is_kept: boolean;
}

export interface IdDeletion {
  readonly maintenance: SqlSession;
  /** Ends the work before the next statement. */
  readonly signal: AbortSignal;
  /** Parts with held or archived events, whose other ids are deleted. Kept between the runs, so that the table is not read every hour. */
  readonly finished: Set<string>;
}

/**
 * Deletes the ids of the events that were deleted, if the ids are old enough, then the entries of their weeks.
 *
 * @throws DatabaseError | DatabaseUnavailable; the next run begins again
 */
export async function deleteIds({ maintenance, signal, finished }: IdDeletion, nowMs: number): Promise<void> {
  const due = await oldParts(maintenance, nowMs);
  const known = new Set(due.map(nameOf));
  for (const name of finished) if (!known.has(name)) finished.delete(name);
  const parts = due.filter((part) => !finished.has(nameOf(part))).slice(0, MOST_PARTS);
  if (parts.length === 0) return;
  const { file } = await fileOfIds(maintenance);
  for (let page = 0; ; page += PAGES) {
    const now = await fileOfIds(maintenance);
    // VACUUM FULL has moved rows, perhaps to pages that were already read.
    if (now.file !== file) return;
    if (page >= now.pages) break;
    const begunMs = performance.now();
    for (let found = ROWS; found > 0;) {
      if (signal.aborted) return;
      const step = await deleteInPages(maintenance, parts, page);
      // Another server deletes ids.
      if (step === undefined) return;
      found = step;
    }
    // Calls are stored meanwhile, on the same disk.
    await wait(2 * (performance.now() - begunMs), undefined, { signal }).catch(() => undefined);
  }
  await deleteEntries(maintenance, parts);
  for (const part of parts) if (part.is_kept) finished.add(nameOf(part));
}

const nameOf = ({ account_id: accountId, environment, week, settled }: OldPart): string =>
  `${accountId} ${environment} ${week} ${settled}`;

/** Parts that are old enough, and whose last action has deleted records: see `Due.name`. */
function oldParts(maintenance: SqlExecutor, nowMs: number): Promise<OldPart[]> {
  return maintenance.query<OldPart>(
    `SELECT w.account_id::text AS account_id, w.environment, w.week, w.settled, w.held > 0 OR ${inArchive('w')} AS is_kept
     FROM event_weeks w
     WHERE w.week COLLATE "C" <= $1 AND w.settled LIKE '[true%' ORDER BY w.week, w.account_id, w.environment`,
    [weekOf(nowMs - IDS_KEPT_MS - WEEK_MS).table],
  );
}

async function fileOfIds(maintenance: SqlExecutor): Promise<{ file: string; pages: number }> {
  const rows = await maintenance.query<{ file: string; pages: number }>(
    `SELECT pg_relation_filenode('event_ids')::text AS file,
       (pg_relation_size('event_ids') / current_setting('block_size')::integer)::integer AS pages`,
  );
  return rows[0]!;
}

/**
 * Deletes ids in some pages, if no other server does so at the same time: of two servers that have found the same ids, one deletes none,
 * and would take this for the end.
 *
 * @returns the number of ids that were found; undefined if another server deletes ids
 */
function deleteInPages(maintenance: SqlSession, parts: readonly OldPart[], page: number): Promise<number | undefined> {
  const weeks = parts.map(({ week }) => weekNamed(week));
  return maintenance.transaction(async (transaction) => {
    const [lock] = await transaction.query<{ mine: boolean }>(
      `SELECT pg_try_advisory_xact_lock(${ADVISORY_LOCKS.eventIds}) AS mine`,
    );
    if (lock?.mine !== true) return undefined;
    // The first part has no condition on an indexed column: otherwise PostgreSQL might read all ids of an account instead of these pages.
    const [row] = await transaction.query<{ found: number }>(
      `WITH near AS MATERIALIZED (
         SELECT i.ctid AS place, i.account_id, i.environment, i.event_row_id FROM event_ids i
         WHERE i.ctid >= '(${page},0)'::tid AND i.ctid < '(${page + PAGES},0)'::tid
           AND i.event_row_id >= $5::uuid AND i.event_row_id < $6::uuid
       ), found AS MATERIALIZED (
         SELECT i.place FROM near i
         JOIN unnest($1::text[]::uuid[], $2::text[], $3::text[]::uuid[], $4::text[]::uuid[])
           AS d (account_id, environment, first_id, end_id)
           ON d.account_id = i.account_id AND d.environment = i.environment
             AND i.event_row_id >= d.first_id AND i.event_row_id < d.end_id
         WHERE NOT EXISTS (SELECT 1 FROM events e WHERE e.account_id = i.account_id AND e.id = i.event_row_id)
           AND ${notArchived('i.account_id', 'i.event_row_id')}
         LIMIT ${ROWS}
       ), gone AS (DELETE FROM event_ids WHERE ctid = ANY (ARRAY(SELECT place FROM found)))
       SELECT count(*)::integer AS found FROM found`,
      [
        parts.map((part) => part.account_id),
        parts.map(({ environment }) => environment),
        weeks.map(({ from }) => from),
        weeks.map(({ to }) => to),
        weeks[0]!.from,
        weeks.at(-1)!.to,
      ],
    );
    return row?.found ?? 0;
  });
}

/**
 * A part stays if events of it are held or archived, or if they have changed in the meantime: without its entry, retention would no longer
 * find its archived events.
 */
async function deleteEntries(maintenance: SqlExecutor, parts: readonly OldPart[]): Promise<void> {
  await maintenance.query(
    `DELETE FROM event_weeks w
     USING unnest($1::text[]::uuid[], $2::text[], $3::text[], $4::text[]) AS d (account_id, environment, week, settled)
     WHERE w.account_id = d.account_id AND w.environment = d.environment AND w.week = d.week AND w.settled = d.settled
       AND w.held = 0 AND NOT ${inArchive('w')}`,
    [
      parts.map((part) => part.account_id),
      parts.map(({ environment }) => environment),
      parts.map(({ week }) => week),
      parts.map(({ settled }) => settled),
    ],
  );
}
