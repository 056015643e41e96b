/**
 * The narrow interface through which all hot-path SQL goes: one statement with `$1` parameters, on PostgreSQL and on
 * the embedded database alike. It knows no entity and no feature; what needs objects uses the EntityManager.
 */

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
}

export interface SqlRunner extends SqlExecutor {
  /** Runs `work` in one transaction: committed when it resolves, rolled back when it throws. Nesting is not supported. */
  transaction<T>(work: (transaction: SqlExecutor) => Promise<T>): Promise<T>;
}
