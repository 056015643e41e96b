/** Statements about people that several flows share. Each runs in the transaction of its flow. */
import type { SqlExecutor, SqlTransaction } from '../database/index.js';
import type { UsedToken } from './email-tokens.js';

const TAKEN = 'taken ';

/**
 * The key, in place of an address, of the person that a sign-up with the address of a confirmed person creates. That person can sign in
 * like after other sign-ups, but never confirm the address, so signing up and then signing in does not reveal whether an address is
 * registered. No address contains a blank.
 */
export function takenKeyOf(emailKey: string): string {
  return TAKEN + emailKey;
}

/**
 * Puts a new sign-up in the place of an earlier one with the same address that was not confirmed.
 *
 * @param typed the address as it was typed this time
 * @returns the id of the person; null if there is no such person, or the address is confirmed
 */
export async function replaceSignUp(
  transaction: SqlExecutor,
  emailKey: string,
  typed: string,
  passwordHash: string,
): Promise<string | null> {
  const [row] = await transaction.query<{ id: string }>(
    `UPDATE people SET email = $2, password_hash = $3 WHERE email_key = $1 AND email_verified_at IS NULL
     RETURNING id::text AS id`,
    [emailKey, typed, passwordHash],
  );
  return row?.id ?? null;
}

/**
 * Confirms the address of a link. The password is kept only if it is that of the link's sign-up, and no sign-up with the address waits
 * for its decision: that one came before the confirmation as well, and may be the owner's.
 *
 * @returns whether the person has a password; null if the person does not have the address, or it is already confirmed
 */
export async function confirmAddress(
  transaction: SqlExecutor,
  { personId, address, passwordHash }: UsedToken,
  now: Date,
): Promise<boolean | null> {
  // Each sign-up replaces the person's hash, and no two sign-ups have the same hash, even with the same password.
  const [row] = await transaction.query<{ has_password: boolean }>(
    `UPDATE people SET email_verified_at = $3::timestamptz,
       password_hash = CASE WHEN password_hash = $4::text AND NOT EXISTS (
         SELECT 1 FROM mail_outbox o WHERE o.email_key = $2 AND o.kind = 'sign_up' AND o.outcome IS NULL
       ) THEN password_hash END
     WHERE id = $1::uuid AND email_key = $2 AND email_verified_at IS NULL
     RETURNING password_hash IS NOT NULL AS has_password`,
    [personId, address.key, now.toISOString(), passwordHash],
  );
  return row?.has_password ?? null;
}

/** Whether a person with a confirmed address has a password. Null if the address is not confirmed. */
export async function confirmedHasPassword(executor: SqlExecutor, personId: string): Promise<boolean | null> {
  const [row] = await executor.query<{ has_password: boolean }>(
    `SELECT password_hash IS NOT NULL AS has_password FROM people
     WHERE id = $1::uuid AND email_verified_at IS NOT NULL`,
    [personId],
  );
  return row?.has_password ?? null;
}

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

/** Whether a person still has this password. It stays so until the transaction ends: the person is locked against other changes. */
export async function hasPassword(
  transaction: SqlExecutor,
  personId: string,
  passwordHash: string | null,
): Promise<boolean> {
  const rows = await transaction.query(
    'SELECT 1 AS one FROM people WHERE id = $1::uuid AND password_hash = $2::text FOR NO KEY UPDATE',
    [personId, passwordHash],
  );
  return rows.length > 0;
}

/**
 * Closes an account: deletes its keys and tokens, and the address and password of the person.
 *
 * @returns the ids of the persons without an address now: the person, and one who signed up with the confirmed address
 */
export async function closeAccounts(
  transaction: SqlExecutor,
  personId: string,
  accountId: string,
  now: Date,
): Promise<string[]> {
  const at = now.toISOString();
  await transaction.query(`UPDATE accounts SET status = 'closed' WHERE id = $1::uuid`, [accountId]);
  for (const table of ['api_keys', 'management_tokens'] as const) {
    await transaction.query(
      `UPDATE ${table} SET deleted_at = $2::timestamptz WHERE account_id = $1::uuid AND deleted_at IS NULL`,
      [accountId, at],
    );
  }
  const left = await transaction.query<{ id: string }>(
    `UPDATE people SET email = '', email_key = NULL, password_hash = NULL, email_verified_at = NULL
     WHERE id = $1::uuid OR email_key = (SELECT $2::text || p.email_key FROM people p WHERE p.id = $1::uuid)
     RETURNING id::text AS id`,
    [personId, TAKEN],
  );
  await transaction.query('DELETE FROM email_tokens WHERE person_id = $1::uuid', [personId]);
  return left.map(({ id }) => id);
}
