/** Statements about people that several flows share. Each runs in the transaction of its flow. */
import type { SqlExecutor, SqlTransaction } from '../database/index.js';

/**
 * Returns the accounts that a person belongs to and adds them to the scope of the transaction, so that a change of the person can be
 * recorded in each account.
 */
export async function memberAccounts(transaction: SqlTransaction, personId: string): Promise<string[]> {
  const rows = await transaction.query<{ id: string }>(
    'SELECT account_id::text AS id FROM memberships WHERE person_id = $1::uuid ORDER BY created_at, account_id',
    [personId],
  );
  const accounts = rows.map(({ id }) => id);
  await transaction.enter({ duty: 'identify', accounts });
  return accounts;
}

/**
 * @param emailKey the address that the person must still have
 * @returns false if there is no such person
 */
export async function setPassword(
  transaction: SqlExecutor,
  personId: string,
  passwordHash: string,
  emailKey: string | null = null,
): Promise<boolean> {
  const changed = await transaction.query(
    `UPDATE people SET password_hash = $2 WHERE id = $1::uuid AND email_key IS NOT NULL
       AND ($3::text IS NULL OR email_key = $3) RETURNING 1 AS one`,
    [personId, passwordHash, emailKey],
  );
  return changed.length > 0;
}

/** Closes an account: deletes its keys and tokens, and the address and password of the person. */
export async function closeAccounts(
  transaction: SqlExecutor,
  personId: string,
  accountId: string,
  now: Date,
): Promise<void> {
  const at = now.toISOString();
  await transaction.query(`UPDATE accounts SET status = 'closed' WHERE id = $1::uuid`, [accountId]);
  for (const table of ['api_keys', 'management_tokens'] as const) {
    await transaction.query(
      `UPDATE ${table} SET deleted_at = $2::timestamptz WHERE account_id = $1::uuid AND deleted_at IS NULL`,
      [accountId, at],
    );
  }
  await transaction.query(
    `UPDATE people SET email = '', email_key = NULL, password_hash = NULL, email_verified_at = NULL WHERE id = $1::uuid`,
    [personId],
  );
  await transaction.query('DELETE FROM email_tokens WHERE person_id = $1::uuid', [personId]);
}
