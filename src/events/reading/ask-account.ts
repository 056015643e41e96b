/** Queries the event log for rows of one account, and distinguishes an outage from an invalid statement. */
import {
  DatabaseError,
  type QueryOptions,
  type SqlParameter,
  type SqlRow,
  type TenantSql,
  wasEndedAtDeadline,
} from '../../database/index.js';
import { EventLogUnavailable } from '../event-log-errors.js';

export type AskAccount = <Row extends SqlRow>(
  accountId: string,
  statement: string,
  parameters: readonly SqlParameter[],
  options?: QueryOptions,
) => Promise<Row[]>;

/** @returns a function that throws EventLogUnavailable if no database answers */
export function askingAccounts(sql: TenantSql): AskAccount {
  return async (accountId, statement, parameters, options) => {
    try {
      return await sql.forAccounts(accountId).query(statement, parameters, options);
    } catch (error) {
      // A statement that the database refuses is a bug in Weir, not an outage; a cancelled one is neither.
      const isOwn = error instanceof DatabaseError || wasEndedAtDeadline(error, options?.endAfterMs);
      throw isOwn ? error : new EventLogUnavailable('the event log cannot be reached');
    }
  };
}
