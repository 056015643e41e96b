import { actorWithoutRequest, type Actor, type AdminAudit } from '../admin-audit/index.js';
import type { SqlExecutor, SqlRow, SubscriptionState, TenantSql } from '../database/index.js';
import type { Subscription } from './subscription.js';

/** The changes of a subscription; absent fields do not change. */
export interface SubscriptionChange {
  readonly state: SubscriptionState;
  readonly trialEndsAt?: Date | null;
  /** Restarts the trial: from now, with a count of zero. */
  readonly restartTrial?: boolean;
  readonly periodEndsAt?: Date | null;
  readonly endsAt?: Date | null;
  readonly stripeCustomerId?: string;
}

interface Row extends SqlRow {
  readonly account_id: string;
  readonly state: SubscriptionState;
  readonly trial_started_ms: number;
  readonly trial_ends_ms: number | null;
  readonly trial_events: number;
  readonly period_ends_ms: number | null;
  readonly ends_ms: number | null;
  readonly stripe_customer_id: string | null;
  readonly changed_ms: number;
}

const ms = (column: string, name: string): string =>
  `floor(extract(epoch FROM ${column}) * 1000)::double precision AS ${name}`;

const COLUMNS = `account_id::text AS account_id, state, ${ms('trial_started_at', 'trial_started_ms')},
  ${ms('trial_ends_at', 'trial_ends_ms')}, trial_events::double precision AS trial_events,
  ${ms('period_ends_at', 'period_ends_ms')}, ${ms('ends_at', 'ends_ms')}, stripe_customer_id,
  ${ms('changed_at', 'changed_ms')}`;

/** The subscriptions in the database. Callers have already checked who may change one. */
export class Subscriptions {
  constructor(
    private readonly sql: TenantSql,
    private readonly audit: AdminAudit,
    private readonly now: () => Date = () => new Date(),
  ) {}

  /** @returns null when there is no such account. @throws DatabaseError | DatabaseUnavailable */
  async find(accountId: string): Promise<Subscription | null> {
    const [row] = await this.sql
      .forAccounts(accountId)
      .query<Row>(`SELECT ${COLUMNS} FROM subscriptions WHERE account_id = $1::uuid`, [accountId], {
        prepareAs: 'find-subscription',
      });
    return row === undefined ? null : view(row);
  }

  /**
   * Ids of the accounts that match a name: the account's own id, or the e-mail address of a member. An account without a subscription
   * was created by a sign-up with somebody else's address.
   *
   * @throws DatabaseError | DatabaseUnavailable
   */
  async accountsNamed(name: string): Promise<string[]> {
    const rows = await this.sql.forDuty('locate').query<SqlRow & { id: string }>(
      `SELECT a.id::text AS id FROM accounts a WHERE a.id::text = lower($1)
       UNION
       SELECT m.account_id::text FROM memberships m JOIN people p ON p.id = m.person_id
       JOIN subscriptions s ON s.account_id = m.account_id WHERE lower(p.email) = lower($1)
       LIMIT 2`,
      [name],
    );
    return rows.map(({ id }) => id);
  }

  /**
   * Changes a subscription and records the change, both or neither.
   *
   * @returns null when there is no such account
   * @throws DatabaseError | DatabaseUnavailable
   */
  change(
    accountId: string,
    change: SubscriptionChange,
    actor: Actor = actorWithoutRequest('operator'),
  ): Promise<Subscription | null> {
    return this.sql.forAccounts(accountId).transaction(async (transaction) => {
      const before = await this.lock(transaction, accountId);
      return before === null ? null : this.changeLocked(transaction, before, change, actor);
    });
  }

  /** Reads the subscription and locks it until the transaction ends. @returns null when there is no such account */
  async lock(transaction: SqlExecutor, accountId: string): Promise<Subscription | null> {
    const [row] = await transaction.query<Row>(
      `SELECT ${COLUMNS} FROM subscriptions WHERE account_id = $1::uuid FOR UPDATE`,
      [accountId],
    );
    return row === undefined ? null : view(row);
  }

  /** Changes a subscription that `lock` has returned. If no value differs, nothing is written or recorded. */
  async changeLocked(
    transaction: SqlExecutor,
    before: Subscription,
    change: SubscriptionChange,
    actor: Actor,
  ): Promise<Subscription> {
    const { restartTrial = false, ...fields } = change;
    const wanted: Subscription = { ...before, ...fields };
    if (!restartTrial && sameTerms(before, wanted)) return before;
    const now = this.now();
    const after: Subscription = {
      ...wanted,
      ...(restartTrial ? { trialStartedAt: now, trialEvents: 0 } : {}),
      changedAt: now,
    };
    // Only the trial counter changes the count, unless the trial restarts.
    await transaction.query(
      `UPDATE subscriptions SET state = $2, trial_started_at = $3::timestamptz, trial_ends_at = $4::timestamptz,
         trial_events = CASE WHEN $5::boolean THEN 0 ELSE trial_events END, period_ends_at = $6::timestamptz,
         ends_at = $7::timestamptz, stripe_customer_id = $8, changed_at = $9::timestamptz
       WHERE account_id = $1::uuid`,
      [
        before.accountId,
        after.state,
        after.trialStartedAt.toISOString(),
        iso(after.trialEndsAt),
        restartTrial,
        iso(after.periodEndsAt),
        iso(after.endsAt),
        after.stripeCustomerId,
        now.toISOString(),
      ],
    );
    await this.audit.record(transaction, {
      accountId: before.accountId,
      actor,
      action: 'subscription.changed',
      subject: before.accountId,
      details: {
        from: before.state,
        to: after.state,
        ends_at: iso(after.state === 'trialing' ? after.trialEndsAt : after.endsAt),
        trial_restarted: restartTrial,
      },
    });
    return after;
  }
}

function sameTerms(left: Subscription, right: Subscription): boolean {
  return (
    left.state === right.state &&
    left.stripeCustomerId === right.stripeCustomerId &&
    (['trialEndsAt', 'periodEndsAt', 'endsAt'] as const).every((key) => left[key]?.getTime() === right[key]?.getTime())
  );
}

function iso(date: Date | null): string | null {
  return date === null ? null : date.toISOString();
}

function view(row: Row): Subscription {
  const date = (valueMs: number | null): Date | null => (valueMs === null ? null : new Date(valueMs));
  return {
    accountId: row.account_id,
    state: row.state,
    trialStartedAt: new Date(row.trial_started_ms),
    trialEndsAt: date(row.trial_ends_ms),
    trialEvents: row.trial_events,
    periodEndsAt: date(row.period_ends_ms),
    endsAt: date(row.ends_ms),
    stripeCustomerId: row.stripe_customer_id,
    changedAt: new Date(row.changed_ms),
  };
}
