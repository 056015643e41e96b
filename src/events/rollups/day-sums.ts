/**
 * Sums of whole days, for figures over months. They are computed from the sums of hours long after the day has ended:
 * storing an event does no work for them.
 *
 * An hour that stands in its day has the writer `IN_DAY`. A day is thus its own row and the rows of its hours that have
 * another writer: what comes in late is such a row again until the next time, and no moment misses a call or has it
 * twice.
 */
import type { SqlRunner } from '../../database/index.js';
import { addedSums, LATENCY_KEY, ROLLUP_KEY, ROLLUP_SUMS } from './rollup-statements.js';

/** The grain of a day, beside `GRAINS`. */
export const DAY_SECONDS = 86_400;
const HOUR_SECONDS = 3_600;

/** A number that no process has. */
const IN_DAY = -1;

/** The condition for hours that are not yet in their day, written as in the partial indexes. */
export const hourBesideItsDay = (table: string): string => `${table}.grain = ${HOUR_SECONDS} AND ${table}.writer >= 0`;

/** A day is over for so long that answers to its calls are rare: they come within 25 hours. */
const WAIT_DAYS = 2;
const DAY_MS = DAY_SECONDS * 1000;

/** Advisory lock: one of several servers at a time. */
const LOCK = 7_365_412_011;

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
 * Puts the hours of one account's day (`$1`, from `$2` on and before `$3`) into the day. Rows are locked in the order in which
 * storing statements take them: in another one the two could wait for each other.
 */
const INTO_DAY = TABLES.map(
  ({ table, key, sums }) => `
  WITH mine AS (
    SELECT ${key.map((column) => `t.${column}`).join(', ')} FROM ${table} t
    WHERE t.account_id = $1::uuid AND ${hourBesideItsDay('t')}
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
  FROM event_rollups t WHERE ${hourBesideItsDay('t')} AND t.bucket < $1::timestamptz ORDER BY 2, 1`;

/**
 * As the owner of the tables: puts the hours of all days that are long over into their days, one account and day after the
 * other, each at once or not at all.
 *
 * @returns how many days there were
 * @throws DatabaseError | DatabaseUnavailable
 */
export async function sumDays(sql: SqlRunner, now: Date, isEnding: () => boolean = () => false): Promise<number> {
  const owner = sql.forMaintenance();
  const before = new Date((Math.floor(now.getTime() / DAY_MS) - WAIT_DAYS) * DAY_MS).toISOString();
  let days = 0;
  for (const { account, day } of await owner.query<{ account: string; day: number }>(OPEN_DAYS, [before])) {
    if (isEnding()) break;
    const startOf = (each: number): string => new Date(each * DAY_MS).toISOString();
    // A transaction each: locks of two tables could be waited for crosswise.
    for (const statement of INTO_DAY) {
      await owner.transaction(async (transaction) => {
        await transaction.query(`SELECT pg_advisory_xact_lock(${LOCK})`);
        await transaction.query(statement, [account, startOf(day), startOf(day + 1)]);
      });
    }
    days++;
  }
  return days;
}
