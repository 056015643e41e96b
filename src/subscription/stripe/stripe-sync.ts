import { actorWithoutRequest } from '../../admin-audit/index.js';
import type { SqlExecutor, SqlRow, SubscriptionState, TenantSql } from '../../database/index.js';
import type { Subscriptions } from '../subscriptions.js';
import type { StripeUpdate } from './stripe-updates.js';

/** How long an account whose paid period has ended stays active without an update: the renewal may still arrive. */
const GRACE_MS = 3 * 86_400_000;

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The result of an update: `unknown` for a customer who belongs to no account. */
export type Applied = 'applied' | 'old' | 'unknown';

interface KnownRow extends SqlRow {
  readonly state: SubscriptionState;
  readonly period_ends_ms: number | null;
}

/** Applies Stripe's updates to the subscriptions. An account may have several Stripe subscriptions; the best one counts. */
export class StripeSync {
  constructor(
    private readonly sql: TenantSql,
    private readonly subscriptions: Subscriptions,
  ) {}

  /** Applies an update once; updates may come in any order. @throws DatabaseError | DatabaseUnavailable */
  async apply(update: StripeUpdate): Promise<Applied> {
    const accountId = await this.accountOf(update);
    if (accountId === undefined) return 'unknown';
    return this.sql.forAccounts(accountId).transaction(async (transaction) => {
      const before = await this.subscriptions.lock(transaction, accountId);
      if (before === null) return 'unknown';
      if (!(await this.keep(transaction, before.accountId, update))) return 'old';
      const { state, periodEndsAt } = await this.best(transaction, before.accountId);
      await this.subscriptions.changeLocked(
        transaction,
        before,
        {
          state,
          periodEndsAt,
          endsAt: periodEndsAt === null ? null : new Date(periodEndsAt.getTime() + GRACE_MS),
          stripeCustomerId: update.customerId,
        },
        actorWithoutRequest('system'),
      );
      return 'applied';
    });
  }

  private async accountOf({ accountId, customerId }: StripeUpdate): Promise<string | undefined> {
    if (accountId !== undefined) return UUID.test(accountId) ? accountId : undefined;
    const [row] = await this.sql
      .forDuty('locate')
      .query<SqlRow & { id: string }>(
        'SELECT account_id::text AS id FROM subscriptions WHERE stripe_customer_id = $1',
        [customerId],
      );
    return row?.id;
  }

  /** @returns false if a later update of the same subscription is already known */
  private async keep(transaction: SqlExecutor, accountId: string, update: StripeUpdate): Promise<boolean> {
    const kept = await transaction.query(
      `INSERT INTO stripe_subscriptions AS known (account_id, id, state, period_ends_at, version)
       VALUES ($1::uuid, $2, $3, $4::timestamptz, $5)
       ON CONFLICT (account_id, id) DO UPDATE
         SET state = excluded.state, version = excluded.version,
             period_ends_at = COALESCE(excluded.period_ends_at, known.period_ends_at)
         WHERE known.version < excluded.version
       RETURNING 1 AS one`,
      [accountId, update.subscriptionId, update.state, update.periodEndsAt?.toISOString() ?? null, update.version],
    );
    return kept.length > 0;
  }

  private async best(
    transaction: SqlExecutor,
    accountId: string,
  ): Promise<{ state: SubscriptionState; periodEndsAt: Date | null }> {
    const [row] = await transaction.query<KnownRow>(
      `SELECT state, floor(extract(epoch FROM period_ends_at) * 1000)::double precision AS period_ends_ms
       FROM stripe_subscriptions WHERE account_id = $1::uuid
       ORDER BY array_position(ARRAY['active', 'lapsed', 'inactive'], state), period_ends_at DESC NULLS LAST, id LIMIT 1`,
      [accountId],
    );
    const endsMs = row?.period_ends_ms ?? null;
    return { state: row?.state ?? 'inactive', periodEndsAt: endsMs === null ? null : new Date(endsMs) };
  }
}
