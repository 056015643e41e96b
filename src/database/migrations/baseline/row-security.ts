import { accountTable, allowed, allowedInScope, guarded, type Command } from '../../isolation/tenancy-statements.js';

const ROLES = 'weir_app, weir_authenticator, weir_identity, weir_locator, weir_watcher, weir_sweeper';

const READS: readonly Command[] = ['SELECT'];
/** History: existing rows never change. */
const GROWS: readonly Command[] = ['SELECT', 'INSERT'];
const CHANGES: readonly Command[] = ['SELECT', 'INSERT', 'UPDATE'];
const EVERYTHING: readonly Command[] = ['SELECT', 'INSERT', 'UPDATE', 'DELETE'];

/** All columns except the token hash, which opens a session. */
const SESSION_COLUMNS =
  'person_id, id, created_at, last_seen_at, expires_at, authenticated_at, revoked_at, address, user_agent';

/** People who belong to an account in scope: `memberships` shows no others. */
const member = (column: string): string => `EXISTS (SELECT 1 FROM memberships m WHERE m.person_id = ${column})`;

/**
 * Row-level security: statements only read and write rows of the accounts in scope, whatever their conditions. The roles are created
 * before; see `isolation/roles.ts`. With row-level security, PostgreSQL uses no index with operators that could reveal a row by an
 * error, such as those of `text[]` and `jsonb`: an index for them would only cost.
 */
const STATEMENTS = [
  `EXECUTE format('GRANT USAGE ON SCHEMA %I TO ${ROLES}', current_schema())`,
  ...accountTable('accounts', READS, 'id'),
  ...accountTable('apps', CHANGES),
  ...accountTable('api_keys', CHANGES),
  ...accountTable('management_tokens', CHANGES),
  ...accountTable('account_secrets', GROWS),
  ...accountTable('admin_actions', GROWS),
  ...accountTable('memberships', READS),
  ...accountTable('subscriptions', ['SELECT', 'UPDATE']),
  ...accountTable('stripe_subscriptions', CHANGES),
  ...accountTable('policy_bundles', GROWS),
  ...accountTable('policy_deployments', GROWS),
  ...accountTable('policy_activations', CHANGES),
  ...accountTable('events', GROWS),
  ...accountTable('event_ids', GROWS),
  ...accountTable('budget_periods', CHANGES),
  ...accountTable('budget_reservations', CHANGES),
  ...accountTable('budget_entries', CHANGES),

  // People do not belong to one account, and their rows have no account id.
  ...['people', 'sessions', 'email_tokens', 'mail_outbox'].flatMap(guarded),
  ...allowed('weir_app', 'people', ['SELECT (id, email, email_verified_at)'], member('people.id')),
  ...allowed(
    'weir_app',
    'sessions',
    [`SELECT (${SESSION_COLUMNS})`, 'UPDATE (revoked_at)'],
    member('sessions.person_id'),
  ),

  ...['people', 'sessions', 'email_tokens', 'mail_outbox'].flatMap((table) =>
    allowed('weir_identity', table, table === 'people' ? CHANGES : EVERYTHING),
  ),
  // Memberships are read across accounts; only rows of the accounts in scope are written.
  ...['accounts', 'memberships'].map(
    (table) => `CREATE POLICY weir_identity_reads ON ${table} FOR SELECT TO weir_identity USING (true)`,
  ),
  ...allowedInScope('weir_identity', 'accounts', ['SELECT', 'INSERT', 'UPDATE (status)'], 'id'),
  ...allowedInScope('weir_identity', 'memberships', GROWS),
  ...allowedInScope('weir_identity', 'subscriptions', ['INSERT']),
  ...allowedInScope('weir_identity', 'admin_actions', ['INSERT']),
  ...allowedInScope('weir_identity', 'api_keys', ['SELECT (account_id, deleted_at)', 'UPDATE (deleted_at)']),
  ...allowedInScope('weir_identity', 'management_tokens', ['SELECT (account_id, deleted_at)', 'UPDATE (deleted_at)']),

  ...['api_keys', 'management_tokens', 'apps', 'accounts', 'memberships'].flatMap((table) =>
    allowed('weir_authenticator', table, READS),
  ),
  ...allowed('weir_authenticator', 'people', ['SELECT (id, email, email_key, email_verified_at, created_at)']),
  ...allowed('weir_authenticator', 'sessions', ['SELECT', 'UPDATE (last_seen_at)']),

  ...allowed('weir_locator', 'accounts', ['SELECT (id)']),
  ...allowed('weir_locator', 'memberships', ['SELECT (account_id, person_id)']),
  ...allowed('weir_locator', 'people', ['SELECT (id, email)']),
  ...allowed('weir_locator', 'subscriptions', ['SELECT (account_id, stripe_customer_id)']),

  ...allowed('weir_watcher', 'policy_deployments', ['SELECT (account_id, environment, number)']),
  'GRANT SELECT ON policy_replicas TO weir_app',
  'GRANT SELECT, INSERT, UPDATE, DELETE ON policy_replicas TO weir_watcher',

  ...allowed('weir_sweeper', 'budget_reservations', ['SELECT (account_id, expires_at, resolved_at)']),
  ...accountTable('event_rollups', CHANGES),
  ...accountTable('latency_rollups', CHANGES),
  ...accountTable('session_rollups', CHANGES),
  ...accountTable('rule_rollups', CHANGES),
  ...accountTable('call_refusals', EVERYTHING),
  ...accountTable('attention_snoozes', EVERYTHING),
  ...accountTable('saved_views', EVERYTHING),
  ...accountTable('exports', EVERYTHING),
  ...accountTable('export_parts', EVERYTHING),
  ...allowed('weir_sweeper', 'exports', ['SELECT (account_id, state, lease_until, kept, expires_at, created_at)']),
  ...accountTable('event_marks', EVERYTHING),
  ...accountTable('export_schedules', EVERYTHING),
  ...allowed('weir_sweeper', 'export_schedules', ['SELECT (account_id, paused, next_at)']),
  ...accountTable('exception_rollups', CHANGES),
  ...accountTable('session_histories', CHANGES),
  'GRANT SELECT (schedule_id) ON exports TO weir_sweeper',
  'GRANT SELECT, INSERT, UPDATE ON readiness_probes TO weir_watcher',
];

/** The log is only read through `events`: its partitions are closed to all roles. */
const PARTITIONS = `DO $weir$ DECLARE p regclass; BEGIN
  FOR p IN SELECT inhrelid::regclass FROM pg_inherits WHERE inhparent = 'events'::regclass LOOP
    ${guarded('%s')
      .map((statement) => `EXECUTE format($sql$${statement}$sql$, p);`)
      .join('\n')}
  END LOOP;
END $weir$`;

/** Sent in one message: single statements would slow down the first start of the embedded database. */
export const ROW_SECURITY = [
  `DO $weir$ BEGIN ${STATEMENTS.map((statement) => `${statement};`).join('\n')} END $weir$`,
  PARTITIONS,
];
