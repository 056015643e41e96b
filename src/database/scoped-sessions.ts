import type { Duty } from './isolation/scope.js';
import { ENTER_MAINTENANCE, scopeParameters, scopeStatement, type ScopeParameters } from './isolation/scope.js';
import type {
  QueryOptions,
  SqlExecutor,
  SqlParameter,
  SqlRow,
  SqlRunner,
  SqlSession,
  SqlTransaction,
} from './sql-runner.js';

/** What a database has to be able to do for `SqlRunner`. Both throw what `toDatabaseError` makes. */
export interface SqlDriver {
  /** One statement; with a scope, both in one transaction and in one message to the database. */
  run(statement: SqlStatement, scope?: ScopeParameters): Promise<SqlRow[]>;
  /** `opening` begins the transaction, in one message. */
  inTransaction<T>(
    opening: string,
    work: (execute: (statement: SqlStatement) => Promise<SqlRow[]>) => Promise<T>,
  ): Promise<T>;
}

export interface SqlStatement {
  readonly sql: string;
  readonly parameters: readonly SqlParameter[];
  readonly prepareAs?: string;
}

/** `SqlRunner` on any driver. */
export function sqlRunner(driver: SqlDriver): SqlRunner {
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
      const inTransaction = ({ sql, parameters, prepareAs }: SqlStatement): Promise<SqlRow[]> =>
        maintained.transaction((open) => open.query(sql, parameters, prepareAs === undefined ? {} : { prepareAs }));
      const maintained: SqlSession = session(inTransaction, driver, ENTER_MAINTENANCE);
      return maintained;
    },
  };
}

/** @param opening what a transaction does before anything else */
function session(run: (statement: SqlStatement) => Promise<SqlRow[]>, driver: SqlDriver, opening = ''): SqlSession {
  return {
    ...executor(run),
    transaction: (work, { reads } = {}) => {
      const begin = reads === 'one snapshot' ? 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY' : 'BEGIN';
      return driver.inTransaction(`${begin}; ${opening}`, (execute) => work(transaction(execute)));
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
      { prepareAs }: QueryOptions = {},
    ): Promise<Row[]> {
      return (await run({ sql, parameters, ...(prepareAs === undefined ? {} : { prepareAs }) })) as unknown as Row[];
    },
  };
}
