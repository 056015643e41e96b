import type { Database, SqlSession, SqlTransaction } from '../database/index.js';

/** The channel that notifies this process of accounts whose credentials were changed by other processes. */
const CHANNEL = 'weir_revocations';

/** Drops the cached holders of an account's credentials; without an account, those of all accounts. */
export type InvalidateHolders = (accountId?: string) => void;

/**
 * Revokes credentials: their cached holders are dropped in this process before the revocation is reported as done, and in every process
 * that receives the notice of the database. Where no notice arrives, cached holders expire within a second.
 */
export class Revocations {
  private readonly forgetters: InvalidateHolders[] = [];

  constructor(database: Pick<Database, 'listen'>) {
    database.listen(CHANNEL, (accountId) => this.forget(accountId));
  }

  /** Calls `forget` whenever credentials may have been revoked. */
  onRevoked(forget: InvalidateHolders): void {
    this.forgetters.push(forget);
  }

  /**
   * Runs work that may revoke credentials of an account, in one transaction with the notice to the other processes.
   *
   * @param work answers null or false when it changed nothing: then no notice is sent
   */
  async during<T>(
    session: SqlSession,
    accountId: string,
    work: (transaction: SqlTransaction) => Promise<T>,
  ): Promise<T> {
    try {
      return await session.transaction(async (transaction) => {
        const done = await work(transaction);
        if (done !== null && done !== false) await transaction.query('SELECT pg_notify($1, $2)', [CHANNEL, accountId]);
        return done;
      });
    } finally {
      // Also after an error: a broken connection does not reveal whether the transaction was committed.
      this.forget(accountId);
    }
  }

  private forget(accountId: string | undefined): void {
    for (const forget of this.forgetters) forget(accountId);
  }
}
