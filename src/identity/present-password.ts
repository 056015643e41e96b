/**
 * The present password of a signed-in person, for changes that need it. Verifying a password takes too long for a transaction, so it is
 * verified before; the transaction of the change then checks that the verified hash is still that of the person.
 */
import { verifyPassword, type MemberSession, type Sessions } from '../access/index.js';
import type { SqlTransaction, TenantSql } from '../database/index.js';
import { WeirError } from '../http/index.js';
import { hasPassword } from './people-statements.js';

/** Verifies a password. @returns its stored hash, for `holdPassword` @throws {WeirError} 403 if the password is wrong */
export async function verifiedHash(sql: TenantSql, { personId }: MemberSession, password: string): Promise<string> {
  const [row] = await sql
    .forDuty('identify')
    .query<{ password_hash: string | null }>('SELECT password_hash FROM people WHERE id = $1::uuid', [personId]);
  const hash = row?.password_hash ?? null;
  if (hash === null || !(await verifyPassword(password, hash))) throw wrongPassword();
  return hash;
}

/**
 * The first step of the transaction of a change. If the password was replaced since it was verified, whoever sent the request may no
 * longer be the owner of the account. Otherwise the password cannot be replaced before the transaction ends.
 *
 * @param passwordHash the result of `verifiedHash`
 * @throws {WeirError} 401 if the session has ended in the meantime, 403 if the password was replaced
 */
export async function holdPassword(
  transaction: SqlTransaction,
  sessions: Pick<Sessions, 'isLive'>,
  member: MemberSession,
  passwordHash: string,
): Promise<void> {
  const isSame = await hasPassword(transaction, member.personId, passwordHash);
  if (!(await sessions.isLive(transaction, member))) {
    throw new WeirError('authentication_error', { message: 'The session has ended' });
  }
  if (!isSame) throw wrongPassword();
}

function wrongPassword(): WeirError {
  return new WeirError('forbidden', { message: 'The current password is wrong' });
}
