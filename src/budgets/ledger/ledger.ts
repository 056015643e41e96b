/**
 * The ledger's protocol as functions, each of which sends one statement to the database. It handles amounts and periods, but no prices,
 * policies or calls.
 */
import type { LedgerStep } from '../../core/index.js';
import { DatabaseError, type PrecedingStatement, type SqlExecutor, type SqlSession } from '../../database/index.js';
import { ledgerEventOf, periodArgument, periodState, reserveArgument, stepsArgument } from './ledger-rows.js';
import type { LedgerEvent, PeriodRequest, PeriodState, ReserveCall, ReserveResult, Swept } from './ledger-types.js';

/** The maximum number of calls that one sweep ends. */
const SWEEP_CALLS = 500;

/**
 * Finds the period that contains the request's instant, or creates it.
 *
 * @param isEnd leaves the definition of an existing period as it is
 * @throws DatabaseUnavailable
 */
export async function openPeriod(sql: SqlExecutor, request: PeriodRequest, isEnd = false): Promise<PeriodState> {
  const rows = await ask(
    sql,
    'SELECT budget_period($1::jsonb)::text AS row',
    'budget_period',
    periodArgument(request, isEnd),
  );
  return periodState(rows[0]);
}

/**
 * Reserves the upper bounds of calls, each in all of its periods or in none. The answers are in the order of the calls.
 */
export async function reserveCalls(sql: SqlExecutor, calls: readonly ReserveCall[]): Promise<ReserveResult[]> {
  const rows = await ask(
    sql,
    'SELECT r::text AS row FROM budget_reserve($1::jsonb) r',
    'budget_reserve',
    reserveArgument(calls),
  );
  return (rows as { readonly outcome: ReserveResult['outcome']; readonly by?: unknown }[]).map(({ outcome, by }) =>
    outcome === 'granted' || outcome === 'duplicate' ? { outcome } : { outcome, by: periodState(by) },
  );
}

/** Applies steps to calls, in the caller's transaction. */
export async function applySteps(sql: SqlExecutor, steps: readonly LedgerStep[]): Promise<LedgerEvent[]> {
  const rows = await ask(
    sql,
    'SELECT r::text AS row FROM budget_apply($1::jsonb) r',
    'budget_apply',
    stepsArgument(steps),
  );
  return rows.flatMap((row) => ledgerEventOf(row) ?? []);
}

/** Makes the statement below fail if the ledger reports a crossed threshold: 'crossed' cannot be cast to an integer. */
const ONLY_UNTOLD = `CASE WHEN r->>'what' = 'crossed' THEN (r->>'what')::integer END`;

/**
 * Applies steps in one message and one transaction with the statement that stores their events.
 *
 * @param size of that statement, in UTF-16 units
 * @returns undefined, with nothing applied or stored, when a threshold was crossed, because the event about it has to be stored in the same
 * transaction
 * @throws DatabaseUnavailable | DatabaseError
 */
export async function applyStepsAfter(
  insertion: PrecedingStatement,
  sql: SqlSession,
  steps: readonly LedgerStep[],
  size: number,
): Promise<LedgerEvent[] | undefined> {
  try {
    const rows = await sql.query<{ row: string }>(
      `SELECT r::text AS row, ${ONLY_UNTOLD} AS nothing FROM budget_apply($1::jsonb) r`,
      [stepsArgument(steps)],
      { prepareAs: 'budget_apply_after', after: [insertion], size },
    );
    return rows.flatMap(({ row }) => ledgerEventOf(JSON.parse(row)) ?? []);
  } catch (error) {
    if (error instanceof DatabaseError && error.isDataError) return undefined;
    throw error;
  }
}

/** The accounts with calls whose lease has expired. */
export async function lapsedAccounts(sql: SqlExecutor): Promise<string[]> {
  const rows = await sql.query<{ id: string }>(
    `SELECT DISTINCT account_id::text AS id FROM budget_reservations
     WHERE resolved_at IS NULL AND expires_at < clock_timestamp()`,
    [],
    { prepareAs: 'budget_lapsed' },
  );
  return rows.map(({ id }) => id);
}

/** Ends the calls with an expired lease, of the accounts in scope, in the caller's transaction. */
export async function sweepLapsed(sql: SqlExecutor): Promise<Swept> {
  const rows = (await ask(
    sql,
    'SELECT r::text AS row FROM budget_sweep($1::jsonb::integer) r',
    'budget_sweep',
    String(SWEEP_CALLS),
  )) as { readonly what: string; readonly account: string; readonly reservation: string }[];
  return {
    expired: rows.filter(({ what }) => what === 'expired').length,
    estimated: rows.filter(({ what }) => what === 'estimated').length,
    ledgerEvents: rows.flatMap((row) => {
      const event = ledgerEventOf(row);
      return event === undefined ? [] : [{ ...event, accountId: row.account, reservationId: row.reservation }];
    }),
  };
}

/** Whether a call has or had a reservation. */
export async function isReserved(sql: SqlExecutor, accountId: string, id: string): Promise<boolean> {
  const rows = await sql.query(
    'SELECT 1 FROM budget_reservations WHERE account_id = $1::uuid AND id = $2::uuid',
    [accountId, id],
    { prepareAs: 'budget_is_reserved' },
  );
  return rows.length > 0;
}

/** Renews the reservations of calls in flight. */
export async function extendLeases(
  sql: SqlExecutor,
  calls: readonly { readonly accountId: string; readonly id: string }[],
): Promise<void> {
  const argument = JSON.stringify(calls.map(({ accountId, id }) => ({ account: accountId, id })));
  await sql.query('SELECT budget_extend($1::jsonb)', [argument], { prepareAs: 'budget_extend' });
}

/** The used and reserved amounts of periods. */
export async function readPeriods(
  sql: SqlExecutor,
  accountId: string,
  ids: readonly string[],
): Promise<Map<string, PeriodState>> {
  const rows = await sql.query<{ row: string }>(
    `SELECT budget_shown(p)::text AS row FROM budget_periods p
     WHERE p.account_id = $1::uuid AND p.id = ANY ($2::text[]::uuid[])`,
    [accountId, ids],
    { prepareAs: 'budget_read' },
  );
  const periods = rows.map(({ row }) => periodState(JSON.parse(row)));
  return new Map(periods.map((period) => [period.id, period]));
}

async function ask(sql: SqlExecutor, statement: string, prepareAs: string, argument: string): Promise<unknown[]> {
  const rows = await sql.query<{ row: string }>(statement, [argument], { prepareAs });
  return rows.map(({ row }) => JSON.parse(row) as unknown);
}

/** The periods that contain the requests' instants, in their order; undefined where there is none yet. */
export async function readUsage(
  sql: SqlExecutor,
  requests: readonly PeriodRequest[],
): Promise<(PeriodState | undefined)[]> {
  const rows = await sql.query<{ nr: number; row: string }>(
    `SELECT (q.nr - 1)::integer AS nr, budget_shown(p)::text AS row
     FROM jsonb_array_elements($1::jsonb) WITH ORDINALITY q (d, nr)
     JOIN LATERAL (
       SELECT * FROM budget_periods b
       WHERE b.account_id = (q.d->>'account')::uuid AND b.environment = q.d->>'environment'
         AND b.budget_id = q.d->>'budget' AND b.unit = q.d->>'unit' AND b.per = q.d->>'per' AND b.scope = q.d->>'scope'
         AND b.period_start <= to_timestamp((q.d->>'now_ms')::double precision / 1000)
         AND (b.period_end IS NULL OR b.period_end > to_timestamp((q.d->>'now_ms')::double precision / 1000))
       ORDER BY b.period_start DESC LIMIT 1) p ON true`,
    [`[${requests.map((request) => periodArgument(request)).join(',')}]`],
    { prepareAs: 'budget_usage' },
  );
  const found = new Map(rows.map(({ nr, row }) => [nr, periodState(JSON.parse(row))]));
  return requests.map((_, index) => found.get(index));
}
