/** Stand-ins for access to the database. */
import type { SqlExecutor, SqlRow, SqlRunner, SqlSession } from '../../src/database/index.js';

/** A runner with one session for every scope. */
export function everyScope(session: SqlSession): SqlRunner {
  return {
    query: (...request) => session.query(...request),
    transaction: (work) => session.transaction(work),
    forAccounts: () => session,
    forDuty: () => session,
    forMaintenance: () => session,
  };
}

/** The given runner with a wrapper around each of its sessions. */
export function eachSession(inner: SqlRunner, wrap: (session: SqlSession) => SqlSession): SqlRunner {
  return {
    ...wrap(inner),
    forAccounts: (...ids) => wrap(inner.forAccounts(...ids)),
    forDuty: (duty, ...ids) => wrap(inner.forDuty(duty, ...ids)),
    forMaintenance: () => wrap(inner.forMaintenance()),
  };
}

/** The given runner, which calls `before` with the text of each statement before it runs it, also in transactions. */
export function eachStatement(inner: SqlRunner, before: (statement: string) => Promise<unknown> | void): SqlRunner {
  const watched = <Executor extends SqlExecutor>(executor: Executor): Executor => ({
    ...executor,
    query: async <Row extends SqlRow>(...request: Parameters<SqlExecutor['query']>): Promise<Row[]> => {
      await before(request[0]);
      return executor.query<Row>(...request);
    },
  });
  return eachSession(inner, (session) => ({
    ...watched(session),
    transaction: (work, options) => session.transaction((transaction) => work(watched(transaction)), options),
  }));
}

/** A database on which every statement fails. */
export function goneSql(): SqlRunner {
  return everyScope({
    query: () => Promise.reject(new Error('gone')),
    transaction: () => Promise.reject(new Error('gone')),
  });
}
