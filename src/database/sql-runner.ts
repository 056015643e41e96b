/**
 * The narrow interface for all hot-path SQL: one statement with `$1` parameters, on PostgreSQL and on the embedded database. It depends
 * on no entity and no feature; code that needs objects uses the EntityManager.
 *
 * Features get `TenantSql`: they must choose the accounts before they can run statements, and the database hides all other rows.
 */
import type { Duty, SqlScope } from './isolation/scope.js';

/** The types of parameters. Arrays become PostgreSQL arrays; declare them in SQL as `text[]` and cast the elements. */
export type SqlParameter = string | number | boolean | null | Uint8Array | readonly (string | null)[];

/**
 * One row. Only `text`, `integer`, `boolean` and `double precision` have the same form on every driver, so statements cast other types
 * to one of these.
 */
export type SqlRow = Readonly<Record<string, unknown>>;

export interface SqlExecutor {
  /**
   * Runs one statement and returns its rows.
   *
   * @throws DatabaseUnavailable if the database cannot be reached or the connection broke: the outcome is unknown.
   * @throws DatabaseError if the database refused the statement; it never contains a parameter's value.
   */
  query<Row extends SqlRow = SqlRow>(
    sql: string,
    parameters?: readonly SqlParameter[],
    options?: QueryOptions,
  ): Promise<Row[]>;
}

export interface QueryOptions {
  /** The name of a prepared statement, for statements that run often; each name must always have the same text. */
  readonly prepareAs?: string;
  /** The approximate size in UTF-16 units: large statements have a later deadline. Absent if small. */
  readonly size?: number;
  /**
   * PostgreSQL cancels the statement after this number of milliseconds, reported as `DatabaseUnavailable.isEnded`; by default the limit
   * of all statements applies. It only affects single statements in a scope, not those of a transaction or of the embedded database.
   */
  readonly endAfterMs?: number;
  /**
   * Statements that run before this one, in the same transaction and message, so that all of them take one round trip: nothing is
   * stored unless all succeed. Their rows are discarded. Only for single statements in a scope.
   */
  readonly after?: readonly PrecedingStatement[];
}

/** A statement that runs before another one, in the same message. */
export interface PrecedingStatement {
  readonly sql: string;
  readonly parameters: readonly string[];
  /** As in `QueryOptions`. */
  readonly prepareAs: string;
}

export interface SqlTransaction extends SqlExecutor {
  /** Sets the scope for the rest of the transaction, after it has found or created the accounts. */
  enter(scope: SqlScope): Promise<void>;
}

/** Statements and transactions, all in one scope. */
export interface SqlSession extends SqlExecutor {
  /** Runs `work` in one transaction: committed when it resolves, rolled back when it throws. Nesting is not supported. */
  transaction<T>(work: (transaction: SqlTransaction) => Promise<T>, options?: TransactionOptions): Promise<T>;
}

export interface TransactionOptions {
  /** A read-only transaction in which all statements see the same snapshot. */
  readonly reads?: 'one snapshot';
}

/** Access to the rows of accounts. Rows outside of the scope can neither be read nor written. */
export interface TenantSql {
  /** A session for these accounts. Without any, no rows of accounts are visible. */
  forAccounts(...ids: readonly string[]): SqlSession;
  /** A session for work across accounts or before the account is known, and also for these accounts. */
  forDuty(duty: Duty, ...accountIds: readonly string[]): SqlSession;
}

/**
 * The full interface. Without a scope, statements run as the login role of the connection: for the server's settings and for locks.
 * With `forMaintenance` the owner of the tables sees their rows: for migrations and partitions.
 */
export interface SqlRunner extends SqlSession, TenantSql {
  forMaintenance(): SqlSession;
}
