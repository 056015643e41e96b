/**
 * The narrow interface for all hot-path SQL: one statement with `$1` parameters, on PostgreSQL and on the embedded database. It depends on
 * no entity and no feature; code that needs objects uses the EntityManager.
 *
 * Features get `TenantSql`: they say for whom they ask before they can ask, and the database shows them nothing else.
 */
import type { Duty, SqlScope } from './isolation/scope.js';

/** What a parameter may be. Arrays become PostgreSQL arrays; declare them in SQL as `text[]` and cast the elements. */
export type SqlParameter = string | number | boolean | null | Uint8Array | readonly (string | null)[];

/**
 * One row. Only `text`, `integer`, `boolean` and `double precision` look the same on every driver, so statements cast
 * whatever else they return to one of these.
 */
export type SqlRow = Readonly<Record<string, unknown>>;

export interface SqlExecutor {
  /**
   * Runs one statement and returns its rows.
   *
   * @throws DatabaseUnavailable when the database cannot be reached or the connection broke: the outcome is unknown.
   * @throws DatabaseError when the database refused the statement; never holds a parameter's value.
   */
  query<Row extends SqlRow = SqlRow>(
    sql: string,
    parameters?: readonly SqlParameter[],
    options?: QueryOptions,
  ): Promise<Row[]>;
}

export interface QueryOptions {
  /** A name under which the server keeps the statement prepared; one name, one text. For statements that run often. */
  readonly prepareAs?: string;
  /** About how much is sent, in UTF-16 units: a large statement has more time. Absent for little. */
  readonly size?: number;
  /**
   * PostgreSQL ends the statement when it has run for so many milliseconds, which is told as `DatabaseUnavailable.isEnded`; without
   * it the limit of all statements holds. It has an effect on single statements in a scope: those of a transaction and those of
   * the embedded database run to their end.
   */
  readonly endAfterMs?: number;
  /**
   * What runs before the statement, in the same transaction and sent in the same message, so that all of it takes one round trip:
   * none of it is stored unless the statement succeeds. Nobody is shown its rows. Only for single statements in a scope.
   */
  readonly after?: readonly PrecedingStatement[];
}

/** A statement that another one comes with. */
export interface PrecedingStatement {
  readonly sql: string;
  readonly parameters: readonly string[];
  /** As in `QueryOptions`. */
  readonly prepareAs: string;
}

export interface SqlTransaction extends SqlExecutor {
  /** From here on to the end of the transaction: for whom the accounts were found or made on the way. */
  enter(scope: SqlScope): Promise<void>;
}

/** Statements and transactions, all in one scope. */
export interface SqlSession extends SqlExecutor {
  /** Runs `work` in one transaction: committed when it resolves, rolled back when it throws. Nesting is not supported. */
  transaction<T>(work: (transaction: SqlTransaction) => Promise<T>, options?: TransactionOptions): Promise<T>;
}

export interface TransactionOptions {
  /** Only reads, and all of it sees the same moment. */
  readonly reads?: 'one snapshot';
}

/** The way to the rows of accounts. Whatever is not in the scope is not there: neither to be read nor to be written. */
export interface TenantSql {
  /** The work of these accounts. With none, nothing that belongs to an account can be seen. */
  forAccounts(...ids: readonly string[]): SqlSession;
  /** What is done across accounts or before the account is known, and for these accounts beside it. */
  forDuty(duty: Duty, ...accountIds: readonly string[]): SqlSession;
}

/**
 * The whole of it. Without a scope statements run as the role that the connection logged in as: for the server's
 * settings and for locks. With `forMaintenance` the owner of the tables sees their rows: for migrations and partitions.
 */
export interface SqlRunner extends SqlSession, TenantSql {
  forMaintenance(): SqlSession;
}
