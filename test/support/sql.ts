/** Stand-ins for access to the database. */
import type { SqlRunner, SqlSession } from '../../src/database/index.js';

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

/** A database on which every statement fails. */
export function goneSql(): SqlRunner {
  return everyScope({
    query: () => Promise.reject(new Error('gone')),
    transaction: () => Promise.reject(new Error('gone')),
  });
}
