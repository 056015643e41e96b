import type { SqlRow, TenantSql } from '../database/index.js';

/** The result of requesting one event of a trial. */
export type TrialClaim = 'granted' | 'used_up' | 'not_trialing';

interface Waiting {
  resolve(taken: TrialClaim): void;
  reject(error: unknown): void;
}

interface Account {
  waiting: Waiting[];
  /** Events to give back. */
  unused: number;
  inFlight: boolean;
}

/**
 * Takes the requested number of events, or those that are left if there are fewer. The row is locked before it is read and so includes
 * all earlier changes: over all replicas, no event is granted twice or beyond the limit.
 */
const TAKE = `
WITH trial AS (
  SELECT account_id, trial_events FROM subscriptions WHERE account_id = $1::uuid AND state = 'trialing' FOR UPDATE
), taken AS (
  SELECT account_id, LEAST($2::bigint, GREATEST($3::bigint - trial_events, 0)) AS granted FROM trial
), written AS (
  UPDATE subscriptions s SET trial_events = s.trial_events + t.granted FROM taken t
  WHERE s.account_id = t.account_id AND t.granted > 0
)
SELECT granted::integer AS granted FROM taken`;

const GIVE_BACK = `
UPDATE subscriptions SET trial_events = GREATEST(trial_events - $2::bigint, 0)
WHERE account_id = $1::uuid AND state = 'trialing'`;

/**
 * Counts the events of trials. An event is taken before its call is processed, and given back if the call is refused for another
 * reason. So the limit holds exactly for any number of concurrent calls and replicas. Calls that arrive while a statement is in flight
 * are combined into the next one. Events that a replica had not given back when it died remain counted.
 */
export class TrialCounter {
  private readonly accounts = new Map<string, Account>();
  private readonly running = new Set<Promise<void>>();

  constructor(
    private readonly sql: TenantSql,
    /** Events that a trial includes. */
    private readonly limit: number,
  ) {}

  /** Requests one of the events that the account's trial includes. @throws DatabaseError | DatabaseUnavailable */
  take(accountId: string): Promise<TrialClaim> {
    return new Promise((resolve, reject) => {
      const account = this.accounts.get(accountId) ?? { waiting: [], unused: 0, inFlight: false };
      this.accounts.set(accountId, account);
      account.waiting.push({ resolve, reject });
      this.pump(accountId, account);
    });
  }

  /** Gives back one event that was granted. Returns at once. */
  giveBack(accountId: string): void {
    const account = this.accounts.get(accountId) ?? { waiting: [], unused: 0, inFlight: false };
    this.accounts.set(accountId, account);
    account.unused += 1;
    this.pump(accountId, account);
  }

  /** Resolves when no statement is in flight. */
  async settle(): Promise<void> {
    while (this.running.size > 0) await Promise.all(this.running);
  }

  private pump(accountId: string, account: Account): void {
    if (account.inFlight) return;
    if (account.waiting.length === 0 && account.unused === 0) {
      this.accounts.delete(accountId);
      return;
    }
    account.inFlight = true;
    const work = this.work(accountId, account).finally(() => {
      this.running.delete(work);
      account.inFlight = false;
      this.pump(accountId, account);
    });
    this.running.add(work);
  }

  /** Processes the waiting calls and unused events in at most two statements. Never rejects. */
  private async work(accountId: string, account: Account): Promise<void> {
    const unused = account.unused;
    const asking = account.waiting;
    account.unused = 0;
    account.waiting = [];
    // Unused events are given back first, so that waiting calls can take them.
    const sql = this.sql.forAccounts(accountId);
    if (unused > 0) await sql.query(GIVE_BACK, [accountId, unused]).catch(() => undefined);
    if (asking.length === 0) return;
    try {
      const [row] = await sql.query<SqlRow & { granted: number }>(TAKE, [accountId, asking.length, this.limit], {
        prepareAs: 'take-trial-events',
      });
      asking.forEach(({ resolve }, index) =>
        resolve(row === undefined ? 'not_trialing' : index < row.granted ? 'granted' : 'used_up'),
      );
    } catch (error) {
      for (const { reject } of asking) reject(error);
    }
  }
}
