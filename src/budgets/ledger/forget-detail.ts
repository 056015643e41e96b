/**
 * The ledger of budgets: reservations, entries and windows, kept by functions of the database. Start with README.md.
 */
import type { Environment } from '../../core/index.js';
import type { SqlExecutor } from '../../database/index.js';
import { notArchived } from '../../events/index.js';

/** Maximum number of rows per statement, so that other statements wait only briefly. */
const ROWS = 2_000;

const GONE = `NOT EXISTS (SELECT 1 FROM events v WHERE v.account_id = n.account_id AND v.id IN (n.source_id, n.event_id))
  AND ${notArchived('n.account_id', 'n.source_id')} AND ${notArchived('n.account_id', 'n.event_id')}`;

/**
 * Replaces the costs of single calls with one sum per window: an entry of kind `estimate` under the window's own id, so that the entries
 * still add up to the window's used amount. Reservations and manual adjustments stay unchanged.
 */
const SUM_UP = `
WITH gone AS (
  DELETE FROM budget_entries WHERE ctid = ANY (ARRAY(
    SELECT n.ctid FROM budget_entries n JOIN budget_periods p ON p.account_id = n.account_id AND p.id = n.period_id
    WHERE n.account_id = $1::uuid AND p.environment = $2 AND n.source_id < $3::uuid AND n.source_id <> n.period_id
      AND n.kind IN ('event', 'estimate', 'released') AND ${GONE}
    LIMIT ${ROWS}))
  RETURNING account_id, period_id, amount_n, settled_n
), summed AS (
  INSERT INTO budget_entries AS e
    (account_id, source_id, period_id, kind, amount_n, reserved_n, settled_n, created_at)
  SELECT account_id, period_id, period_id, 'estimate', sum(amount_n), 0, sum(settled_n), now()
  FROM gone GROUP BY account_id, period_id
  ON CONFLICT (account_id, source_id, period_id) DO UPDATE
    SET amount_n = e.amount_n + excluded.amount_n, settled_n = e.settled_n + excluded.settled_n
)
SELECT count(*)::integer AS gone FROM gone`;

/** Reservations of calls that have been settled. */
const RESERVATIONS = `
WITH gone AS (
  DELETE FROM budget_reservations WHERE ctid = ANY (ARRAY(
    SELECT n.ctid FROM budget_reservations n
    WHERE n.account_id = $1::uuid AND n.environment = $2 AND n.id < $3::uuid AND n.resolved_at IS NOT NULL
      AND NOT EXISTS (SELECT 1 FROM events v WHERE v.account_id = n.account_id AND v.id = n.id)
      AND ${notArchived('n.account_id', 'n.id')}
    LIMIT ${ROWS}))
  RETURNING 1
)
SELECT count(*)::integer AS gone FROM gone`;

/**
 * Removes the costs of single calls whose events are gone. The sums of windows stay, so audits still agree. Must run as the owner of the
 * tables.
 *
 * @param beforeId limits this to events with lower ids
 * @returns whether there may be more
 * @throws DatabaseError | DatabaseUnavailable
 */
export async function forgetDetail(
  maintenance: SqlExecutor,
  {
    accountId,
    environment,
    beforeId,
  }: { readonly accountId: string; readonly environment: Environment; readonly beforeId: string },
): Promise<boolean> {
  let more = false;
  for (const statement of [SUM_UP, RESERVATIONS]) {
    const [row] = await maintenance.query<{ gone: number }>(statement, [accountId, environment, beforeId]);
    more ||= row?.gone === ROWS;
  }
  return more;
}
