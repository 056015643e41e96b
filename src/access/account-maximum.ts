import type { SqlExecutor } from '../database/index.js';
import { invalidRequest } from '../http/index.js';

/** The maximum numbers of apps, keys and tokens of one account: their lists are read as a whole. */
export const MOST_OF_ACCOUNT = { apps: 500, keys: 2_000, tokens: 500 } as const;

type Kind = keyof typeof MOST_OF_ACCOUNT;

const TABLE: Readonly<Record<Kind, string>> = { apps: 'apps', keys: 'api_keys', tokens: 'management_tokens' };
const REMEDY: Readonly<Record<Kind, string>> = {
  apps: 'archive apps that are not used',
  keys: 'delete keys that are not used',
  tokens: 'delete tokens that are not used',
};

/**
 * Refuses one more app, key or token for an account that has as many as it may have. Requests at the same time do not count each other, so
 * the maximum may be exceeded by a few.
 *
 * @param most a different maximum
 * @throws {WeirError} 422 `invalid_request` that names the maximum
 */
export async function requireRoomFor(
  kind: Kind,
  transaction: SqlExecutor,
  accountId: string,
  most: number = MOST_OF_ACCOUNT[kind],
): Promise<void> {
  const [row] = await transaction.query<{ n: number }>(
    `SELECT count(*)::integer AS n FROM ${TABLE[kind]} WHERE account_id = $1::uuid AND deleted_at IS NULL`,
    [accountId],
  );
  if ((row?.n ?? 0) < most) return;
  const message = `exceeds the limit of ${most} ${kind} per account: ${REMEDY[kind]}`;
  throw invalidRequest([{ path: 'name', message }]);
}
