import { Migration } from '@mikro-orm/migrations';
import { BUDGET_FUNCTIONS } from './budget-functions.js';

/**
 * The ledger: what each budget has used and holds in each of its windows (`budget_periods`), what calls in flight hold
 * (`budget_reservations`), and one entry for every amount that was ever held or counted (`budget_entries`). Amounts are
 * integers: nano-dollars or tokens.
 */
export class Budgets extends Migration {
  override up(): void {
    for (const statement of [...TABLES, ...BUDGET_FUNCTIONS]) this.addSql(statement);
  }

  override down(): void {
    const functions = ['period', 'place', 'reserve', 'charge', 'apply', 'sweep', 'extend', 'adjust', 'shown'];
    for (const name of functions) this.addSql(`DROP FUNCTION budget_${name}`);
    for (const table of ['budget_entries', 'budget_reservations', 'budget_periods']) this.addSql(`DROP TABLE ${table}`);
    this.addSql('ALTER TABLE events DROP COLUMN cache_write_1h_tokens');
  }
}

const ENVIRONMENT = `environment text NOT NULL CHECK (environment IN ('development', 'staging', 'production'))`;

const TABLES = [
  'ALTER TABLE events ADD COLUMN cache_write_1h_tokens bigint',
  // `scope` is a keyed hash of whose budget it is: values that callers send may be personal data. `scope_label` is
  // what people are shown, masked as in events.
  `CREATE TABLE budget_periods (
    account_id uuid NOT NULL,
    id uuid NOT NULL DEFAULT gen_random_uuid(),
    ${ENVIRONMENT},
    budget_id text NOT NULL,
    unit text NOT NULL CHECK (unit IN ('usd', 'tokens')),
    per text NOT NULL CHECK (per IN ('hour', 'day', 'week', 'month', 'total')),
    scope text NOT NULL,
    scope_label json NOT NULL,
    timezone text NOT NULL,
    period_start timestamptz NOT NULL,
    period_end timestamptz,
    on_exceed text NOT NULL CHECK (on_exceed IN ('record', 'block')),
    limit_n numeric NOT NULL CHECK (limit_n > 0),
    warn_at numeric[] NOT NULL,
    reserved_n numeric NOT NULL DEFAULT 0 CHECK (reserved_n >= 0),
    settled_n numeric NOT NULL DEFAULT 0,
    exceeded_at timestamptz,
    warned jsonb NOT NULL DEFAULT '[]',
    PRIMARY KEY (account_id, id),
    UNIQUE (account_id, environment, budget_id, unit, per, scope, period_start)
  ) WITH (fillfactor = 50)`,
  `CREATE TABLE budget_reservations (
    account_id uuid NOT NULL,
    id uuid NOT NULL,
    ${ENVIRONMENT},
    app_id uuid NOT NULL,
    request_id text,
    source text NOT NULL CHECK (source IN ('rest', 'proxy')),
    state text NOT NULL CHECK (state IN ('held', 'dispatched', 'settled', 'settled_estimate', 'released', 'expired')),
    lease_ms integer NOT NULL CHECK (lease_ms > 0),
    expires_at timestamptz NOT NULL,
    created_at timestamptz NOT NULL,
    resolved_at timestamptz,
    PRIMARY KEY (account_id, id)
  )`,
  `CREATE INDEX budget_reservations_open ON budget_reservations (expires_at) WHERE state IN ('held', 'dispatched')`,
  `CREATE INDEX budget_reservations_request ON budget_reservations (account_id, app_id, environment, request_id)
    WHERE request_id IS NOT NULL`,
  // `source_id`: the reservation, else the event that was counted without one, else the adjustment.
  `CREATE TABLE budget_entries (
    account_id uuid NOT NULL,
    source_id uuid NOT NULL,
    period_id uuid NOT NULL,
    kind text NOT NULL CHECK (kind IN ('held', 'event', 'estimate', 'released', 'adjustment')),
    amount_n numeric NOT NULL,
    reserved_n numeric NOT NULL CHECK (reserved_n >= 0),
    settled_n numeric NOT NULL,
    event_id uuid,
    because text,
    actor text,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (account_id, source_id, period_id),
    CHECK (kind = 'held' OR reserved_n = 0),
    CHECK ((kind = 'event') = (event_id IS NOT NULL)),
    CHECK ((kind = 'adjustment') = (because IS NOT NULL))
  )`,
  'CREATE INDEX budget_entries_period ON budget_entries (account_id, period_id)',
];
