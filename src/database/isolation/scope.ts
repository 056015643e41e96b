/**
 * Tenant scoping: the accounts for which a statement runs. The scope becomes a database role and a setting, both for one transaction only, so that a
 * connection that goes back to its pool, or to a pooler between us and PostgreSQL, takes nothing along.
 */

/**
 * What is done across accounts, or before the account is known. Each duty is a database role of its own with no more
 * than its work needs; see `ROLE_OF_DUTY` and docs/adr/0018-tenants-are-kept-apart-twice.md.
 */
export type Duty =
  /** Finds who presents a key, a management token or a session. */
  | 'authenticate'
  /** Looks after people: sign-up, sign-in, passwords, addresses, sessions, and their mail. */
  | 'identify'
  /** Finds whose account somebody outside means: a payment provider by its customer, an operator by an address. */
  | 'locate'
  /** Sees which policies are deployed, and says what this replica runs. */
  | 'watch'
  /** Sees which accounts have calls that nobody ended. */
  | 'sweep'
  /** Empties, for an account, what its own work can only add to: of a person whose data is to go. */
  | 'erase';

export interface SqlScope {
  /** Ids of the accounts whose rows the statement may see and write. */
  readonly accounts: readonly string[];
  /** Absent: the work of the accounts themselves. */
  readonly duty?: Duty;
}

/** The role that works for accounts. */
const APP_ROLE = 'weir_app';

const ROLE_OF_DUTY: Readonly<Record<Duty, string>> = {
  authenticate: 'weir_authenticator',
  identify: 'weir_identity',
  locate: 'weir_locator',
  watch: 'weir_watcher',
  sweep: 'weir_sweeper',
  erase: 'weir_eraser',
};

/** Every role that statements run as. They own nothing and nobody logs in as one of them. */
export const ROLES: readonly string[] = [APP_ROLE, ...Object.values(ROLE_OF_DUTY)];

/** The setting that policies read: account ids, separated by commas. */
export const ACCOUNTS_SETTING = 'weir.accounts';

/** With this setting the owner of the tables sees their rows: for migrations, partitions and backups. */
export const MAINTENANCE_SETTING = 'weir.maintenance';

/** Puts a scope in force until the transaction ends: `$1` the role, `$2` the accounts. */
export const ENTER_SCOPE = `SELECT set_config('role', $1, true), set_config('${ACCOUNTS_SETTING}', $2, true)`;

/** The name under which `ENTER_SCOPE` stays prepared in a session. */
export const ENTER_SCOPE_NAME = 'weir-scope';

/** The same, and no statement takes longer until then: `$3` milliseconds. */
export const ENTER_SCOPE_WITHIN = `${ENTER_SCOPE}, set_config('statement_timeout', $3, true)`;

/** The name under which `ENTER_SCOPE_WITHIN` stays prepared in a session. */
export const ENTER_SCOPE_WITHIN_NAME = 'weir-scope-within';

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export type ScopeParameters = readonly [role: string, accounts: string];

/**
 * The parameters of `ENTER_SCOPE`.
 *
 * @throws RangeError for an id that is no UUID; it is not in the message
 */
export function scopeParameters({ accounts, duty }: SqlScope): ScopeParameters {
  if (!accounts.every((id) => UUID.test(id))) throw new RangeError('the id of an account is not a UUID');
  return [duty === undefined ? APP_ROLE : ROLE_OF_DUTY[duty], [...new Set(accounts)].join(',')];
}

/** The same as a statement without parameters, for the message that opens a transaction. */
export function scopeStatement(scope: SqlScope): string {
  const [role, accounts] = scopeParameters(scope);
  return ENTER_SCOPE.replace('$1', `'${role}'`).replace('$2', `'${accounts}'`);
}

/** Lets the owner of the tables see their rows until the transaction ends. */
export const ENTER_MAINTENANCE = `SELECT set_config('${MAINTENANCE_SETTING}', 'on', true)`;
