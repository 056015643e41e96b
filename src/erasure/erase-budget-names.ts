/**
 * Empties data of budgets that names the person, in steps: an account has windows for each person and hour, and an entry for each call, so
 * one statement over all of them would not end within its time limit.
 */
import type { SqlExecutor, SqlRow } from '../database/index.js';
import type { EmptiedEvents } from './erase-events.js';
import { lastOfNext } from './next-rows.js';
import { isAbout, labelNames, valuesOf, type Selector } from './selector.js';

/** Replaces a name. */
const ERASED = '[erased]';

interface Names {
  readonly accountId: string;
  readonly selector: Selector;
  readonly dryRun: boolean;
}

interface NamesStep {
  readonly emptied: EmptiedEvents;
  /** The last id that was read; null if there was none. */
  readonly last: string | null;
}

/**
 * Empties the names in the next rows after an id; with `dryRun`, only counts them.
 * @throws DatabaseError | DatabaseUnavailable
 */
type NamesInStep = (sql: SqlExecutor, names: Names, after: string) => Promise<NamesStep>;

interface TextRow extends SqlRow {
  readonly id: string;
  readonly text: string;
}

const NONE: NamesStep = { emptied: { counts: {}, tables: [] }, last: null };

/** Empties window labels that name this person. A window stays identified by the keyed hash under which its amounts are counted. */
const eraseLabels: NamesInStep = async (sql, { accountId, selector, dryRun }, after) => {
  const last = await lastOfNext(sql, { table: 'budget_periods', column: 'id', accountId }, after);
  if (last === null) return NONE;
  // Preselected in the database. Stored values may be truncated, or escaped differently.
  const words = [...valuesOf(selector).map((value) => JSON.stringify(value).slice(1, -1)), '…', '\\u'];
  const rows = await sql.query<TextRow>(
    `SELECT id::text AS id, scope_label::text AS text FROM budget_periods
     WHERE account_id = $1::uuid AND id > $4::uuid AND id <= $5::uuid AND ($3::text IS NULL OR environment = $3)
       AND EXISTS (SELECT 1 FROM unnest($2::text[]) AS v (word) WHERE position(v.word IN scope_label::text) > 0)`,
    [accountId, words, selector.environment ?? null, after, last],
  );
  const found = rows.flatMap(({ id, text }) => {
    const label = JSON.parse(text) as Record<string, string | null>;
    return labelNames(label, selector) ? [{ id, text: JSON.stringify(withoutNames(label)) }] : [];
  });
  if (!dryRun && found.length > 0) {
    await sql.query(
      `UPDATE budget_periods t SET scope_label = k.text::json
       FROM (SELECT u.id::uuid AS id, u.text FROM unnest($2::text[], $3::text[]) AS u (id, text) OFFSET 0) k
       WHERE t.account_id = $1::uuid AND t.id = k.id`,
      [accountId, found.map(({ id }) => id), found.map(({ text }) => text)],
    );
  }
  return stepOf('budget_labels', 'budget_periods', found.length, last);
};

function withoutNames(label: Readonly<Record<string, string | null>>): Record<string, string | null> {
  return Object.fromEntries(
    Object.entries(label).map(([name, value]) => [
      name,
      name.startsWith('metadata.') && value !== null ? ERASED : value,
    ]),
  );
}

/** Replaces reasons of adjustments that are about this person. */
const eraseReasons: NamesInStep = async (sql, { accountId, selector, dryRun }, after) => {
  // All entries of one source are in the same step.
  const last = await lastOfNext(sql, { table: 'budget_entries', column: 'source_id', accountId }, after);
  if (last === null) return NONE;
  // The windows of the found entries only: without `OFFSET 0`, PostgreSQL may read all windows for each entry of the step.
  const rows = await sql.query<TextRow>(
    `SELECT n.source_id::text AS id, n.because AS text FROM (
       SELECT source_id, period_id, because FROM budget_entries
       WHERE account_id = $1::uuid AND source_id > $4::uuid AND source_id <= $5::uuid AND kind = 'adjustment'
         AND position($2::text IN because) > 0 OFFSET 0) n
     WHERE $3::text IS NULL
       OR (SELECT p.environment FROM budget_periods p WHERE p.account_id = $1::uuid AND p.id = n.period_id) = $3`,
    [accountId, valuesOf(selector)[0] ?? null, selector.environment ?? null, after, last],
  );
  const ids = rows.filter(({ text }) => isAbout(text, selector)).map(({ id }) => id);
  if (!dryRun && ids.length > 0) {
    await sql.query(
      `UPDATE budget_entries SET because = $3
       WHERE account_id = $1::uuid AND source_id = ANY ($2::text[]::uuid[]) AND kind = 'adjustment'`,
      [accountId, ids, ERASED],
    );
  }
  return stepOf('budget_reasons', 'budget_entries', ids.length, last);
};

export const BUDGET_NAMES: readonly NamesInStep[] = [eraseLabels, eraseReasons];

function stepOf(place: 'budget_labels' | 'budget_reasons', table: string, found: number, last: string): NamesStep {
  return { emptied: { counts: { [place]: found }, tables: found > 0 ? [table] : [] }, last };
}
