import { toDatabaseError } from '../database-error.js';
import type { QueryOptions, SqlExecutor, SqlParameter, SqlRow, SqlRunner } from '../sql-runner.js';
import type { EmbeddedDatabase, EmbeddedResult } from './embedded-database.js';

type Run = (sql: string, parameters: readonly unknown[], prepareAs?: string) => Promise<EmbeddedResult>;

/** `SqlRunner` on the embedded database. */
export class EmbeddedRunner implements SqlRunner {
  private readonly alone: SqlExecutor;

  constructor(private readonly database: EmbeddedDatabase) {
    this.alone = executor((sql, parameters, prepareAs) => database.query(sql, parameters, prepareAs));
  }

  query<Row extends SqlRow = SqlRow>(...request: Parameters<SqlExecutor['query']>): Promise<Row[]> {
    return this.alone.query<Row>(...request);
  }

  async transaction<T>(work: (transaction: SqlExecutor) => Promise<T>): Promise<T> {
    let failure: unknown;
    try {
      return await this.database.transaction(async (transaction) => {
        try {
          return await work(executor((sql, parameters, prepareAs) => transaction.query(sql, parameters, prepareAs)));
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

function executor(run: Run): SqlExecutor {
  return {
    async query<Row extends SqlRow = SqlRow>(
      sql: string,
      parameters: readonly SqlParameter[] = [],
      options: QueryOptions = {},
    ): Promise<Row[]> {
      try {
        return (await run(sql, parameters, options.prepareAs)).rows as unknown as Row[];
      } catch (error) {
        throw toDatabaseError(error);
      }
    },
  };
}
