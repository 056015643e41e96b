import { Migration } from '@mikro-orm/migrations';

/** What an account has paid for, moved out of the account itself: state, dates, the trial's count, and Stripe's side of it. */
export class Subscriptions extends Migration {
  override up(): void {
    for (const statement of STATEMENTS) this.addSql(statement);
  }

  override down(): void {
    this.addSql('ALTER TABLE accounts ADD COLUMN subscription_state text, ADD COLUMN trial_ends_at timestamptz');
    this.addSql(`UPDATE accounts a SET subscription_state = s.state, trial_ends_at = s.trial_ends_at
      FROM subscriptions s WHERE s.account_id = a.id`);
    this.addSql(`UPDATE accounts SET subscription_state = 'inactive' WHERE subscription_state IS NULL`);
    this.addSql(`ALTER TABLE accounts ALTER COLUMN subscription_state SET NOT NULL,
      ADD CONSTRAINT accounts_subscription_state_check CHECK (subscription_state IN (${STATES}))`);
    this.addSql('DROP TABLE stripe_subscriptions');
    this.addSql('DROP TABLE subscriptions');
  }
}

const STATES = `'trialing', 'active', 'inactive', 'lapsed'`;

const STATEMENTS = [
  // trial_ends_at: null for as many days as the settings say. ends_at: when an active subscription lapses by itself.
  // period_ends_at: what has been paid for, as it is shown.
  `CREATE TABLE subscriptions (
    account_id uuid PRIMARY KEY REFERENCES accounts (id),
    state text NOT NULL CHECK (state IN (${STATES})),
    trial_started_at timestamptz NOT NULL,
    trial_ends_at timestamptz,
    trial_events bigint NOT NULL DEFAULT 0 CHECK (trial_events >= 0),
    period_ends_at timestamptz,
    ends_at timestamptz,
    stripe_customer_id text,
    changed_at timestamptz NOT NULL
  )`,
  'CREATE UNIQUE INDEX subscriptions_stripe_customer ON subscriptions (stripe_customer_id) WHERE stripe_customer_id IS NOT NULL',
  `INSERT INTO subscriptions (account_id, state, trial_started_at, trial_ends_at, changed_at)
   SELECT id, subscription_state, created_at, trial_ends_at, created_at FROM accounts`,
  'ALTER TABLE accounts DROP COLUMN subscription_state, DROP COLUMN trial_ends_at',
  // version: orders Stripe's news of one subscription, which come late, twice and in any order.
  `CREATE TABLE stripe_subscriptions (
    account_id uuid NOT NULL REFERENCES accounts (id),
    id text NOT NULL,
    state text NOT NULL CHECK (state IN (${STATES})),
    period_ends_at timestamptz,
    version text COLLATE "C" NOT NULL,
    PRIMARY KEY (account_id, id)
  )`,
];
