import type { DatabaseError, DatabaseUnavailable } from '../database-error.js';
import { toDatabaseError } from '../database-error.js';
import type { SqlExecutor, SqlParameter, SqlRow, SqlRunner } from '../sql-runner.js';
import type { EmbeddedDatabase, EmbeddedResult } from './embedded-database.js';

type Run = (sql: string, parameters: readonly unknown[]) => Promise<EmbeddedResult>;

/** `SqlRunner` on the embedded database. `prepareAs` has no meaning here: PGlite parses each statement anew. */
export class EmbeddedRunner implements SqlRunner {
  constructor(private readonly database: EmbeddedDatabase) {}

  query<Row extends SqlRow = SqlRow>(sql: string, parameters: readonly SqlParameter[] = []): Promise<Row[]> {
    return run<Row>((text, values) => this.database.query(text, values), sql, parameters);
  }

  async transaction<T>(work: (transaction: SqlExecutor) => Promise<T>): Promise<T> {
    let failure: unknown;
    try {
      return await this.database.transaction(async (transaction) => {
        try {
          return await work({
            query: <Row extends SqlRow = SqlRow>(sql: string, parameters: readonly SqlParameter[] = []) =>
              run<Row>((text, values) => transaction.query(text, values), sql, parameters),
          });
        } catch (error) {
          failure = error;
          throw error;
        }
      });
    } catch (error) {
      // What `work` threw is the caller's own; only what the database threw is translated.
      throw error === failure ? error : toDatabaseError(error);
    }
  }
}

async function run<Row extends SqlRow>(send: Run, sql: string, parameters: readonly SqlParameter[]): Promise<Row[]> {
  try {
    return (await send(sql, parameters)).rows as unknown as Row[];
  } catch (error) {
    throw toDatabaseError(error) satisfies DatabaseError | DatabaseUnavailable;
  }
}
