/** Deletes data outside the log that belongs to deleted events, a few rows at a time, so that no other statement waits long. */
import type { SqlSession } from '../../database/index.js';
import { notArchived } from '../archive/catalogue.js';
import type { LedgerWriter } from '../event.js';
import { WEEK_MS, type Week } from '../partitions.js';
import type { Due } from './due.js';

/** Time for which ids are kept, so that a retry is not recorded as a new event. */
const IDS_KEPT_MS = 400 * 86_400_000;
const ROWS = 1_000;
/** Matches the name of an action that deleted records: see `Due.name`. */
const RECORDS_GONE = /^\[true/;

export interface Forgetting {
  readonly maintenance: SqlSession;
  readonly ledger: LedgerWriter;
  readonly isEnding: () => boolean;
}

/** Deletes sessions and the costs of single calls. @throws DatabaseError | DatabaseUnavailable */
export async function forgetDetails(
  { maintenance, ledger, isEnding }: Forgetting,
  { table, to, startMs }: Week,
  parts: readonly Due[],
): Promise<void> {
  const end = new Date(startMs + WEEK_MS).toISOString();
  for (const { accountId, environment } of parts.filter(({ records }) => records)) {
    const sessions = (): Promise<boolean> =>
      inSteps(
        maintenance,
        `DELETE FROM session_rollups WHERE ctid = ANY (ARRAY(
           SELECT s.ctid FROM session_rollups s
           WHERE s.account_id = $1::uuid AND s.environment = $2 AND s.last_at < $3::timestamptz
             AND NOT EXISTS (SELECT 1 FROM events e WHERE e.account_id = s.account_id AND e.session_id = s.session_id
               AND e.app_id = s.app_id AND e.environment = s.environment)
             AND NOT EXISTS (SELECT 1 FROM archive_parts p WHERE p.account_id = s.account_id AND p.environment = s.environment
               AND p.state = 'archived' AND p.week = $4)
           LIMIT ${ROWS})) RETURNING 1 AS one`,
        [accountId, environment, end, table],
      );
    while (!isEnding() && (await sessions()));
    while (!isEnding() && (await ledger.forget(maintenance, { accountId, environment, beforeId: to })));
  }
}

/**
 * Deletes the ids of a week's events, if the ids are old enough and the events are deleted, then the entry of the week.
 *
 * @throws DatabaseError | DatabaseUnavailable
 */
export async function forgetIds(
  { maintenance, isEnding }: Forgetting,
  { table, startMs }: Week,
  parts: readonly Due[],
  nowMs: number,
): Promise<void> {
  if (startMs + WEEK_MS + IDS_KEPT_MS > nowMs) return;
  const [from, to] = [new Date(startMs).toISOString(), new Date(startMs + WEEK_MS).toISOString()];
  for (const { accountId, environment } of parts.filter(({ settled }) => RECORDS_GONE.test(settled))) {
    const more = (): Promise<boolean> =>
      inSteps(
        maintenance,
        `DELETE FROM event_ids WHERE ctid = ANY (ARRAY(
           SELECT i.ctid FROM event_ids i
           WHERE i.created_at >= $3::timestamptz AND i.created_at < $4::timestamptz
             AND i.account_id = $1::uuid AND i.environment = $2
             AND NOT EXISTS (SELECT 1 FROM events e WHERE e.account_id = i.account_id AND e.id = i.event_row_id)
             AND ${notArchived('i.account_id', 'i.event_row_id')}
           LIMIT ${ROWS})) RETURNING 1 AS one`,
        [accountId, environment, from, to],
      );
    while (!isEnding() && (await more()));
    if (isEnding()) return;
    await maintenance.query(
      `DELETE FROM event_weeks WHERE account_id = $1::uuid AND environment = $2 AND week = $3 AND held = 0`,
      [accountId, environment, table],
    );
  }
}

/** @returns whether there may be more */
async function inSteps(maintenance: SqlSession, statement: string, parameters: readonly string[]): Promise<boolean> {
  return (await maintenance.query(statement, parameters)).length === ROWS;
}
