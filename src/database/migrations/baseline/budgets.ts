import { BUDGET_FUNCTIONS } from '../budget-functions.js';
import { ENVIRONMENT_CHECK } from './environment-check.js';

/**
 * The ledger: the used and reserved amounts of each budget in each window (`budget_periods`), the reservations of calls in flight
 * (`budget_reservations`), and one entry for every amount ever reserved or charged (`budget_entries`). Amounts are integers:
 * nano-dollars or tokens.
 *
 * No second index can serve a lookup by key. With such an index (all began with the account), the planner used it while a table was
 * small, and kept that plan: every settlement then read all entries of its budget. An audit reads all entries of an account by the
 * primary key anyway. Pages have free space for new versions of their rows.
 */
export const BUDGETS = [
  // `scope` is a keyed hash of the budget's scope, because values from callers may be personal data. `scope_label` is the displayed
  // form, masked as in events.
  `CREATE TABLE budget_periods (
    account_id uuid NOT NULL,
    id uuid NOT NULL DEFAULT gen_random_uuid(),
    environment text NOT NULL ${ENVIRONMENT_CHECK},
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
    PRIMARY KEY (account_id, id)
  ) WITH (fillfactor = 50)`,
  // A scope is hashed with the account's own secret, so hashes of different accounts differ. Replaced by 0012-windows-by-account.
  `CREATE UNIQUE INDEX budget_periods_window
    ON budget_periods (scope, budget_id, environment, unit, per, period_start)`,
  `CREATE TABLE budget_reservations (
    account_id uuid NOT NULL,
    id uuid NOT NULL,
    environment text NOT NULL ${ENVIRONMENT_CHECK},
    app_id uuid NOT NULL,
    request_id text,
    source text NOT NULL CHECK (source IN ('rest', 'proxy')),
    state text NOT NULL CHECK (state IN ('held', 'dispatched', 'settled', 'settled_estimate', 'released', 'expired')),
    lease_ms integer NOT NULL CHECK (lease_ms > 0),
    expires_at timestamptz NOT NULL,
    created_at timestamptz NOT NULL,
    resolved_at timestamptz,
    PRIMARY KEY (account_id, id)
  ) WITH (fillfactor = 70)`,
  // A dispatch changes no indexed column, so the row's new version needs no new index entry.
  'CREATE INDEX budget_reservations_open ON budget_reservations (created_at) WHERE resolved_at IS NULL',
  `CREATE INDEX budget_reservations_request ON budget_reservations (request_id, app_id, environment, account_id)
    WHERE request_id IS NOT NULL`,
  // `source_id`: the reservation, otherwise the event charged without one, otherwise the adjustment.
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
  ) WITH (fillfactor = 70)`,
  // The window is indexed as text, so that the planner cannot use this index for a lookup by key.
  'CREATE INDEX budget_entries_in_time ON budget_entries ((period_id::text), created_at, source_id)',
  ...BUDGET_FUNCTIONS,
];
