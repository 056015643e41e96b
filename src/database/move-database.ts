/** Copies everything from one database to another, empty one, in one transaction: either all of it or nothing. */
import type { Database } from './database.js';
import { DatabaseUnusable } from './database-error.js';
import type { SqlExecutor, SqlTransaction } from './sql-runner.js';
import { tablesInOrder, tableSums, type TableSum } from './table-sums.js';

/**
 * The number of rows per batch. Several copies of a batch are in memory, and rows are large: a row of the log has a complete call, a
 * part of a file up to a MiB.
 */
const ROWS = 20;

interface Column {
  readonly name: string;
  readonly type: string;
}

/**
 * @param from read in one snapshot, without a time limit
 * @param to has all tables, but no account
 * @param prepare runs in the transaction of the target before anything is copied
 * @returns the rows and digests of both databases, by table
 * @throws DatabaseUnusable if the target is not empty, or differs from the source after copying
 */
export function moveDatabase(from: Database, to: Database, prepare: Prepare): Promise<TableSum[]> {
  return from.unhurried(() => to.unhurried(() => move(from, to, prepare)));
}

type Prepare = (target: SqlExecutor) => Promise<void>;

function move(from: Database, to: Database, prepare: Prepare): Promise<TableSum[]> {
  return to.sql.forMaintenance().transaction((target) =>
    from.sql.forMaintenance().transaction(
      async (source) => {
        await patiently(target);
        await patiently(source);
        await assertEmpty(target);
        await prepare(target);
        const tables = await tablesInOrder(target);
        // Rows that migrations have inserted are also in the source.
        for (const table of tables.toReversed()) await target.query(`DELETE FROM ${table}`);
        for (const table of tables) await moveTable(source, target, table);
        const sums = await tableSums(source);
        const differing = differences(sums, await tableSums(target));
        if (differing.length > 0) {
          throw new DatabaseUnusable(
            `Nothing was moved: the copies of these tables differ from the originals: ${differing.join(', ')}.`,
          );
        }
        return sums;
      },
      { reads: 'one snapshot' },
    ),
  );
}

/** Removes the time limits, and sets formats that keep values exact. */
async function patiently(transaction: SqlTransaction): Promise<void> {
  await transaction.query(
    `SELECT set_config('statement_timeout', '0', true), set_config('idle_in_transaction_session_timeout', '0', true),
            set_config('TimeZone', 'UTC', true), set_config('DateStyle', 'ISO, MDY', true),
            set_config('extra_float_digits', '1', true), set_config('bytea_output', 'hex', true)`,
  );
}

async function assertEmpty(target: SqlExecutor): Promise<void> {
  const [row] = await target.query<{ accounts: number }>('SELECT count(*)::integer AS accounts FROM accounts');
  if (row?.accounts !== 0) throw new DatabaseUnusable('The target already contains accounts: use an empty database.');
}

/** Values are copied in PostgreSQL's own text format, so that they cannot change. */
async function moveTable(source: SqlExecutor, target: SqlExecutor, table: string): Promise<void> {
  const columns = await columnsOf(source, table);
  const names = columns.map(({ name }) => name).join(', ');
  const texts = columns.map(({ name }, index) => `${name}::text AS c${index}`).join(', ');
  const given = columns.map((_column, index) => `$${index + 1}::text[]`).join(', ');
  const fields = columns.map((_column, index) => `c${index}`).join(', ');
  const values = columns.map(({ type }, index) => `c${index}::${type}`).join(', ');
  await source.query(`DECLARE moved NO SCROLL CURSOR FOR SELECT ${texts} FROM ${table}`);
  for (;;) {
    const rows = await source.query<Record<string, string | null>>(`FETCH ${ROWS} FROM moved`);
    if (rows.length === 0) break;
    await target.query(
      `INSERT INTO ${table} (${names}) SELECT ${values} FROM unnest(${given}) AS u(${fields})`,
      columns.map((_column, index) => rows.map((row) => row[`c${index}`] ?? null)),
    );
  }
  await source.query('CLOSE moved');
}

function columnsOf(session: SqlExecutor, table: string): Promise<Column[]> {
  return session.query<Column & Record<string, string>>(
    `SELECT quote_ident(attname) AS name, format_type(atttypid, atttypmod) AS type FROM pg_attribute
     WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped ORDER BY attnum`,
    [table],
  );
}

function differences(left: readonly TableSum[], right: readonly TableSum[]): string[] {
  const found = new Map(right.map((each) => [each.table, each]));
  return left.flatMap(({ table, rows, sum }) => {
    const other = found.get(table);
    return other?.rows === rows && other.sum === sum ? [] : [table];
  });
}
