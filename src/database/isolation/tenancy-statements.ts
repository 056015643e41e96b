/**
 * Statements that isolate the rows of accounts, for migrations. They may only be extended, because executed migrations were built from
 * them.
 */

/** Evaluated once per statement, not per row. After its first use a setting that is not set reads as an empty text. */
const ACCOUNTS = `((SELECT string_to_array(nullif(current_setting('weir.accounts', true), ''), ',')::uuid[])::uuid[])`;

/** The rows of the accounts that the statement is for. */
function inScope(column: string): string {
  return `${column} = ANY ${ACCOUNTS}`;
}

export type Command = 'SELECT' | 'INSERT' | 'UPDATE' | 'DELETE';

/**
 * Keeps a table's rows apart by account: nobody, the owner included, sees or writes a row without a policy for it.
 *
 * @param commands what `weir_app` may do with the rows of the accounts that it works for
 * @param column the account's id
 */
export function accountTable(table: string, commands: readonly Command[], column = 'account_id'): string[] {
  return [...guarded(table), allowed('weir_app', table, commands, inScope(column))].flat();
}

/** Closes a table to everybody but its owner while migrations, partitions or backups are at work. */
export function guarded(table: string): string[] {
  return [
    `ALTER TABLE ${table} ENABLE ROW LEVEL SECURITY`,
    `ALTER TABLE ${table} FORCE ROW LEVEL SECURITY`,
    `CREATE POLICY maintenance ON ${table} TO CURRENT_USER
       USING ((SELECT current_setting('weir.maintenance', true)) = 'on')`,
  ];
}

/**
 * Lets a role do something with some of a table's rows.
 *
 * @param rows the condition of rows; `true` for all
 */
export function allowed(role: string, table: string, what: readonly string[], rows = 'true'): string[] {
  return [
    `GRANT ${what.join(', ')} ON ${table} TO ${role}`,
    `CREATE POLICY ${role} ON ${table} TO ${role} USING (${rows})`,
  ];
}

/** Lets a role do something with the rows of the accounts that it works for. */
export function allowedInScope(role: string, table: string, what: readonly string[], column = 'account_id'): string[] {
  return allowed(role, table, what, inScope(column));
}
