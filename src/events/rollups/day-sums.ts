/**
 * Daily sums, for figures over months. They are computed from the hourly sums long after the day has ended, so that storing an event
 * requires no work for them.
 *
 * An hourly row that is included in a daily sum has the writer `IN_DAY`. The total of a day is thus its daily row and those of its
 * hourly rows that have another writer. Late events are added to such hourly rows until the next run, so that each call is counted
 * exactly once at any time.
 */
import { ADVISORY_LOCKS, type SqlRunner } from '../../database/index.js';
import { addedSums, LATENCY_KEY, ROLLUP_KEY, ROLLUP_SUMS } from './rollup-statements.js';

/** The grain of a day, in addition to `GRAINS`. */
export const DAY_SECONDS = 86_400;
const HOUR_SECONDS = 3_600;

/** A writer number that no process has. */
const IN_DAY = -1;

/** The condition for hourly rows that are not yet included in a daily sum, written as in the partial indexes. */
export const isHourOutsideDaySum = (table: string): string =>
  `${table}.grain = ${HOUR_SECONDS} AND ${table}.writer >= 0`;

/** Days to wait after the end of a day, so that late answers to its calls are rare: they arrive within 25 hours. */
const WAIT_DAYS = 2;
const DAY_MS = DAY_SECONDS * 1000;

const TABLES = [
  { table: 'event_rollups', key: ROLLUP_KEY, sums: ROLLUP_SUMS },
  { table: 'latency_rollups', key: LATENCY_KEY, sums: ['n'] },
] as const;

const BEGINNING: Readonly<Record<string, string>> = {
  grain: 'g.grain',
  bucket: `to_timestamp(floor(extract(epoch FROM o.bucket) / g.grain) * g.grain)`,
  writer: `${IN_DAY}`,
};

/**
 * Adds the hours of one account's day (`$1`, from `$2` inclusive to `$3` exclusive) to the day. Rows are locked in the same order as by
 * storing statements, because any other order could cause a deadlock.
 */
const INTO_DAY = TABLES.map(
  ({ table, key, sums }) => `
  WITH mine AS (
    SELECT ${key.map((column) => `t.${column}`).join(', ')} FROM ${table} t
    WHERE t.account_id = $1::uuid AND ${isHourOutsideDaySum('t')}
      AND t.bucket >= $2::timestamptz AND t.bucket < $3::timestamptz
    ORDER BY ${key.map((column) => `t.${column}`).join(', ')} FOR UPDATE
  ), o AS (
    DELETE FROM ${table} t USING mine WHERE ${key.map((column) => `t.${column} = mine.${column}`).join(' AND ')}
    RETURNING t.*)
  INSERT INTO ${table} AS t (${key.join(', ')}, ${sums.join(', ')})
  SELECT ${key.map((column) => `${BEGINNING[column] ?? `o.${column}`} AS ${column}`).join(', ')},
    ${sums.map((sum) => `sum(o.${sum}) AS ${sum}`).join(', ')}
  FROM o CROSS JOIN (VALUES (${HOUR_SECONDS}), (${DAY_SECONDS})) AS g (grain)
  GROUP BY ${key.map((_, index) => index + 1).join(', ')} ORDER BY ${key.join(', ')}
  ON CONFLICT (${key.join(', ')}) DO UPDATE SET ${addedSums(sums)}`,
);

const OPEN_DAYS = `
  SELECT DISTINCT t.account_id::text AS account, floor(extract(epoch FROM t.bucket) / ${DAY_SECONDS})::integer AS day
  FROM event_rollups t WHERE ${isHourOutsideDaySum('t')} AND t.bucket < $1::timestamptz ORDER BY 2, 1`;

/**
 * Runs as the owner of the tables: adds the hours of all days that ended long ago to their days, one account and day after the other,
 * each completely or not at all.
 *
 * @returns the number of these days
 * @throws DatabaseError | DatabaseUnavailable
 */
export async function sumDays(sql: SqlRunner, now: Date, isEnding: () => boolean = () => false): Promise<number> {
  const owner = sql.forMaintenance();
  const before = new Date((Math.floor(now.getTime() / DAY_MS) - WAIT_DAYS) * DAY_MS).toISOString();
  let days = 0;
  for (const { account, day } of await owner.query<{ account: string; day: number }>(OPEN_DAYS, [before])) {
    if (isEnding()) break;
    const startOf = (each: number): string => new Date(each * DAY_MS).toISOString();
    // Each statement has its own transaction, because locks of two tables could cause a deadlock.
    for (const statement of INTO_DAY) {
      await owner.transaction(async (transaction) => {
        await transaction.query(`SELECT pg_advisory_xact_lock(${ADVISORY_LOCKS.daySums})`);
        await transaction.query(statement, [account, startOf(day), startOf(day + 1)]);
      });
    }
    days++;
  }
  return days;
}
