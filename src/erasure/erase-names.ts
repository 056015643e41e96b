/** Empties data that names the person outside events: labels of budgets, saved filters, files with events. */
import type { SqlExecutor, SqlRow } from '../database/index.js';
import { dropParts, lockExports } from '../exports/index.js';
import { countOf, type Counts } from './places.js';
import { filtersName, finds, isAbout, labelNames, valuesOf, type Selector } from './selector.js';
import type { EmptiedEvents } from './erase-events.js';

/** Replaces a name. */
const ERASED = '[erased]';
const CANCELLED = 'A person was erased while the file was written: request the export again';

interface Job {
  readonly accountId: string;
  readonly selector: Selector;
  readonly dryRun: boolean;
  /** Time of receipt of the oldest event found; null if none was found. */
  readonly firstAtMs: number | null;
}

interface TextRow extends SqlRow {
  readonly id: string;
  readonly text: string;
}

interface FilterRow extends TextRow {
  readonly environment: string | null;
}

/** Empties data outside events that names the person; with `dryRun`, only counts it. @throws DatabaseError | DatabaseUnavailable */
export async function eraseNames(sql: SqlExecutor, job: Job): Promise<EmptiedEvents> {
  const { accountId } = job;
  await lockExports(sql, accountId);
  const [labels, reasons] = [await eraseLabels(sql, job), await eraseReasons(sql, job)];
  const notes = await eraseNotes(sql, job);
  const states = await forgetSession(sql, job);
  const views = await eraseViews(sql, job);
  // Exports before schedules: a process that completes a file locks them in this order.
  const ofExports = await eraseFilters(sql, job);
  const { files, cancelled } = await eraseFiles(sql, job);
  const filters = ofExports + (await eraseSchedules(sql, job));
  const counts: Counts = {
    ...{ budget_labels: labels, budget_reasons: reasons, mark_notes: notes, session_states: states, views },
    ...{ export_filters: filters, export_files: files, exports_cancelled: cancelled },
  };
  const tables = [
    ...(labels > 0 ? ['budget_periods'] : []),
    ...(reasons > 0 ? ['budget_entries'] : []),
    ...(notes > 0 ? ['event_marks'] : []),
    ...(states > 0 ? ['session_histories'] : []),
    ...(views > 0 ? ['saved_views'] : []),
    ...(filters + files + cancelled > 0 ? ['exports', 'export_parts', 'export_schedules'] : []),
  ];
  return { counts, tables };
}

/** Empties window labels that name this person. A window stays identified by the keyed hash under which its amounts are counted. */
async function eraseLabels(sql: SqlExecutor, { accountId, selector, dryRun }: Job): Promise<number> {
  // Preselected in the database, since each person may have a window per hour. Stored values may be truncated, or escaped differently.
  const words = [...valuesOf(selector).map((value) => JSON.stringify(value).slice(1, -1)), '…', '\\u'];
  const rows = await sql.query<TextRow>(
    `SELECT id::text AS id, scope_label::text AS text FROM budget_periods
     WHERE account_id = $1::uuid AND ($3::text IS NULL OR environment = $3)
       AND EXISTS (SELECT 1 FROM unnest($2::text[]) AS v (word) WHERE position(v.word IN scope_label::text) > 0)`,
    [accountId, words, selector.environment ?? null],
  );
  const found = rows.flatMap(({ id, text }) => {
    const label = JSON.parse(text) as Record<string, string | null>;
    if (!labelNames(label, selector)) return [];
    const emptied = Object.entries(label).map(([name, value]) => [
      name,
      name.startsWith('metadata.') && value !== null ? ERASED : value,
    ]);
    return [{ id, text: JSON.stringify(Object.fromEntries(emptied)) }];
  });
  if (!dryRun) await replaceTexts(sql, accountId, 'UPDATE budget_periods t SET scope_label = k.text::json', found);
  return found.length;
}

async function eraseReasons(sql: SqlExecutor, { accountId, selector, dryRun }: Job): Promise<number> {
  const rows = await sql.query<TextRow>(
    `SELECT n.source_id::text AS id, n.because AS text FROM budget_entries n
     JOIN budget_periods p ON p.account_id = n.account_id AND p.id = n.period_id
     WHERE n.account_id = $1::uuid AND n.kind = 'adjustment' AND ($3::text IS NULL OR p.environment = $3)
       AND position($2::text IN n.because) > 0`,
    [accountId, valuesOf(selector)[0] ?? null, selector.environment ?? null],
  );
  const ids = rows.filter(({ text }) => isAbout(text, selector)).map(({ id }) => id);
  if (!dryRun && ids.length > 0) {
    await sql.query(
      `UPDATE budget_entries SET because = $3
       WHERE account_id = $1::uuid AND source_id = ANY ($2::text[]::uuid[]) AND kind = 'adjustment'`,
      [accountId, ids, ERASED],
    );
  }
  return ids.length;
}

/** Empties notes on other people's calls that are about this person. */
async function eraseNotes(sql: SqlExecutor, { accountId, selector, dryRun }: Job): Promise<number> {
  const { app, environment } = selector;
  const rows = await sql.query<TextRow>(
    `SELECT id::text AS id, note AS text FROM event_marks WHERE account_id = $1::uuid AND position($2::text IN note) > 0
       AND ($3::text IS NULL OR app_id = $3::text::uuid) AND ($4::text IS NULL OR environment = $4)`,
    [accountId, valuesOf(selector)[0] ?? null, app ?? null, environment ?? null],
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
    AND session_key = rtrim(translate(encode(sha256(convert_to($2::text, 'UTF8')), 'base64'), '+/', '-_'), '=')`;
  const parameters = [accountId, session, app ?? null, environment ?? null];
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
async function eraseFilters(sql: SqlExecutor, job: Job): Promise<number> {
  const { accountId, dryRun } = job;
  const found = await rowsNaming(sql, job, 'exports');
  if (dryRun) return found.length;
  for (const { id } of found) await dropParts(sql, { accountId, id });
  await sql.query(
    `UPDATE exports SET filters = '{}'::json, kept = false, stored = 0, cursor = NULL,
       error = CASE WHEN state IN ('queued', 'running') THEN $3 ELSE error END,
       ended_at = coalesce(ended_at, now()), runner = NULL, credentials = NULL,
       state = CASE WHEN state IN ('queued', 'running') THEN 'cancelled' ELSE state END
     WHERE account_id = $1::uuid AND id = ANY ($2::text[]::uuid[])`,
    [accountId, found.map(({ id }) => id), CANCELLED],
  );
  return found.length;
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

/** Deletes files of exports created since the person's first event, finished or in progress. */
async function eraseFiles(sql: SqlExecutor, { accountId, selector, firstAtMs, dryRun }: Job) {
  if (firstAtMs === null) return { files: 0, cancelled: 0 };
  const written = await sql.query<FilterRow & { running: boolean }>(
    `SELECT id::text AS id, (state IN ('queued', 'running')) AS running, filters::text AS text, environment FROM exports
     WHERE account_id = $1::uuid AND (kept OR parts > 0 OR state = 'running') AND state IN ('queued', 'running', 'done')
       AND (kept OR state <> 'done') AND created_at >= $2::timestamptz`,
    [accountId, new Date(firstAtMs).toISOString()],
  );
  const rows = written.filter((row) => finds(filtersOf(row), selector, row.environment) !== 'only others');
  if (!dryRun) {
    for (const { id } of rows) await dropParts(sql, { accountId, id });
    await sql.query(
      `UPDATE exports SET kept = false, stored = 0, cursor = NULL, runner = NULL, credentials = NULL,
         ended_at = coalesce(ended_at, now()),
         error = CASE WHEN state = 'done' THEN error ELSE $3 END, state = CASE WHEN state = 'done' THEN state ELSE 'cancelled' END
       WHERE account_id = $1::uuid AND id = ANY ($2::text[]::uuid[])`,
      [accountId, rows.map(({ id }) => id), CANCELLED],
    );
  }
  const cancelled = rows.filter(({ running }) => running).length;
  return { files: rows.length - cancelled, cancelled };
}

/**
 * Counts files exported to customers' buckets since the person's first event: only the owner of a bucket can delete them.
 * @throws DatabaseError | DatabaseUnavailable
 */
export async function bucketFiles(sql: SqlExecutor, { accountId, firstAtMs }: Pick<Job, 'accountId' | 'firstAtMs'>) {
  if (firstAtMs === null) return 0;
  const [row] = await sql.query<{ n: number }>(
    `SELECT count(*)::integer AS n FROM exports WHERE account_id = $1::uuid AND destination->>'kind' = 's3'
       AND (state = 'done' OR bytes > 0) AND created_at >= $2::timestamptz`,
    [accountId, new Date(firstAtMs).toISOString()],
  );
  return countOf(row);
}

/**
 * Counts the entries of the append-only admin audit log in which users wrote the values.
 * @throws DatabaseError | DatabaseUnavailable
 */
export async function auditEntries(sql: SqlExecutor, { accountId, selector }: Pick<Job, 'accountId' | 'selector'>) {
  const [row] = await sql.query<{ n: number }>(
    `SELECT count(*)::integer AS n FROM admin_actions WHERE account_id = $1::uuid
       AND EXISTS (SELECT 1 FROM unnest($2::text[]) AS v (word) WHERE position(v.word IN details::text) > 0)`,
    [accountId, valuesOf(selector).map((value) => JSON.stringify(value).slice(1, -1))],
  );
  return countOf(row);
}

async function replaceTexts(sql: SqlExecutor, accountId: string, update: string, rows: readonly TextRow[]) {
  if (rows.length === 0) return;
  await sql.query(
    `${update} FROM (SELECT u.id::uuid AS id, u.text FROM unnest($2::text[], $3::text[]) AS u (id, text) OFFSET 0) k
     WHERE t.account_id = $1::uuid AND t.id = k.id`,
    [accountId, rows.map(({ id }) => id), rows.map(({ text }) => text)],
  );
}
