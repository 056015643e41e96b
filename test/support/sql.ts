/** Stand-ins for the way to the database. */
import type { SqlRunner, SqlSession } from '../../src/database/index.js';

/** One session for every scope. */
export function everyScope(session: SqlSession): SqlRunner {
  return {
    query: (...request) => session.query(...request),
    transaction: (work) => session.transaction(work),
    forAccounts: () => session,
    forDuty: () => session,
    forMaintenance: () => session,
  };
}

/** The same database behind something that is told of each session. */
export function eachSession(inner: SqlRunner, wrap: (session: SqlSession) => SqlSession): SqlRunner {
  return {
    ...wrap(inner),
    forAccounts: (...ids) => wrap(inner.forAccounts(...ids)),
    forDuty: (duty, ...ids) => wrap(inner.forDuty(duty, ...ids)),
    forMaintenance: () => wrap(inner.forMaintenance()),
  };
}

/** A database that answers nobody. */
export function goneSql(): SqlRunner {
  return everyScope({
    query: () => Promise.reject(new Error('gone')),
    transaction: () => Promise.reject(new Error('gone')),
  });
}
