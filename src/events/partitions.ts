/**
 * Creates a partition of the event log for every week, some weeks in advance. An event without a partition goes to the default one and
 * is moved as soon as its partition exists: a missing partition never fails an insert.
 */
import {
  ADVISORY_LOCKS,
  DatabaseError,
  DatabaseUnavailable,
  guarded,
  type SqlExecutor,
  type SqlRunner,
  type SqlSession,
} from '../database/index.js';
import { firstEventIdAt } from './event-id.js';
import { inShortTries, rangesOf, waitForTable } from './week-tables.js';

export const WEEK_MS = 7 * 24 * 60 * 60 * 1000;
/** 1 January 1970 was a Thursday; weeks begin on Monday, 00:00 UTC. */
const FIRST_MONDAY_MS = 4 * 24 * 60 * 60 * 1000;
const WEEKS_AHEAD = 4;
/** Maximum number of events in the default partition that are examined at once. */
const MOST_STRAYS = 100_000;
/** Maximum number of events that one statement moves, and that are moved while calls may store events in the default partition. */
const MOST_MOVED = 5_000;

export interface Week {
  /** The name of its partition. */
  readonly table: string;
  readonly startMs: number;
  readonly from: string;
  readonly to: string;
}

/** SQLSTATE of a table that already exists. */
const DUPLICATE_TABLE = '42P07';

/** Some weeks have no partition yet: their events stay in the default partition until the next attempt. */
export class WeeksWithoutPartition extends Error {
  override readonly name = 'WeeksWithoutPartition';

  constructor(failures: ReadonlyMap<string, Error>) {
    super([...failures].map(([table, { message }]) => `${table}: ${message}`).join('; '));
  }
}

/** The week that contains `timeMs`. */
export function weekOf(timeMs: number): Week {
  const startMs = timeMs - ((((timeMs - FIRST_MONDAY_MS) % WEEK_MS) + WEEK_MS) % WEEK_MS);
  const day = new Date(startMs).toISOString().slice(0, 10).replaceAll('-', '');
  return { table: `events_w${day}`, startMs, from: firstEventIdAt(startMs), to: firstEventIdAt(startMs + WEEK_MS) };
}

/** The week whose partition has this name. */
export function weekNamed(table: string): Week {
  return weekOf(Date.parse(table.replace(/^events_w(\d{4})(\d{2})(\d{2})$/, '$1-$2-$3')));
}

/**
 * Runs as the owner of the tables: creates the partitions of this week, of the next four, and then of every other week that has events in
 * the default partition. A week that fails does not affect the other weeks.
 *
 * A week with many events in the default partition is left to a later call while it is not over, or while the current week has no
 * partition: calls then store events in the default partition, and would wait until all events are moved.
 *
 * @returns the names of the created partitions
 * @throws WeeksWithoutPartition if partitions could not be created; all other partitions were created
 * @throws DatabaseError | DatabaseUnavailable
 */
export async function ensurePartitions(sql: SqlRunner, now: Date): Promise<string[]> {
  const maintenance = sql.forMaintenance();
  const nowMs = now.getTime();
  const wanted = Array.from({ length: WEEKS_AHEAD + 1 }, (_, week) => weekOf(nowMs + week * WEEK_MS));
  const present = new Set(await partitionNames(sql));
  const made: string[] = [];
  const failures = new Map<string, Error>();
  const make = async (week: Week): Promise<void> => {
    if (present.has(week.table) || failures.has(week.table)) return;
    const isUnused = week.startMs + WEEK_MS <= nowMs && present.has(weekOf(nowMs).table);
    try {
      if (!(await makePartition(maintenance, week, isUnused))) return;
      present.add(week.table);
      made.push(week.table);
    } catch (error) {
      if (isOutage(error)) throw error;
      failures.set(week.table, error as Error);
    }
  };
  for (const week of wanted) await make(week);
  for (const week of await strayWeeks(maintenance)) await make(week);
  if (failures.size > 0) throw new WeeksWithoutPartition(failures);
  return made;
}

/** Creates partitions within the transaction, for events that are about to be inserted. For a log that nobody else uses. */
export async function makePartitions(transaction: SqlExecutor, weeks: readonly Week[]): Promise<void> {
  const present = new Set(await partitionNames(transaction));
  for (const week of weeks) if (!present.has(week.table)) await attach(transaction, week, true);
}

/** The weeks that have a partition or, as far as they are examined, events in the default partition. */
export async function weeksOfLog(sql: SqlRunner): Promise<Week[]> {
  const weeks = [...(await partitionedWeeks(sql)), ...(await strayWeeks(sql.forMaintenance()))];
  return [...new Map(weeks.map((week) => [week.table, week])).values()];
}

/** Whether the database is unavailable, and not only one statement took too long. */
function isOutage(error: unknown): boolean {
  return error instanceof DatabaseUnavailable && !error.isEnded;
}

/** The weeks that have a partition, oldest first. @throws DatabaseError | DatabaseUnavailable */
export async function partitionedWeeks(sql: SqlExecutor): Promise<Week[]> {
  const names = (await partitionNames(sql)).filter((name) => /^events_w\d{8}$/.test(name));
  return names.toSorted().map(weekNamed);
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
  const weeks = rows.map(({ time }) => weekOf(Number.parseInt(time, 16)));
  return [...new Map(weeks.map((week) => [week.table, week])).values()];
}

/**
 * @param isUnused whether no call stores events of this week, or in the default partition
 * @returns false if another server creates the partition, or if too many events would have to be moved while the week is in use
 */
async function makePartition(sql: SqlSession, week: Week, isUnused: boolean): Promise<boolean> {
  const isLarge = await hasManyStrays(sql, week);
  if (isLarge && !isUnused) return false;
  const lock = { isMine: false };
  try {
    await sql.transaction(async (transaction) => {
      await transaction.query(`SELECT pg_advisory_xact_lock(${ADVISORY_LOCKS.partitions})`);
      lock.isMine = true;
      await attach(transaction, week, isLarge);
    });
    return true;
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
    // Another server has created the same partition, or is moving a large week, before which it has created those of the current weeks.
    if (error.sqlState === DUPLICATE_TABLE || (error.isLockTimeout && !lock.isMine)) return false;
    throw error;
  }
}

async function hasManyStrays(sql: SqlExecutor, { from, to }: Week): Promise<boolean> {
  const rows = await sql.query(
    `SELECT 1 AS one FROM events_default WHERE id >= '${from}' AND id < '${to}' OFFSET ${MOST_MOVED} LIMIT 1`,
  );
  return rows.length > 0;
}

/**
 * Creates the table separately from the log, moves its events into it and attaches it: writers of other weeks do not wait.
 *
 * @param isLong whether the move may take long: readers then wait for the attach only
 */
async function attach(transaction: SqlExecutor, week: Week, isLong: boolean): Promise<void> {
  const { table, from, to } = week;
  await transaction.query(
    `CREATE TABLE ${table} (LIKE events INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING INDEXES)`,
  );
  // With this constraint, attaching the partition does not read it.
  await transaction.query(`ALTER TABLE ${table} ADD CONSTRAINT of_week CHECK (id >= '${from}' AND id < '${to}')`);
  for (const statement of guarded(table)) await transaction.query(statement);
  if (isLong) await waitForTable(transaction);
  // No event may be inserted into the default partition between the move and the attach.
  await transaction.query(`LOCK TABLE events_default IN ${isLong ? 'EXCLUSIVE' : 'ACCESS EXCLUSIVE'} MODE`);
  await moveStrays(transaction, week);
  const attached = async (): Promise<void> => {
    await transaction.query(`ALTER TABLE events ATTACH PARTITION ${table} FOR VALUES FROM ('${from}') TO ('${to}')`);
  };
  await (isLong ? inShortTries(transaction, 'events_default', attached) : attached());
  await transaction.query(`ALTER TABLE ${table} DROP CONSTRAINT of_week`);
}

/** Moves the events of the week out of the default partition, in statements that each end well within the statement timeout. */
async function moveStrays(transaction: SqlExecutor, { table, from, to }: Week): Promise<void> {
  const ofWeek = `e.id >= '${from}' AND e.id < '${to}'`;
  for await (const range of rangesOf(transaction, 'events_default', MOST_MOVED, ofWeek)) {
    await transaction.query(
      `WITH moved AS (DELETE FROM events_default e WHERE ${ofWeek} AND ${range} RETURNING e.*)
       INSERT INTO ${table} SELECT * FROM moved`,
    );
  }
}
