/**
 * The ledger of budgets: reservations, entries and windows, kept by functions of the database. Start with README.md.
 */
import type { SqlExecutor } from '../../database/index.js';
import {
  ANSWERED_WITHIN_MS,
  firstEventIdAt,
  notArchived,
  timeOfEventId,
  type DeletedCalls,
} from '../../events/index.js';

/**
 * Maximum number of entries and of reservations that one statement reads, of all environments: the indexes that find them do not contain
 * the environment. Other statements wait only briefly.
 */
const ROWS = 2_000;

const idAt = (table: string, column: string): string =>
  `(SELECT n.${column} FROM ${table} n WHERE n.account_id = $1::uuid AND n.${column} > $2::uuid AND n.${column} < $3::uuid
    ORDER BY n.${column} OFFSET ${ROWS - 1} LIMIT 1)`;

/** The last id of a step; null if it is the last step. */
const STEP = `SELECT least(${idAt('budget_entries', 'source_id')}, ${idAt('budget_reservations', 'id')})::text AS last`;

/**
 * The answer that keeps an entry. An answer of a later week that came after more than a day is a call of its own: no later step would find
 * this entry, because it begins too long before that week.
 */
const ANSWER = `CASE WHEN n.event_id < $5::uuid OR n.source_id >= $6::uuid THEN n.event_id END`;
const GONE = `NOT EXISTS (SELECT 1 FROM events v WHERE v.account_id = n.account_id AND v.id IN (n.source_id, ${ANSWER}))
  AND ${notArchived('n.account_id', 'n.source_id')} AND ${notArchived('n.account_id', ANSWER)}`;

/**
 * Replaces the costs of single calls with one sum per window: an entry of kind `estimate` under the window's own id, so that the entries
 * still add up to the window's used amount. Reservations and manual adjustments stay unchanged.
 */
const SUM_UP = `
WITH gone AS (
  DELETE FROM budget_entries WHERE ctid = ANY (ARRAY(
    SELECT n.ctid FROM budget_entries n JOIN budget_periods p ON p.account_id = n.account_id AND p.id = n.period_id
    WHERE n.account_id = $1::uuid AND p.environment = $2 AND n.source_id > $3::uuid AND n.source_id <= $4::uuid
      AND n.source_id <> n.period_id AND n.kind IN ('event', 'estimate', 'released') AND ${GONE}))
  RETURNING account_id, period_id, amount_n, settled_n
)
INSERT INTO budget_entries AS e
  (account_id, source_id, period_id, kind, amount_n, reserved_n, settled_n, created_at)
SELECT account_id, period_id, period_id, 'estimate', sum(amount_n), 0, sum(settled_n), now()
FROM gone GROUP BY account_id, period_id
ON CONFLICT (account_id, source_id, period_id) DO UPDATE
  SET amount_n = e.amount_n + excluded.amount_n, settled_n = e.settled_n + excluded.settled_n`;

/** Reservations of calls that have been settled. */
const RESERVATIONS = `
DELETE FROM budget_reservations WHERE ctid = ANY (ARRAY(
  SELECT n.ctid FROM budget_reservations n
  WHERE n.account_id = $1::uuid AND n.environment = $2 AND n.id > $3::uuid AND n.id <= $4::uuid AND n.resolved_at IS NOT NULL
    AND NOT EXISTS (SELECT 1 FROM events v WHERE v.account_id = n.account_id AND v.id = n.id)
    AND ${notArchived('n.account_id', 'n.id')}))`;

/**
 * Removes the costs of single calls whose events are gone, in one step. The sums of windows stay, so audits still agree. Must run as the
 * owner of the tables.
 *
 * @returns the id after which the next step begins; undefined if this was the last one
 * @throws DatabaseError | DatabaseUnavailable
 */
export async function deleteLedgerDetail(
  maintenance: SqlExecutor,
  { accountId, environment, afterId, beforeId }: DeletedCalls,
): Promise<string | undefined> {
  const [step] = await maintenance.query<{ last: string | null }>(STEP, [accountId, afterId, beforeId]);
  const last = step?.last ?? undefined;
  const calls = [accountId, environment, afterId, last ?? beforeId];
  const answeredLater = firstEventIdAt(timeOfEventId(beforeId) - ANSWERED_WITHIN_MS);
  await maintenance.query(SUM_UP, [...calls, beforeId, answeredLater]);
  await maintenance.query(RESERVATIONS, calls);
  return last;
}
