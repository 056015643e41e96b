/** How often exceptions skipped rules, read from the sums that are stored in addition to the log. */
import type { Environment } from '../core/index.js';
import type { SqlExecutor, SqlRow, TenantSql } from '../database/index.js';

/** PostgreSQL overestimates the cost of steps along an index, and JIT compilation takes longer than the steps. */
export const WITHOUT_COMPILING = `SELECT set_config('jit', 'off', true)`;

/** An exception with one of its rules. */
interface ExceptedRow extends SqlRow {
  readonly exception: string;
  readonly rule: string;
  readonly excepted: number;
  readonly hits: number;
  readonly kept_hits: number;
  /** Time of the last hit, in the range or not. */
  readonly last_ms: number | null;
}

export interface ExceptionHits {
  /** Events to which the exception was applied, each counted once regardless of the number of softened rules. */
  readonly hits: number;
  /** The part of these events that would have been refused or redacted. */
  readonly kept: number;
  /** Time of the last hit, in the range or before. */
  readonly lastMs: number | null;
}

/**
 * The pairs of an exception and a rule that have sums are found by stepping along the index, from one to the next; then each pair is
 * summed from the start of the range.
 */
const EXCEPTED = `
WITH RECURSIVE pairs AS (
  (SELECT r.exception, r.rule FROM exception_rollups r WHERE r.account_id = $1::uuid AND r.environment = $2
   ORDER BY r.exception, r.rule LIMIT 1)
  UNION ALL
  SELECT n.exception, n.rule FROM pairs p CROSS JOIN LATERAL (
    SELECT r.exception, r.rule FROM exception_rollups r
    WHERE r.account_id = $1::uuid AND r.environment = $2 AND (r.exception, r.rule) > (p.exception, p.rule)
    ORDER BY r.exception, r.rule LIMIT 1) n)
SELECT p.exception, p.rule, s.*, l.*
FROM pairs p CROSS JOIN LATERAL (
  SELECT coalesce(sum(r.excepted), 0)::double precision AS excepted, coalesce(sum(r.hits), 0)::double precision AS hits,
         coalesce(sum(r.kept_hits), 0)::double precision AS kept_hits
  FROM exception_rollups r
  WHERE r.account_id = $1::uuid AND r.environment = $2 AND r.exception = p.exception AND r.rule = p.rule
    AND r.hour >= $3::timestamptz AND r.hour < $4::timestamptz) s CROSS JOIN LATERAL (
  SELECT floor(extract(epoch FROM max(r.last_at)) * 1000)::double precision AS last_ms FROM exception_rollups r
  WHERE r.account_id = $1::uuid AND r.environment = $2 AND r.exception = p.exception AND r.rule = p.rule
    AND r.hour = (SELECT max(h.hour) FROM exception_rollups h
                  WHERE h.account_id = $1::uuid AND h.environment = $2 AND h.exception = p.exception AND h.rule = p.rule)) l`;

/** Times are RFC 3339, at full hours. @throws DatabaseError | DatabaseUnavailable */
async function readExcepted(
  sql: SqlExecutor,
  accountId: string,
  environment: Environment,
  from: string,
  to: string,
): Promise<readonly ExceptedRow[]> {
  return sql.query<ExceptedRow>(EXCEPTED, [accountId, environment, from, to]);
}

/**
 * The number of times that each rule was exempted by any exception.
 *
 * @param sql in the account's scope
 * @throws DatabaseError | DatabaseUnavailable
 */
export async function exceptedByRule(...asked: Parameters<typeof readExcepted>): Promise<ReadonlyMap<string, number>> {
  const found = new Map<string, number>();
  for (const { rule, excepted } of await readExcepted(...asked)) {
    if (excepted > 0) found.set(rule, (found.get(rule) ?? 0) + excepted);
  }
  return found;
}

const HOUR_MS = 3_600_000;

export class ExceptionStatsReader {
  constructor(private readonly sql: TenantSql) {}

  /**
   * The hits by id of the exception, since an instant (rounded to the hour). Exceptions that were never applied are absent.
   *
   * @throws DatabaseError | DatabaseUnavailable
   */
  async since(
    accountId: string,
    environment: Environment,
    fromMs: number,
    nowMs: number,
  ): Promise<ReadonlyMap<string, ExceptionHits>> {
    const from = new Date(Math.floor(fromMs / HOUR_MS) * HOUR_MS).toISOString();
    const to = new Date(Math.ceil(nowMs / HOUR_MS) * HOUR_MS + HOUR_MS).toISOString();
    const rows = await this.sql.forAccounts(accountId).transaction(async (transaction) => {
      await transaction.query(WITHOUT_COMPILING);
      return readExcepted(transaction, accountId, environment, from, to);
    });
    const found = new Map<string, ExceptionHits>();
    for (const { exception, hits, kept_hits: kept, last_ms: lastMs } of rows) {
      const known = found.get(exception);
      found.set(exception, {
        hits: hits + (known?.hits ?? 0),
        kept: kept + (known?.kept ?? 0),
        lastMs: Math.max(lastMs ?? 0, known?.lastMs ?? 0) || null,
      });
    }
    return found;
  }
}
