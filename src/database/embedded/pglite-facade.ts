import { noAnswer } from '../database-error.js';
import { within } from '../deadline.js';
import type { EmbeddedDatabase, EmbeddedResult } from './embedded-database.js';
import type { DefaultDeadline } from '../default-deadline.js';

/** The transaction on which Kysely, below the EntityManager, runs statements. */
interface FacadeTransaction {
  query(sql: string, parameters?: unknown[]): Promise<EmbeddedResult>;
}

/** The parts of PGlite's interface that the EntityManager's driver uses, answered by the database's own thread. */
export function pgliteFacade(database: EmbeddedDatabase, deadline: DefaultDeadline) {
  return {
    ready: true,
    waitReady: Promise.resolve(),
    get closed() {
      return database.closed;
    },
    query: (sql: string, parameters?: unknown[]) => within(deadline.ms, database.query(sql, parameters)),
    exec: (sql: string) => within(deadline.ms, database.script(sql)),
    transaction: <T>(work: (transaction: FacadeTransaction) => Promise<T>) => transaction(database, deadline.ms, work),
    close: () => Promise.resolve(),
  };
}

/**
 * Kysely waits until `work` is called, even if the transaction fails, and reads the result only after `work` has ended. So if a
 * transaction cannot begin in time, `work` is called with statements that fail; and the transaction never fails while `work` runs.
 */
async function transaction<T>(
  database: EmbeddedDatabase,
  stepMs: number | undefined,
  work: (transaction: FacadeTransaction) => Promise<T>,
): Promise<T> {
  const [begin, end] = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()];
  let isGivenUp = false;
  const result = database.transaction(async (open) => {
    if (isGivenUp) throw noAnswer();
    begin.resolve(undefined);
    try {
      return await work({ query: (sql, parameters) => within(stepMs, open.query(sql, parameters)) });
    } finally {
      end.resolve(undefined);
    }
  });
  result.catch(() => undefined);
  try {
    await within(stepMs, Promise.race([begin.promise, result]));
  } catch (error) {
    isGivenUp = true;
    await work({ query: () => Promise.reject(error as Error) }).catch(() => undefined);
    throw error;
  }
  await end.promise;
  return within(stepMs, result);
}
