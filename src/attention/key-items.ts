/** Keys that are in use and about to expire, and unused keys. */
import type { Environment } from '../core/index.js';
import type { SqlRow, TenantSql } from '../database/index.js';
import { itemId, type Item } from './item.js';

const MOST = 20;

interface KeyRow extends SqlRow {
  readonly kind: 'key_expiring' | 'key_unused';
  readonly key: string;
  readonly name: string;
  readonly app: string;
  readonly environment: Environment;
  readonly expires_ms: number | null;
  readonly left_ms: number | null;
  readonly used_ms: number | null;
  readonly created_ms: number;
}

const ms = (column: string): string => `floor(extract(epoch FROM ${column}) * 1000)::double precision`;

const COLUMNS = `k.key_id::text AS key, k.name, k.app_id::text AS app, k.environment, ${ms('k.expires_at')} AS expires_ms,
  ${ms('k.expires_at - now()')} AS left_ms, ${ms('k.last_used_at')} AS used_ms, ${ms('k.created_at')} AS created_ms`;
const VALID = `k.account_id = $1::uuid AND k.deleted_at IS NULL AND ($2::text IS NULL OR k.environment = $2)
  AND (k.expires_at IS NULL OR k.expires_at > now())
  AND EXISTS (SELECT 1 FROM apps a WHERE a.account_id = k.account_id AND a.id = k.app_id AND a.deleted_at IS NULL)`;

const EXPIRING_CRITICAL_MS = 86_400_000;

/** Creates the entries. A key that expires soon gets one only if it was used recently: a replaced key may simply expire. */
export async function keyItems(
  sql: TenantSql,
  accountId: string,
  environment: Environment | undefined,
): Promise<Item[]> {
  const rows = await sql.forAccounts(accountId).query<KeyRow>(
    `(SELECT 'key_expiring' AS kind, ${COLUMNS} FROM api_keys k
      WHERE ${VALID} AND k.expires_at < now() + interval '7 days' AND k.last_used_at > now() - interval '7 days'
      ORDER BY k.expires_at LIMIT ${MOST})
     UNION ALL
     (SELECT 'key_unused', ${COLUMNS} FROM api_keys k
      WHERE ${VALID} AND k.created_at < now() - interval '30 days'
        AND (k.last_used_at IS NULL OR k.last_used_at < now() - interval '30 days')
      ORDER BY k.last_used_at NULLS FIRST, k.created_at LIMIT ${MOST})`,
    [accountId, environment ?? null],
  );
  return rows.map((row) => ({
    id: itemId(row.kind, row.key),
    kind: row.kind,
    severity: row.kind === 'key_unused' ? 'info' : (row.left_ms ?? 0) < EXPIRING_CRITICAL_MS ? 'critical' : 'warn',
    environment: row.environment,
    args: {
      key: row.key,
      name: row.name,
      expires_at: row.expires_ms === null ? null : new Date(row.expires_ms).toISOString(),
    },
    count: null,
    sinceMs: row.kind === 'key_unused' ? (row.used_ms ?? row.created_ms) : null,
    link: `/apps/${row.app}/settings`,
  }));
}
