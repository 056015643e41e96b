/**
 * Deletes expired events and texts, in whole weeks, except those under a legal hold. The due times are computed from the active policies.
 */
import type { Environment } from '../../core/index.js';
import type { SqlSession } from '../../database/index.js';
import type { LedgerWriter } from '../event.js';
import { firstEventIdAt } from '../event-id.js';
import { WEEK_MS, weekNamed, type Week } from '../partitions.js';
import { ANSWERED_WITHIN_MS } from '../reading/event-indexes.js';
import type { Due } from './due.js';

/** Sessions that one statement reads, of all environments: the index that finds them does not contain the environment. */
const SESSIONS_READ = 5_000;
/** For each session, a statement looks for events in all weeks. */
const SESSIONS_DELETED = 500;
/** The name of the week that contains a time: see `weekOf`. */
const weekAt = (time: string): string =>
  `'events_w' || to_char(date_trunc('week', ${time} AT TIME ZONE 'UTC'), 'YYYYMMDD')`;
/** The week of a part `p` contains events of the session `s`, or may contain some. */
const IN_WEEKS_OF_SESSION = `p.week COLLATE "C" BETWEEN ${weekAt('s.first_at')} AND ${weekAt('s.last_at')}`;
/** Lower than every id. */
const FIRST_ID = '00000000-0000-0000-0000-000000000000';

export interface DetailDeletion {
  readonly maintenance: SqlSession;
  readonly ledger: LedgerWriter;
  readonly isEnding: () => boolean;
}

interface Part {
  readonly accountId: string;
  readonly environment: Environment;
}

/**
 * Deletes data outside the log that belongs to deleted events: sessions and the costs of single calls. Each statement reads and deletes
 * only a few rows, so that no other statement waits long, and that it ends well within the statement timeout.
 *
 * @throws DatabaseError | DatabaseUnavailable
 */
export async function deleteEventDetails(context: DetailDeletion, week: Week, parts: readonly Due[]): Promise<void> {
  for (const part of parts.filter(({ records }) => records)) {
    await deleteSessions(context, week, part);
    await deleteCosts(context, week, part);
  }
}

/**
 * Deletes sessions whose last event is gone. Those of earlier weeks are looked at again: if a week is processed after the next one, its
 * sessions that ended in the next week are left. A session stays while the archive contains events of one of its weeks: the parts of an
 * earlier week may be held, or not processed yet.
 */
async function deleteSessions(
  { maintenance, isEnding }: DetailDeletion,
  { startMs }: Week,
  { accountId, environment }: Part,
): Promise<void> {
  const end = new Date(startMs + WEEK_MS).toISOString();
  const range = `s.account_id = $1::uuid AND s.last_at > $2::timestamptz AND s.last_at < $3::timestamptz`;
  for (let after: string | undefined = '-infinity'; after !== undefined && !isEnding();) {
    const [last]: { at: string }[] = await maintenance.query<{ at: string }>(
      `SELECT s.last_at::text AS at FROM session_rollups s WHERE ${range} ORDER BY s.last_at OFFSET ${SESSIONS_READ - 1} LIMIT 1`,
      [accountId, after, end],
    );
    const deletion = [accountId, after, end, last?.at ?? end, environment];
    while (!isEnding()) {
      const [step] = await maintenance.query<{ found: number }>(
        `WITH found AS MATERIALIZED (
           SELECT s.ctid AS place FROM session_rollups s
           WHERE ${range} AND s.last_at <= $4::timestamptz AND s.environment = $5
             AND NOT EXISTS (SELECT 1 FROM events e WHERE e.account_id = s.account_id AND e.session_id = s.session_id
               AND e.app_id = s.app_id AND e.environment = s.environment)
             AND NOT EXISTS (SELECT 1 FROM archive_parts p WHERE p.account_id = s.account_id AND p.environment = s.environment
               AND p.state = 'archived' AND ${IN_WEEKS_OF_SESSION})
           LIMIT ${SESSIONS_DELETED}
         ), gone AS (DELETE FROM session_rollups WHERE ctid = ANY (ARRAY(SELECT place FROM found)))
         SELECT count(*)::integer AS found FROM found`,
        deletion,
      );
      if (step === undefined || step.found === 0) break;
    }
    after = last?.at;
  }
}

/** Deletes the ledger's entries of the calls that began in this week or after the previous one of the part. */
async function deleteCosts({ maintenance, ledger, isEnding }: DetailDeletion, week: Week, part: Part): Promise<void> {
  const calls = { accountId: part.accountId, environment: part.environment, beforeId: week.to };
  let afterId: string | undefined = await endOfPrevious(maintenance, week, part);
  while (!isEnding() && afterId !== undefined) afterId = await ledger.forget(maintenance, { ...calls, afterId });
}

/**
 * The end of the part's previous week, which deletes the entries of its own calls, except those whose answer came in the next week. A call
 * without events belongs to no week, so the weeks without a part are not skipped.
 */
async function endOfPrevious(maintenance: SqlSession, { table }: Week, part: Part): Promise<string> {
  const [previous] = await maintenance.query<{ week: string }>(
    `SELECT week FROM event_weeks WHERE account_id = $1::uuid AND environment = $2 AND week < $3 ORDER BY week DESC LIMIT 1`,
    [part.accountId, part.environment, table],
  );
  if (previous === undefined) return FIRST_ID;
  return firstEventIdAt(weekNamed(previous.week).startMs + WEEK_MS - ANSWERED_WITHIN_MS);
}
