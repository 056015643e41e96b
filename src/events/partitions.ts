/**
 * Creates a partition of the event log for every week, some weeks in advance. An event without a partition goes to the default one and
 * is moved as soon as its partition exists: a missing partition never fails an insert.
 */
import {
  ADVISORY_LOCKS,
  DatabaseError,
  guarded,
  type SqlExecutor,
  type SqlRunner,
  type SqlSession,
} from '../database/index.js';
import { firstEventIdAt } from './event-id.js';

export const WEEK_MS = 7 * 24 * 60 * 60 * 1000;
/** 1 January 1970 was a Thursday; weeks begin on Monday, 00:00 UTC. */
const FIRST_MONDAY_MS = 4 * 24 * 60 * 60 * 1000;
const WEEKS_AHEAD = 4;
/** Maximum number of events in the default partition that are examined at once. */
const MOST_STRAYS = 100_000;

export interface Week {
  /** The name of its partition. */
  readonly table: string;
  readonly startMs: number;
  readonly from: string;
  readonly to: string;
}

/** The week that contains `timeMs`. */
export function weekOf(timeMs: number): Week {
  const startMs = timeMs - ((((timeMs - FIRST_MONDAY_MS) % WEEK_MS) + WEEK_MS) % WEEK_MS);
  const day = new Date(startMs).toISOString().slice(0, 10).replaceAll('-', '');
  return { table: `events_w${day}`, startMs, from: firstEventIdAt(startMs), to: firstEventIdAt(startMs + WEEK_MS) };
}

/**
 * Runs as the owner of the tables: creates the partitions of this week, of the next four, and of every week that has events in the
 * default partition.
 *
 * @returns the names of the created partitions
 * @throws DatabaseError | DatabaseUnavailable
 */
export async function ensurePartitions(sql: SqlRunner, now: Date): Promise<string[]> {
  const maintenance = sql.forMaintenance();
  const wanted = Array.from({ length: WEEKS_AHEAD + 1 }, (_, week) => weekOf(now.getTime() + week * WEEK_MS));
  const strays = await strayWeeks(maintenance);
  const weeks = new Map([...strays, ...wanted].map((week) => [week.table, week]));
  for (const name of await partitionNames(sql)) weeks.delete(name);
  const made: string[] = [];
  for (const week of weeks.values()) {
    if (await makePartition(maintenance, week)) {
      made.push(week.table);
    }
  }
  return made;
}

/** The weeks that have a partition, oldest first. @throws DatabaseError | DatabaseUnavailable */
export async function partitionedWeeks(sql: SqlExecutor): Promise<Week[]> {
  const days = (await partitionNames(sql)).flatMap(
    (name) => /^events_w(\d{4})(\d{2})(\d{2})$/.exec(name)?.slice(1) ?? [],
  );
  const weeks = Array.from({ length: days.length / 3 }, (_, n) => days.slice(n * 3, n * 3 + 3).join('-'));
  return weeks.toSorted().map((day) => weekOf(Date.parse(day)));
}

async function partitionNames(sql: SqlExecutor): Promise<string[]> {
  const rows = await sql.query<{ name: string }>(
    `SELECT c.relname::text AS name FROM pg_inherits i
     JOIN pg_class c ON c.oid = i.inhrelid WHERE i.inhparent = 'events'::regclass`,
  );
  return rows.map(({ name }) => name);
}

/** The number of events in the default partition, at most `MOST_STRAYS`. @throws DatabaseError | DatabaseUnavailable */
export async function countStrays(sql: SqlRunner): Promise<number> {
  const [row] = await sql.forMaintenance().query<{
    count: number;
  }>(`SELECT count(*)::integer AS count FROM (SELECT id FROM events_default LIMIT ${MOST_STRAYS}) d`);
  return row?.count ?? 0;
}

/** Weeks that have events in the default partition. Bounded: the next run finds the rest. */
async function strayWeeks(sql: SqlSession): Promise<Week[]> {
  const rows = await sql.query<{ time: string }>(
    `SELECT DISTINCT left(replace(id::text, '-', ''), 12) AS time FROM (SELECT id FROM events_default LIMIT ${MOST_STRAYS}) d`,
  );
  return rows.map(({ time }) => weekOf(Number.parseInt(time, 16)));
}

/** Creates the table separately from the log, moves its events into it and attaches it: writers of other weeks do not wait. */
async function makePartition(sql: SqlSession, week: Week): Promise<boolean> {
  try {
    await sql.transaction(async (transaction) => {
      await transaction.query(`SELECT pg_advisory_xact_lock(${ADVISORY_LOCKS.partitions})`);
      await attach(transaction, week);
    });
    return true;
  } catch (error) {
    // 42P07: another server has just made the same one.
    if (error instanceof DatabaseError && error.sqlState === '42P07') {
      return false;
    }
    throw error;
  }
}

async function attach(transaction: SqlExecutor, { table, from, to }: Week): Promise<void> {
  await transaction.query(`CREATE TABLE ${table} (LIKE events INCLUDING DEFAULTS INCLUDING CONSTRAINTS)`);
  // No event may be inserted into the default partition between the move and the attach.
  await transaction.query('LOCK TABLE events_default IN ACCESS EXCLUSIVE MODE');
  await transaction.query(
    `WITH moved AS (DELETE FROM events_default WHERE id >= '${from}' AND id < '${to}' RETURNING *)
     INSERT INTO ${table} SELECT * FROM moved`,
  );
  for (const statement of guarded(table)) await transaction.query(statement);
  await transaction.query(`ALTER TABLE events ATTACH PARTITION ${table} FOR VALUES FROM ('${from}') TO ('${to}')`);
}
