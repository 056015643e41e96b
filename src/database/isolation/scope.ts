/**
 * Tenant scoping: the accounts for which a statement runs. The scope becomes a database role and a setting, both for one transaction
 * only, so that a connection returned to its pool, or to a pooler in front of PostgreSQL, keeps no scope.
 */

/**
 * A task across accounts, or before the account is known. Each duty is a separate database role with only the privileges that it needs;
 * see `ROLE_OF_DUTY` and docs/adr/0018-accounts-are-isolated-twice.md.
 */
export type Duty =
  /** Finds the owner of a key, a management token or a session. */
  | 'authenticate'
  /** Manages people: sign-up, sign-in, passwords, addresses, sessions, and their mail. */
  | 'identify'
  /** Finds an account by an external reference: a payment provider's customer id, or an address that an operator enters. */
  | 'locate'
  /** Reads which policies are deployed, and reports what this replica runs. */
  | 'watch'
  /** Finds accounts with calls that were never ended. */
  | 'sweep'
  /** Erases a person's data from rows of an account that its own role can only append. */
  | 'erase';

export interface SqlScope {
  /** Ids of the accounts whose rows the statement may see and write. */
  readonly accounts: readonly string[];
  /** Absent for work of the accounts themselves. */
  readonly duty?: Duty;
}

/** The role for work of accounts. */
const APP_ROLE = 'weir_app';

const ROLE_OF_DUTY: Readonly<Record<Duty, string>> = {
  authenticate: 'weir_authenticator',
  identify: 'weir_identity',
  locate: 'weir_locator',
  watch: 'weir_watcher',
  sweep: 'weir_sweeper',
  erase: 'weir_eraser',
};

/** All roles that statements run as. They own nothing, and cannot log in. */
export const ROLES: readonly string[] = [APP_ROLE, ...Object.values(ROLE_OF_DUTY)];

/** The setting that row-level policies read: account ids, separated by commas. */
export const ACCOUNTS_SETTING = 'weir.accounts';

/** With this setting the owner of the tables sees their rows: for migrations, partitions and backups. */
export const MAINTENANCE_SETTING = 'weir.maintenance';

/** Activates a scope until the transaction ends: `$1` the role, `$2` the accounts. */
export const ENTER_SCOPE = `SELECT set_config('role', $1, true), set_config('${ACCOUNTS_SETTING}', $2, true)`;

/** The name under which `ENTER_SCOPE` stays prepared in a session. */
export const ENTER_SCOPE_NAME = 'weir-scope';

/** Like `ENTER_SCOPE`, with a time limit for each statement of the transaction: `$3` in milliseconds. */
export const ENTER_SCOPE_WITHIN = `${ENTER_SCOPE}, set_config('statement_timeout', $3, true)`;

/** The name under which `ENTER_SCOPE_WITHIN` stays prepared in a session. */
export const ENTER_SCOPE_WITHIN_NAME = 'weir-scope-within';

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export type ScopeParameters = readonly [role: string, accounts: string];

/**
 * The parameters of `ENTER_SCOPE`.
 *
 * @throws RangeError for an id that is not a UUID; the message does not contain it
 */
export function scopeParameters({ accounts, duty }: SqlScope): ScopeParameters {
  if (!accounts.every((id) => UUID.test(id))) throw new RangeError('the id of an account is not a UUID');
  return [duty === undefined ? APP_ROLE : ROLE_OF_DUTY[duty], [...new Set(accounts)].join(',')];
}

/** `ENTER_SCOPE` as a statement without parameters, for the message that opens a transaction. */
export function scopeStatement(scope: SqlScope): string {
  const [role, accounts] = scopeParameters(scope);
  return ENTER_SCOPE.replace('$1', `'${role}'`).replace('$2', `'${accounts}'`);
}

/** Lets the owner of the tables see their rows until the transaction ends. */
export const ENTER_MAINTENANCE = `SELECT set_config('${MAINTENANCE_SETTING}', 'on', true)`;
