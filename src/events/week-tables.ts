/** Operations on the table of a week: reading it in ranges, and removing it from the log. */
import { setTimeout as wait } from 'node:timers/promises';
import { ADVISORY_LOCKS, DatabaseError, type SqlExecutor } from '../database/index.js';

/** SQLSTATE for a table that does not exist. */
export const NO_TABLE = '42P01';

/** Rows that one statement reads, few enough to end well within the statement timeout. */
const ROWS = 20_000;
/** Redacted events whose stored answers one statement changes: each of these is somewhere else on the disk. */
const REDACTED_ROWS = 5_000;
const WEEK_LOCK_WAIT_MS = 2_500;
/** Events are stored continuously: none waits longer than this for the removal of a partition. */
const LOCK_WAIT_MS = 100;
const LOCK_TRIES = 40;
const LOCK_PAUSE_MS = 400;

/** Long or numerous reads kept the partition from being removed: nothing was changed. */
export class WeekInUse extends Error {
  override readonly name = 'WeekInUse';
}

/** Locks until the transaction ends. @returns false if another server is removing weeks */
export async function tryLockWeeks(transaction: SqlExecutor): Promise<boolean> {
  const [lock] = await transaction.query<{ mine: boolean }>(
    `SELECT pg_try_advisory_xact_lock(${ADVISORY_LOCKS.retention}) AS mine`,
  );
  return lock?.mine === true;
}

/**
 * Locks the table of a week until the transaction ends: late events and erasures wait, but not readers. It waits longer than PostgreSQL's
 * `deadlock_timeout` (1 s by default), after which PostgreSQL ends an autovacuum of the table, which could otherwise keep a large week
 * locked for hours.
 */
export async function lockWeek(transaction: SqlExecutor, table: string): Promise<void> {
  await waitForTable(transaction);
  await transaction.query(`LOCK TABLE ${table} IN EXCLUSIVE MODE`);
}

/** Makes the statements of the transaction wait for locks as long as `lockWeek` waits. */
export async function waitForTable(transaction: SqlExecutor): Promise<void> {
  await transaction.query(`SELECT set_config('lock_timeout', '${WEEK_LOCK_WAIT_MS}ms', true)`);
}

/** The accounts with rows in a table, read from its index: one look per account. */
export async function accountsIn(sql: SqlExecutor, table: string): Promise<string[]> {
  const next = (condition: string): string =>
    `(SELECT e.account_id FROM ${table} e ${condition} ORDER BY e.account_id LIMIT 1)`;
  const rows = await sql.query<{ id: string }>(
    `WITH RECURSIVE accounts (id) AS (
       ${next('')} UNION ALL SELECT ${next('WHERE e.account_id > a.id')} FROM accounts a WHERE a.id IS NOT NULL)
     SELECT id::text AS id FROM accounts WHERE id IS NOT NULL`,
  );
  return rows.map(({ id }) => id);
}

/**
 * Conditions on `e`, exactly one of which holds for each row, in the order of the primary key; each holds for at most `rows` rows.
 *
 * No condition has a row comparison as its upper bound: PostgreSQL would read the index up to the end of the account, since only the
 * first column of such a comparison ends an index scan.
 *
 * @param among a condition on `e`: only rows for which it holds are counted; the returned conditions do not contain it
 */
export async function* rangesOf(
  transaction: SqlExecutor,
  table: string,
  rows = ROWS,
  among = 'true',
): AsyncGenerator<string> {
  let last: { readonly account: string; readonly id: string } | undefined;
  for (;;) {
    const rest = last === undefined ? 'true' : `(e.account_id, e.id) > ('${last.account}'::uuid, '${last.id}'::uuid)`;
    const [end] = await transaction.query<{ account: string; id: string }>(
      `SELECT e.account_id::text AS account, e.id::text AS id FROM ${table} e WHERE ${among} AND ${rest}
       ORDER BY e.account_id, e.id OFFSET ${rows - 1} LIMIT 1`,
    );
    if (end === undefined) {
      yield rest;
      return;
    }
    const inAccount = `e.account_id = '${end.account}'::uuid AND e.id <= '${end.id}'::uuid`;
    if (last?.account === end.account) yield `${inAccount} AND e.id > '${last.id}'::uuid`;
    else {
      yield `${rest} AND e.account_id < '${end.account}'::uuid`;
      yield inAccount;
    }
    last = end;
  }
}

/** Conditions on `e`, exactly one of which holds for each redacted event of the account: an index contains them. None if there is no event. */
export async function* redactedRangesOf(
  transaction: SqlExecutor,
  table: string,
  accountId: string,
): AsyncGenerator<string> {
  const redacted = `e.account_id = '${accountId}' AND e.decision = 'redact'`;
  const idAt = async (condition: string, offset: number): Promise<string | undefined> => {
    const [row] = await transaction.query<{ id: string }>(
      `SELECT e.id::text AS id FROM ${table} e WHERE ${condition} ORDER BY e.id OFFSET ${offset} LIMIT 1`,
    );
    return row?.id;
  };
  let begun = redacted;
  while ((await idAt(begun, 0)) !== undefined) {
    const end = await idAt(begun, REDACTED_ROWS - 1);
    yield end === undefined ? begun : `${begun} AND e.id <= '${end}'`;
    if (end === undefined) return;
    begun = `${redacted} AND e.id > '${end}'`;
  }
}

/**
 * Runs `work` while the whole log is locked, for a moment. The tables of other weeks are not locked (`ONLY`): every statement that reads or
 * stores events locks the log first, and an autovacuum, which does not, may take hours for the current week.
 *
 * @param isEnding ends the attempts
 * @throws WeekInUse after many attempts
 */
export async function withLockedLog(
  transaction: SqlExecutor,
  table: string,
  work: () => Promise<void>,
  isEnding = () => false,
): Promise<void> {
  const locked = async (): Promise<void> => {
    await transaction.query('LOCK TABLE ONLY events IN ACCESS EXCLUSIVE MODE');
    await work();
  };
  await inShortTries(transaction, table, locked, isEnding);
}

/**
 * Runs `work`, whose locks block other statements. Each attempt waits only shortly for a lock and is repeated often, because inserts queue
 * behind a waiting lock.
 *
 * @param isEnding ends the attempts
 * @throws WeekInUse after many attempts
 */
export async function inShortTries(
  transaction: SqlExecutor,
  table: string,
  work: () => Promise<void>,
  isEnding = () => false,
): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    await transaction.query('SAVEPOINT taking');
    await transaction.query(`SELECT set_config('lock_timeout', '${LOCK_WAIT_MS}ms', true)`);
    try {
      await work();
      return;
    } catch (error) {
      if (!(error instanceof DatabaseError && error.isLockTimeout)) throw error;
      await transaction.query('ROLLBACK TO SAVEPOINT taking');
      if (tries === LOCK_TRIES || isEnding()) throw new WeekInUse(`${table} is being read`);
    }
    await wait(LOCK_PAUSE_MS);
  }
}
