import type { SqlExecutor } from '../database/index.js';

/** Maximum number of rows that one step reads. They may be anywhere on the disk. */
const ROWS = 5_000;

/** Lower than every id. */
export const FIRST = '00000000-0000-0000-0000-000000000000';

/** The rows of an account in a table, whose primary key begins with the account and this column. */
interface Rows {
  readonly table: string;
  readonly column: string;
  readonly accountId: string;
}

/**
 * The last id of the next rows after an id: a statement on the rows up to it ends within the time limit, however many rows the account has.
 *
 * @returns null if there are no further rows
 * @throws DatabaseError | DatabaseUnavailable
 */
export async function lastOfNext(
  sql: SqlExecutor,
  { table, column, accountId }: Rows,
  after: string,
): Promise<string | null> {
  const [end] = await sql.query<{ last: string }>(
    `SELECT w.id::text AS last FROM (
       SELECT ${column} AS id FROM ${table} WHERE account_id = $1::uuid AND ${column} > $2::uuid ORDER BY ${column} LIMIT ${ROWS}) w
     ORDER BY w.id DESC LIMIT 1`,
    [accountId, after],
  );
  return end?.last ?? null;
}
