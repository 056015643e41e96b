/** The environments with events in each week, and the last retention action on them, so that no week is read unnecessarily. */
import { setTimeout as wait } from 'node:timers/promises';
import type { Environment } from '../../core/index.js';
import { DatabaseError, type SqlExecutor, type SqlRunner, type TenantSql } from '../../database/index.js';
import type { NewEvent } from '../event.js';
import { timeOfEventId } from '../event-id.js';
import { WEEK_MS, weekOf, type Week } from '../partitions.js';
import { NO_TABLE, rangesOf } from '../week-tables.js';

/**
 * The number of rows that are read at once while calls are stored: a millisecond of work, so that no call waits noticeably for a processor
 * or the disk.
 */
const ROWS_AT_ONCE = 250;
/** The pause after each read, as a multiple of its duration: events are stored on processors that are idle for most of this time. */
const PAUSE_TIMES = 3;

/** The events of one environment of one account in one week. */
export interface WeekPart {
  readonly accountId: string;
  readonly environment: Environment;
  /** The last action, as `Due.name`, with a tilde before it while data outside the log is still to be deleted; empty: none. */
  readonly settled: string;
}

interface Row extends Record<string, unknown> {
  readonly account_id: string;
  readonly environment: Environment;
  readonly settled: string;
}

const READ = `SELECT account_id::text AS account_id, environment, settled FROM event_weeks WHERE week = $1 ORDER BY 1, 2`;

/**
 * The parts of a week; its partition is read if no part is stored yet.
 *
 * @param isThere whether the week has a partition
 * @param isEnding asked while the partition is read; if it ends, no part is stored
 * @throws DatabaseError | DatabaseUnavailable
 */
export async function partsOf(
  maintenance: SqlExecutor,
  week: Week,
  isThere: boolean,
  isEnding: () => boolean,
): Promise<WeekPart[]> {
  const known = await maintenance.query<Row>(READ, [week.table]);
  if (known.length > 0 || !isThere) return known.map(partOf);
  try {
    await noteParts(maintenance, week, isEnding);
  } catch (error) {
    // The archive has just removed the week's partition.
    if (error instanceof DatabaseError && error.sqlState === NO_TABLE) return [];
    throw error;
  }
  return (await maintenance.query<Row>(READ, [week.table])).map(partOf);
}

/**
 * Stores which environments have events in the week's partition. Reads it in small steps with pauses, because the events of calls are
 * stored meanwhile.
 *
 * @param isEnding asked after each step
 * @returns false if it ended early; nothing was stored then
 * @throws DatabaseError | DatabaseUnavailable
 */
export async function noteParts(maintenance: SqlExecutor, week: Week, isEnding: () => boolean): Promise<boolean> {
  const found = new Map<string, Pick<WeekPart, 'accountId' | 'environment'>>();
  let begunMs = performance.now();
  for await (const range of rangesOf(maintenance, week.table, ROWS_AT_ONCE)) {
    const rows = await maintenance.query<Pick<Row, 'account_id' | 'environment'>>(
      `SELECT DISTINCT e.account_id::text AS account_id, e.environment FROM ${week.table} e WHERE ${range}`,
    );
    for (const { account_id: accountId, environment } of rows)
      found.set(partKey({ accountId, environment }), { accountId, environment });
    if (isEnding()) return false;
    await wait(PAUSE_TIMES * (performance.now() - begunMs));
    begunMs = performance.now();
  }
  await addParts(maintenance, week, [...found.values()]);
  return true;
}

/** Stores parts that have no entry yet. @throws DatabaseError | DatabaseUnavailable */
export async function addParts(
  maintenance: SqlExecutor,
  { table }: Week,
  parts: readonly Pick<WeekPart, 'accountId' | 'environment'>[],
): Promise<void> {
  await maintenance.query(
    `INSERT INTO event_weeks (account_id, environment, week)
     SELECT d.account_id::uuid, d.environment, $3 FROM unnest($1::text[], $2::text[]) AS d (account_id, environment)
     ON CONFLICT DO NOTHING`,
    [parts.map(({ accountId }) => accountId), parts.map(({ environment }) => environment), table],
  );
}

/** An action on a part. */
export interface Settled extends WeekPart {
  /**
   * If set, the action is stored only if the part's last action is still this one: a part with restored or late events has lost it, so that
   * retention is applied again.
   */
  readonly was?: string;
}

/** Stores these actions as the last ones on their parts. @throws DatabaseError | DatabaseUnavailable */
export async function settleParts(maintenance: SqlExecutor, { table }: Week, parts: readonly Settled[]): Promise<void> {
  await maintenance.query(
    `UPDATE event_weeks w SET settled = d.settled
     FROM unnest($1::text[], $2::text[], $3::text[], $5::text[]) AS d (account_id, environment, settled, was)
     WHERE w.account_id = d.account_id::uuid AND w.environment = d.environment AND w.week = $4
       AND (d.was IS NULL OR w.settled = d.was)`,
    [
      parts.map(({ accountId }) => accountId),
      parts.map(({ environment }) => environment),
      parts.map(({ settled }) => settled),
      table,
      parts.map(({ was }) => was ?? null),
    ],
  );
}

function partOf({ account_id: accountId, environment, settled }: Row): WeekPart {
  return { accountId, environment, settled };
}

/** The name under which entries of a part are found. */
export const partKey = ({ accountId, environment }: Pick<WeekPart, 'accountId' | 'environment'>): string =>
  `${accountId} ${environment}`;

/** The part with the note that data outside the log is still to be deleted. */
export const begun = <Part extends WeekPart & { readonly name: string }>(part: Part): Part => ({
  ...part,
  settled: `~${part.name}`,
});

/**
 * Notes that data of these parts outside the log is to be deleted. Parts with events that came into the log after the week was looked up
 * (restored from the archive, or stored late) are left to the next run, which has to delete these events from the log first.
 *
 * @param isThere whether the week had a partition when it was looked up
 * @returns the other parts
 * @throws DatabaseError | DatabaseUnavailable
 */
export async function beginParts<Part extends WeekPart & { readonly name: string }>(
  maintenance: SqlExecutor,
  week: Week,
  parts: readonly Part[],
  isThere: boolean,
): Promise<Part[]> {
  await settleParts(
    maintenance,
    week,
    parts.map((part) => ({ ...begun(part), was: part.settled })),
  );
  // After the note: events that are not seen here come later, and with them the note is removed.
  const back = new Set(await restoredIn(maintenance, week));
  for (const key of isThere ? [] : await storedIn(maintenance, week, parts)) back.add(key);
  const again = parts.filter((part) => back.has(partKey(part)));
  await settleParts(
    maintenance,
    week,
    again.map((part) => ({ ...part, settled: '', was: begun(part).settled })),
  );
  const noted = await maintenance.query<Row>(READ, [week.table]);
  const last = new Map(noted.map((row) => [partKey(partOf(row)), row.settled]));
  return parts.filter((part) => last.get(partKey(part)) === begun(part).settled);
}

/** The keys of the parts whose events were restored from the archive. */
async function restoredIn(maintenance: SqlExecutor, { table }: Week): Promise<string[]> {
  const rows = await maintenance.query<Row>(
    `SELECT DISTINCT account_id::text AS account_id, environment, '' AS settled FROM archive_parts
     WHERE week = $1 AND state = 'restored'`,
    [table],
  );
  return rows.map((row) => partKey(partOf(row)));
}

/** The keys of the parts that have events in the log. A week without a partition may have such events in the default partition. */
async function storedIn(maintenance: SqlExecutor, { from, to }: Week, parts: readonly WeekPart[]): Promise<string[]> {
  const rows = await maintenance.query<Row>(
    `SELECT d.account_id::text AS account_id, d.environment, '' AS settled
     FROM unnest($1::text[]::uuid[], $2::text[]) AS d (account_id, environment)
     WHERE EXISTS (SELECT 1 FROM events e WHERE e.account_id = d.account_id AND e.environment = d.environment
       AND e.id >= '${from}' AND e.id < '${to}')`,
    [parts.map(({ accountId }) => accountId), parts.map(({ environment }) => environment)],
  );
  return rows.map((row) => partKey(partOf(row)));
}

/**
 * Lets retention look again at the part of an event that was stored after its week had ended, as the end of a call does that waited in a
 * journal. Runs as the owner of the tables, after the event is stored. A part without an entry gets one, unless retention has not read its
 * week yet.
 *
 * @throws DatabaseError | DatabaseUnavailable
 */
export async function reopenPartOf(
  sql: SqlRunner,
  { id, accountId, environment }: Pick<NewEvent, 'id' | 'accountId' | 'environment'>,
  now: Date,
): Promise<void> {
  const { startMs, table } = weekOf(timeOfEventId(id));
  if (startMs + WEEK_MS > now.getTime()) return;
  await sql.forMaintenance().query(
    `INSERT INTO event_weeks AS w (account_id, environment, week)
     SELECT $1::text::uuid, $2::text, $3::text WHERE EXISTS (SELECT 1 FROM event_weeks o WHERE o.week = $3::text)
     ON CONFLICT (account_id, environment, week) DO UPDATE SET settled = '' WHERE w.settled <> ''`,
    [accountId, environment, table],
  );
}

/** The number of an account's events that are kept only because of a legal hold. @throws DatabaseError | DatabaseUnavailable */
export async function heldEvents(sql: TenantSql, accountId: string): Promise<ReadonlyMap<Environment, number>> {
  const rows = await sql.forAccounts(accountId).query<{ environment: Environment; held: number }>(
    `SELECT environment, sum(held)::double precision AS held FROM event_weeks
     WHERE account_id = $1::uuid AND held > 0 GROUP BY environment`,
    [accountId],
  );
  return new Map(rows.map(({ environment, held }) => [environment, held]));
}
