/**
 * Statements that isolate the rows of accounts, for migrations. They may only be extended, because executed migrations were built from
 * them.
 */

/** Evaluated once per statement, not per row. After a transaction that set it, an unset setting reads as an empty text. */
const ACCOUNTS = `((SELECT string_to_array(nullif(current_setting('weir.accounts', true), ''), ',')::uuid[])::uuid[])`;

/** The condition for rows of the accounts in the statement's scope. */
function inScope(column: string): string {
  return `${column} = ANY ${ACCOUNTS}`;
}

export type Command = 'SELECT' | 'INSERT' | 'UPDATE' | 'DELETE';

/**
 * Isolates a table's rows by account: no role, not even the owner, reads or writes a row without a row-level policy for it.
 *
 * @param commands the commands that `weir_app` may run on rows of the accounts in scope
 * @param column the column with the account's id
 */
export function accountTable(table: string, commands: readonly Command[], column = 'account_id'): string[] {
  return [...guarded(table), allowed('weir_app', table, commands, inScope(column))].flat();
}

/** Closes a table to every role except the owner with the maintenance setting (migrations, partitions, backups). */
export function guarded(table: string): string[] {
  return [
    `ALTER TABLE ${table} ENABLE ROW LEVEL SECURITY`,
    `ALTER TABLE ${table} FORCE ROW LEVEL SECURITY`,
    `CREATE POLICY maintenance ON ${table} TO CURRENT_USER
       USING ((SELECT current_setting('weir.maintenance', true)) = 'on')`,
  ];
}

/**
 * Grants a role privileges on some of a table's rows.
 *
 * @param rows the condition of rows; `true` for all
 */
export function allowed(role: string, table: string, what: readonly string[], rows = 'true'): string[] {
  return [
    `GRANT ${what.join(', ')} ON ${table} TO ${role}`,
    `CREATE POLICY ${role} ON ${table} TO ${role} USING (${rows})`,
  ];
}

/** Grants a role privileges on the rows of the accounts in scope. */
export function allowedInScope(role: string, table: string, what: readonly string[], column = 'account_id'): string[] {
  return allowed(role, table, what, inScope(column));
}
