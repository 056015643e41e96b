/** The data for comparing two databases: the number of rows and a digest of every table. */
import type { SqlExecutor } from './sql-runner.js';

export interface TableSum {
  readonly table: string;
  readonly rows: number;
  /** A digest of the rows, independent of their order. */
  readonly sum: string;
}

/** Matches the names of tables that were detached from the event log and are being deleted: they are part of no table. */
export const DETACHED_TABLES = '^detached_events_w[0-9]+_[0-9]+$';

/** The names of all tables, referenced tables first; partitions are part of their table. */
export async function tablesInOrder(session: SqlExecutor): Promise<string[]> {
  const tables = await session.query<{ name: string }>(
    `SELECT c.relname::text AS name FROM pg_class c
     WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
       AND c.relname <> 'migrations' AND c.relname !~ '${DETACHED_TABLES}' ORDER BY 1`,
  );
  const references = await session.query<{ from: string; to: string }>(
    `SELECT conrelid::regclass::text AS from, confrelid::regclass::text AS to FROM pg_constraint
     WHERE contype = 'f' AND connamespace = current_schema()::regnamespace AND conrelid <> confrelid`,
  );
  const ordered: string[] = [];
  const place = (name: string): void => {
    if (ordered.includes(name)) return;
    for (const { from, to } of references) if (from === name) place(to);
    ordered.push(name);
  };
  for (const { name } of tables) place(name);
  return ordered;
}

/** Must run in a maintenance transaction, which sees all rows. */
export async function tableSums(transaction: SqlExecutor): Promise<TableSum[]> {
  await transaction.query(`SELECT set_config('TimeZone', 'UTC', true), set_config('DateStyle', 'ISO, MDY', true)`);
  const sums: TableSum[] = [];
  for (const table of await tablesInOrder(transaction)) {
    const [row] = await transaction.query<{ rows: number; sum: string }>(
      `SELECT count(*)::double precision AS rows,
              coalesce(sum(('x' || substr(md5(t::text), 1, 15))::bit(60)::bigint::numeric), 0)::text AS sum
       FROM ${table} t`,
    );
    if (row !== undefined) sums.push({ table, ...row });
  }
  return sums;
}
