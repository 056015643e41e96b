import { randomUUID } from 'node:crypto';
import type { SqlTransaction, SubscriptionState } from '../database/index.js';

export interface NewPerson {
  readonly id: string;
  /** The address as the person typed it. */
  readonly email: string;
  /** The form by which addresses are compared. */
  readonly emailKey: string;
  /** PHC string. */
  readonly passwordHash: string;
  readonly emailVerifiedAt: Date | null;
}

/**
 * Adds a person with an account of their own. Must run in a transaction that has the duty `identify` and also writes the entry in the admin
 * audit log; afterwards, the new account is in the scope of that transaction.
 *
 * @param subscription null for an account that nobody will ever be able to use
 * @returns the account's id; null when the address is already taken, even by a concurrent sign-up
 */
export async function openAccount(
  transaction: SqlTransaction,
  person: NewPerson,
  subscription: SubscriptionState | null,
  now: Date,
): Promise<string | null> {
  const at = now.toISOString();
  const added = await transaction.query(
    `INSERT INTO people (id, email, email_key, password_hash, email_verified_at, created_at)
     VALUES ($1::uuid, $2, $3, $4, $5::timestamptz, $6::timestamptz)
     ON CONFLICT (email_key) DO NOTHING RETURNING 1 AS one`,
    [person.id, person.email, person.emailKey, person.passwordHash, person.emailVerifiedAt?.toISOString() ?? null, at],
  );
  if (added.length === 0) return null;
  const accountId = randomUUID();
  await transaction.enter({ duty: 'identify', accounts: [accountId] });
  await transaction.query(
    `INSERT INTO accounts (id, status, created_at) VALUES ($1::uuid, 'active', $2::timestamptz)`,
    [accountId, at],
  );
  if (subscription !== null) {
    await transaction.query(
      `INSERT INTO subscriptions (account_id, state, trial_started_at, changed_at)
       VALUES ($1::uuid, $2, $3::timestamptz, $3::timestamptz)`,
      [accountId, subscription, at],
    );
  }
  await transaction.query(
    `INSERT INTO memberships (account_id, person_id, role, created_at)
     VALUES ($1::uuid, $2::uuid, 'owner', $3::timestamptz)`,
    [accountId, person.id, at],
  );
  return accountId;
}
