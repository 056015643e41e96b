/**
 * Archived events in place of the log, within a transaction: a temporary table named `events` hides the real one from all following
 * statements, so that searches, erasures and holds use the same statements for archived events.
 */
import type { SqlExecutor } from '../../database/index.js';
import { inOneForm, insertRows } from './log-rows.js';
import type { PartRows } from './part-file.js';

/** The table's full name, for statements that use only archived events. */
export const SCRATCH = 'pg_temp.events';

/** Statements for archived events would affect the log, because the database searches temporary tables last. */
export class LogNotHidden extends Error {
  override readonly name = 'LogNotHidden';
}

/**
 * Hides the log until the transaction ends. @throws LogNotHidden | DatabaseError | DatabaseUnavailable
 */
export async function insteadOfLog(transaction: SqlExecutor, rows: readonly PartRows[]): Promise<void> {
  await inOneForm(transaction);
  await transaction.query(
    'CREATE TEMPORARY TABLE events (LIKE events INCLUDING DEFAULTS, PRIMARY KEY (account_id, id)) ON COMMIT DROP',
  );
  const [names] = await transaction.query<{ hides: boolean }>(
    `SELECT 'events'::regclass = '${SCRATCH}'::regclass AS hides`,
  );
  if (names?.hides !== true)
    throw new LogNotHidden('search_path contains pg_temp, but not in first place: remove pg_temp from it');
  for (const each of rows) await insertRows(transaction, SCRATCH, each);
}

/** The log, which the temporary table hides. */
export async function hiddenLogName(transaction: SqlExecutor): Promise<string> {
  const [row] = await transaction.query<{ log: string }>(`SELECT format('%I.events', current_schema()) AS log`);
  return row?.log ?? 'public.events';
}
