/**
 * Deletes old sums per minute. The sums of the same calls per hour and per day stay, so figures of old times have no finer steps than an
 * hour.
 */
import { ADVISORY_LOCKS, type SqlRunner } from '../../database/index.js';
import { accountsIn } from '../week-tables.js';
import { GRAINS, LATENCY_KEY, ROLLUP_KEY } from './rollup-statements.js';

const DAY_MS = 86_400_000;
/** The age up to which sums per minute may be read: statistics read a range, and the period before it. */
export const MINUTES_KEPT_DAYS = 70;
/** They are deleted a day later: ranges are widened to whole buckets. */
const DELETED_AFTER_MS = (MINUTES_KEPT_DAYS + 1) * DAY_MS;

/** Maximum number of rows that one statement deletes, few enough to end well within the statement timeout. */
const ROWS = 5_000;

/**
 * Deletes the next minutes of one account (`$1`), from `$2` inclusive to `$3` exclusive. Rows are locked in the same order as by storing
 * statements, because any other order could cause a deadlock.
 */
const DELETE_MINUTES = [
  { table: 'event_rollups', key: ROLLUP_KEY },
  { table: 'latency_rollups', key: LATENCY_KEY },
].map(
  ({ table, key }) => `
  WITH old AS (
    SELECT ${key.map((column) => `t.${column}`).join(', ')} FROM ${table} t
    WHERE t.account_id = $1::uuid AND t.grain = ${GRAINS[0]} AND t.bucket >= $2::timestamptz AND t.bucket < $3::timestamptz
    ORDER BY ${key.map((column) => `t.${column}`).join(', ')} LIMIT ${ROWS} FOR UPDATE
  ), gone AS (
    DELETE FROM ${table} t USING old WHERE ${key.map((column) => `t.${column} = old.${column}`).join(' AND ')}
    RETURNING t.bucket)
  SELECT count(*)::integer AS gone, floor(extract(epoch FROM max(bucket)) * 1000)::double precision AS last_ms FROM gone`,
);

interface Step extends Readonly<Record<string, unknown>> {
  readonly gone: number;
  readonly last_ms: number | null;
}

/**
 * Runs as the owner of the tables: deletes the old minutes of all accounts, in steps of one transaction each.
 *
 * @returns the number of deleted rows
 * @throws DatabaseError | DatabaseUnavailable
 */
export async function deleteMinutes(sql: SqlRunner, now: Date, isEnding: () => boolean = () => false): Promise<number> {
  const owner = sql.forMaintenance();
  const until = new Date(now.getTime() - DELETED_AFTER_MS).toISOString();
  let deleted = 0;
  for (const id of await accountsIn(owner, 'event_rollups')) {
    for (const statement of DELETE_MINUTES) {
      // Each step begins where the last one ended, because the index still contains the deleted rows.
      for (let fromMs: number | null = 0; fromMs !== null;) {
        if (isEnding()) return deleted;
        const from: string = new Date(fromMs).toISOString();
        const [step]: readonly Step[] = await owner.transaction(async (transaction) => {
          await transaction.query(`SELECT pg_advisory_xact_lock(${ADVISORY_LOCKS.daySums})`);
          return transaction.query<Step>(statement, [id, from, until]);
        });
        deleted += step?.gone ?? 0;
        fromMs = step?.gone === ROWS ? step.last_ms : null;
      }
    }
  }
  return deleted;
}
