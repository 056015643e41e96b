import type { Database, SqlSession, SqlTransaction } from '../database/index.js';

/** Tells this process which accounts' credentials were changed by other processes. */
const CHANNEL = 'weir_revocations';

/** Forgets the holders of an account's credentials; of all accounts without one. */
export type InvalidateHolders = (accountId?: string) => void;

/**
 * What takes credentials away: their holders are forgotten in this process before anybody is told that it is done, and in
 * every process that a notice of the database reaches. Where none arrives, what is remembered is too old after a second.
 */
export class Revocations {
  private readonly forgetters: InvalidateHolders[] = [];

  constructor(database: Pick<Database, 'listen'>) {
    database.listen(CHANNEL, (accountId) => this.forget(accountId));
  }

  /** Calls `forget` whenever credentials may have ended. */
  onRevoked(forget: InvalidateHolders): void {
    this.forgetters.push(forget);
  }

  /**
   * Runs work that may end credentials of an account, in one transaction with the notice to the other processes.
   *
   * @param work answers null or false when it changed nothing: then nobody is told
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
      // Also when it failed: a connection that broke says nothing about the commit.
      this.forget(accountId);
    }
  }

  private forget(accountId: string | undefined): void {
    for (const forget of this.forgetters) forget(accountId);
  }
}
