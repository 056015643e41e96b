import type { Duty } from './isolation/scope.js';
import { ENTER_MAINTENANCE, scopeParameters, scopeStatement, type ScopeParameters } from './isolation/scope.js';
import type {
  PrecedingStatement,
  QueryOptions,
  SqlExecutor,
  SqlParameter,
  SqlRow,
  SqlRunner,
  SqlSession,
  SqlTransaction,
} from './sql-runner.js';

/** The database operations that `SqlRunner` needs. Both throw errors made by `toDatabaseError`. */
export interface SqlDriver {
  /** Runs one statement. If a scope is given, scope and statement are sent in one message and run in one transaction. */
  run(statement: SqlStatement, scope?: ScopeParameters): Promise<SqlRow[]>;
  /** `opening` begins the transaction, in one message; its deadline also applies to COMMIT and ROLLBACK. */
  inTransaction<T>(
    opening: SqlStatement,
    work: (execute: (statement: SqlStatement) => Promise<SqlRow[]>) => Promise<T>,
  ): Promise<T>;
}

export interface SqlStatement {
  readonly sql: string;
  readonly parameters: readonly SqlParameter[];
  readonly prepareAs?: string;
  /** The approximate size in UTF-16 units; absent if small. */
  readonly size?: number;
  /** The time limit of the server: see `QueryOptions`. */
  readonly endAfterMs?: number;
  /** Statements that run before this one, in its transaction: see `QueryOptions`. */
  readonly after?: readonly PrecedingStatement[];
  /** The maximum time without a response. Default: the deadline of the driver. */
  readonly deadlineMs?: number;
}

/** Sending takes time, so the deadline is extended by a millisecond for this many UTF-16 units. */
const UNITS_PER_MS = 4096;

/**
 * `SqlRunner` on any driver.
 *
 * @param deadlineMs the deadline of each statement
 */
export function sqlRunner(base: SqlDriver, deadlineMs?: number): SqlRunner {
  const driver = deadlineMs === undefined ? base : withDeadline(base, deadlineMs);
  const plain = session((statement) => driver.run(statement), driver);
  const scoped = (accounts: readonly string[], duty?: Duty): SqlSession => {
    const scope = { accounts, ...(duty === undefined ? {} : { duty }) };
    const parameters = scopeParameters(scope);
    return session((statement) => driver.run(statement, parameters), driver, scopeStatement(scope));
  };
  return {
    ...plain,
    forAccounts: (...ids) => scoped(ids),
    forDuty: (duty, ...ids) => scoped(ids, duty),
    forMaintenance: () => {
      const inTransaction = ({ sql, parameters, ...options }: SqlStatement): Promise<SqlRow[]> =>
        maintained.transaction((open) => open.query(sql, parameters, options));
      const maintained: SqlSession = session(inTransaction, driver, ENTER_MAINTENANCE);
      return maintained;
    },
  };
}

function withDeadline(driver: SqlDriver, deadlineMs: number): SqlDriver {
  const within = (statement: SqlStatement): SqlStatement => ({
    ...statement,
    deadlineMs: deadlineMs + Math.ceil((statement.size ?? 0) / UNITS_PER_MS),
  });
  return {
    run: (statement, scope) => driver.run(within(statement), scope),
    inTransaction: (opening, work) =>
      driver.inTransaction(within(opening), (execute) => work((statement) => execute(within(statement)))),
  };
}

/** @param opening the SQL that runs at the start of each transaction */
function session(run: (statement: SqlStatement) => Promise<SqlRow[]>, driver: SqlDriver, opening = ''): SqlSession {
  return {
    ...executor(run),
    transaction: (work, { reads } = {}) => {
      const begin = reads === 'one snapshot' ? 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY' : 'BEGIN';
      return driver.inTransaction({ sql: `${begin}; ${opening}`, parameters: [] }, (execute) =>
        work(transaction(execute)),
      );
    },
  };
}

function transaction(execute: (statement: SqlStatement) => Promise<SqlRow[]>): SqlTransaction {
  return {
    ...executor(execute),
    async enter(scope) {
      await execute({ sql: scopeStatement(scope), parameters: [] });
    },
  };
}

function executor(run: (statement: SqlStatement) => Promise<SqlRow[]>): SqlExecutor {
  return {
    async query<Row extends SqlRow = SqlRow>(
      sql: string,
      parameters: readonly SqlParameter[] = [],
      options: QueryOptions = {},
    ): Promise<Row[]> {
      return (await run({ sql, parameters, ...options })) as unknown as Row[];
    },
  };
}
