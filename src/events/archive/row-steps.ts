/** Steps through the rows of an account, so small that no statement about one of them takes long, however large the events are. */
import type { SqlExecutor } from '../../database/index.js';
import { columnsOf } from './log-rows.js';

/**
 * Maximum size of a step: its rows, and their bytes as stored. PostgreSQL knows the stored (compressed) size of a value without reading it.
 * A single row may be larger.
 */
const STEP_ROWS = 5_000;
const STEP_BYTES = 4 * 1024 * 1024;
/** Rows whose sizes the first statement reads. Each further one reads twice as many as the last step contained. */
const FIRST_ROWS = 200;

/** Lower than every id. */
const FIRST_ID = '00000000-0000-0000-0000-000000000000';

interface Rows {
  /** A table of events. */
  readonly table: string;
  readonly accountId: string;
  /** Only rows with higher ids; null: all. */
  readonly after?: string | null;
}

/** The rows of a step: `condition` holds for them, with `parameters` as `$1` to `$3`. */
interface RowStep {
  readonly condition: string;
  readonly parameters: readonly [accountId: string, after: string, last: string];
}

/** The condition of every step on rows `e`. */
const IN_STEP = `e.account_id = $1::uuid AND e.id > $2::uuid AND e.id <= $3::uuid`;

/** Steps in the order of the ids, together all rows. @throws DatabaseError | DatabaseUnavailable */
export async function* rowStepsOf(sql: SqlExecutor, { table, accountId, after }: Rows): AsyncGenerator<RowStep> {
  const columns = await columnsOf(sql, table);
  const stored = columns.map(({ name }) => `coalesce(pg_column_size(e.${name}), 0)`).join(' + ');
  let [from, rows] = [after ?? FIRST_ID, FIRST_ROWS];
  for (;;) {
    const [end] = await sql.query<{ last: string; rows: number }>(
      `SELECT s.id::text AS last, s.rows::integer AS rows FROM (
         SELECT w.id, count(*) OVER up_to AS rows, sum(w.bytes) OVER up_to - w.bytes AS before
         FROM (SELECT e.id, ${stored} AS bytes FROM ${table} e
               WHERE e.account_id = $1::uuid AND e.id > $2::uuid ORDER BY e.id LIMIT ${rows}) w
         WINDOW up_to AS (ORDER BY w.id)) s
       WHERE s.before < ${STEP_BYTES} ORDER BY s.id DESC LIMIT 1`,
      [accountId, from],
    );
    if (end === undefined) return;
    yield { condition: IN_STEP, parameters: [accountId, from, end.last] };
    from = end.last;
    rows = Math.min(STEP_ROWS, end.rows * 2);
  }
}
