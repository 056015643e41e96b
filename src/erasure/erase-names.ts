/** Empties data that names the person outside events and budgets: notes, saved filters, files with events. */
import type { SqlExecutor, SqlParameter, SqlRow } from '../database/index.js';
import { sessionDigest } from '../events/index.js';
import { begunUploads, dropParts, lockExports, type BegunUpload } from '../exports/index.js';
import { selectedBy, type Search } from './find-events.js';
import { FIRST, lastOfNext } from './next-rows.js';
import { countOf, type Counts } from './places.js';
import { filtersName, finds, isAbout, valuesOf } from './selector.js';
import type { EmptiedEvents } from './erase-events.js';

const CANCELLED = 'A person was erased while the file was written: request the export again';

type Job = Pick<Search, 'accountId' | 'selector' | 'maskedSession' | 'dryRun'>;

interface TextRow extends SqlRow {
  readonly id: string;
  readonly text: string;
}

interface FilterRow extends TextRow {
  readonly environment: string | null;
}

interface EmptiedNames extends EmptiedEvents {
  /** The uploads of exports that were cancelled or can no longer be resumed: to be aborted after the transaction. */
  readonly uploads: readonly BegunUpload[];
}

/** Empties the data that names the person; with `dryRun`, only counts it. @throws DatabaseError | DatabaseUnavailable */
export async function eraseNames(sql: SqlExecutor, job: Job): Promise<EmptiedNames> {
  const notes = await eraseNotes(sql, job);
  const states = await forgetSession(sql, job);
  const views = await eraseViews(sql, job);
  await lockExports(sql, job.accountId);
  // Files before filters, which delete files as well: so a dry run counts the same files. Exports before schedules: a process that
  // completes a file locks them in this order.
  const { files, cancelled, uploads } = await eraseFiles(sql, job);
  const ofExports = await eraseFilters(sql, job);
  const filters = ofExports.filters + (await eraseSchedules(sql, job));
  const counts: Counts = {
    ...{ mark_notes: notes, session_states: states, views },
    ...{ export_filters: filters, export_files: files, exports_cancelled: cancelled },
  };
  const tables = [
    ...(notes > 0 ? ['event_marks'] : []),
    ...(states > 0 ? ['session_histories'] : []),
    ...(views > 0 ? ['saved_views'] : []),
    ...(filters + files + cancelled > 0 ? ['exports', 'export_parts', 'export_schedules'] : []),
  ];
  return { counts, tables, uploads: [...uploads, ...ofExports.uploads] };
}

/** Empties notes on other people's calls that are about this person. */
async function eraseNotes(sql: SqlExecutor, job: Job): Promise<number> {
  const { accountId, selector, dryRun } = job;
  const { app, environment } = selector;
  const parameters: SqlParameter[] = [accountId, valuesOf(selector)[0] ?? null, app ?? null, environment ?? null];
  // Notes on the person's own calls have been emptied by now; a dry run has only counted them.
  const own = dryRun
    ? `EXISTS (SELECT 1 FROM events e WHERE e.account_id = $1::uuid AND e.id IN (m.call_id, m.event_id)
         AND ${selectedBy(job, parameters)('e')})`
    : 'false';
  const rows = await sql.query<TextRow>(
    `SELECT m.id::text AS id, m.note AS text FROM event_marks m
     WHERE m.account_id = $1::uuid AND position($2::text IN m.note) > 0 AND NOT ${own}
       AND ($3::text IS NULL OR m.app_id = $3::text::uuid) AND ($4::text IS NULL OR m.environment = $4)`,
    parameters,
  );
  const ids = rows.filter(({ text }) => isAbout(text, selector)).map(({ id }) => id);
  if (!dryRun && ids.length > 0) {
    await sql.query(
      'UPDATE event_marks SET note = NULL WHERE account_id = $1::uuid AND id = ANY ($2::text[]::uuid[])',
      [...[accountId, ids]],
    );
  }
  return ids.length;
}

/** Deletes the data that rules store about a session. It is found by a digest of the session's id, even if the id is masked in the log. */
async function forgetSession(sql: SqlExecutor, { accountId, selector, dryRun }: Job): Promise<number> {
  const { session, app, environment } = selector;
  if (session === undefined) return 0;
  const which = `account_id = $1::uuid AND ($3::text IS NULL OR app_id = $3::text::uuid) AND ($4::text IS NULL OR environment = $4)
    AND session_key = $2`;
  const parameters = [accountId, sessionDigest(session), app ?? null, environment ?? null];
  const rows = dryRun
    ? await sql.query(`SELECT 1 AS one FROM session_histories WHERE ${which}`, parameters)
    : await sql.query(`DELETE FROM session_histories WHERE ${which} RETURNING 1 AS one`, parameters);
  return rows.length;
}

async function eraseViews(sql: SqlExecutor, { accountId, selector, dryRun }: Job): Promise<number> {
  const rows = await sql.query<TextRow & { name: string }>(
    'SELECT id::text AS id, query AS text, name FROM saved_views WHERE account_id = $1::uuid',
    [accountId],
  );
  const ids = rows
    .filter(({ text, name }) => {
      const filters = [...new URLSearchParams(text)];
      if (finds(filters, selector, null) !== 'nothing else') return false;
      return filtersName(filters, selector) || isAbout(name, selector);
    })
    .map(({ id }) => id);
  if (!dryRun && ids.length > 0) {
    await sql.query('DELETE FROM saved_views WHERE account_id = $1::uuid AND id = ANY ($2::text[]::uuid[])', [
      ...[accountId, ids],
    ]);
  }
  return ids.length;
}

async function rowsNaming(sql: SqlExecutor, { accountId, selector }: Job, table: 'exports' | 'export_schedules') {
  const rows = await sql.query<FilterRow>(
    `SELECT id::text AS id, filters::text AS text, environment FROM ${table}
     WHERE account_id = $1::uuid AND filters::text <> '{}'`,
    [accountId],
  );
  return rows.filter((row) => {
    const filters = filtersOf(row);
    return finds(filters, selector, row.environment) === 'nothing else' && filtersName(filters, selector);
  });
}

function filtersOf({ text }: FilterRow): [name: string, value: string][] {
  return Object.entries(JSON.parse(text) as Record<string, string>);
}

/** Empties exports of this person: deletes their files and filters. */
async function eraseFilters(sql: SqlExecutor, job: Job) {
  const { accountId, dryRun } = job;
  const ids = (await rowsNaming(sql, job, 'exports')).map(({ id }) => id);
  if (dryRun) return { filters: ids.length, uploads: [] };
  for (const id of ids) await dropParts(sql, { accountId, id });
  const uploads = await begunUploads(sql, accountId, ids);
  await sql.query(
    `UPDATE exports SET filters = '{}'::json, kept = false, stored = 0, cursor = NULL,
       error = CASE WHEN state IN ('queued', 'running') THEN $3 ELSE error END,
       ended_at = coalesce(ended_at, now()), runner = NULL, credentials = NULL,
       state = CASE WHEN state IN ('queued', 'running') THEN 'cancelled' ELSE state END
     WHERE account_id = $1::uuid AND id = ANY ($2::text[]::uuid[])`,
    [accountId, ids, CANCELLED],
  );
  return { filters: ids.length, uploads };
}

/**
 * Deletes the filters of schedules that name this person. Without them, a schedule would export everybody's events, so it is paused until a
 * user decides.
 */
async function eraseSchedules(sql: SqlExecutor, job: Job): Promise<number> {
  const { accountId, dryRun } = job;
  const found = await rowsNaming(sql, job, 'export_schedules');
  if (!dryRun && found.length > 0) {
    await sql.query(
      `UPDATE export_schedules SET filters = '{}'::json, paused = true, problem = $3
       WHERE account_id = $1::uuid AND id = ANY ($2::text[]::uuid[])`,
      [accountId, found.map(({ id }) => id), 'Its filters named an erased person and were removed'],
    );
  }
  return found.length;
}

/**
 * Deletes files of exports that may contain events of the person: finished, in progress, or failed and still resumable. Their age proves
 * nothing: a file may contain events that retention has removed from the log since.
 */
async function eraseFiles(sql: SqlExecutor, { accountId, selector, dryRun }: Job) {
  const written = await sql.query<FilterRow & { running: boolean }>(
    `SELECT id::text AS id, (state IN ('queued', 'running')) AS running, filters::text AS text, environment FROM exports
     WHERE account_id = $1::uuid AND (kept OR state = 'running')`,
    [accountId],
  );
  const rows = written.filter((row) => finds(filtersOf(row), selector, row.environment) !== 'only others');
  const ids = rows.map(({ id }) => id);
  let uploads: readonly BegunUpload[] = [];
  if (!dryRun) {
    for (const id of ids) await dropParts(sql, { accountId, id });
    uploads = await begunUploads(sql, accountId, ids);
    await sql.query(
      `UPDATE exports SET kept = false, stored = 0, cursor = NULL, runner = NULL, credentials = NULL,
         ended_at = coalesce(ended_at, now()),
         error = CASE WHEN state IN ('queued', 'running') THEN $3 ELSE error END,
         state = CASE WHEN state IN ('queued', 'running') THEN 'cancelled' ELSE state END
       WHERE account_id = $1::uuid AND id = ANY ($2::text[]::uuid[])`,
      [accountId, ids, CANCELLED],
    );
  }
  const cancelled = rows.filter(({ running }) => running).length;
  return { files: rows.length - cancelled, cancelled, uploads };
}

/**
 * Counts files exported to customers' buckets that may contain events of the person, whatever their age: only the owner of a bucket can
 * delete them.
 *
 * @throws DatabaseError | DatabaseUnavailable
 */
export async function bucketFiles(sql: SqlExecutor, { accountId, selector }: Pick<Job, 'accountId' | 'selector'>) {
  const rows = await sql.query<FilterRow>(
    `SELECT id::text AS id, filters::text AS text, environment FROM exports
     WHERE account_id = $1::uuid AND destination->>'kind' = 's3' AND (state = 'done' OR bytes > 0)`,
    [accountId],
  );
  return rows.filter((row) => finds(filtersOf(row), selector, row.environment) !== 'only others').length;
}

/**
 * Counts the entries of the append-only admin audit log in which users wrote the values.
 * @throws AbortError | DatabaseError | DatabaseUnavailable
 */
export async function auditEntries(
  sql: SqlExecutor,
  { accountId, selector }: Pick<Job, 'accountId' | 'selector'>,
  signal: AbortSignal,
): Promise<number> {
  const words = valuesOf(selector).map((value) => JSON.stringify(value).slice(1, -1));
  const table = { table: 'admin_actions', column: 'id', accountId };
  let count = 0;
  let after = FIRST;
  for (;;) {
    signal.throwIfAborted();
    const last = await lastOfNext(sql, table, after);
    if (last === null) return count;
    const [row] = await sql.query<{ n: number }>(
      `SELECT count(*)::integer AS n FROM admin_actions WHERE account_id = $1::uuid AND id > $3::uuid AND id <= $4::uuid
         AND EXISTS (SELECT 1 FROM unnest($2::text[]) AS v (word) WHERE position(v.word IN details::text) > 0)`,
      [accountId, words, after, last],
    );
    count += countOf(row);
    after = last;
  }
}
