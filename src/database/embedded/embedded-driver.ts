import { toDatabaseError } from '../database-error.js';
import type { ScopeParameters } from '../isolation/scope.js';
import type { SqlDriver, SqlStatement } from '../scoped-sessions.js';
import type { SqlRow } from '../sql-runner.js';
import type { EmbeddedDatabase, EmbeddedResult } from './embedded-database.js';

/** Runs SQL on the embedded database. */
export class EmbeddedDriver implements SqlDriver {
  constructor(private readonly database: EmbeddedDatabase) {}

  run({ sql, parameters, prepareAs }: SqlStatement, scope?: ScopeParameters): Promise<SqlRow[]> {
    return rows(this.database.query(sql, parameters, prepareAs, scope));
  }

  async inTransaction<T>(
    opening: string,
    work: (execute: (statement: SqlStatement) => Promise<SqlRow[]>) => Promise<T>,
  ): Promise<T> {
    let failure: unknown;
    try {
      return await this.database.transaction(async (transaction) => {
        try {
          return await work(({ sql, parameters, prepareAs }) => rows(transaction.query(sql, parameters, prepareAs)));
        } catch (error) {
          failure = error;
          throw error;
        }
      }, opening);
    } catch (error) {
      // What `work` threw is the caller's own; only what the database threw is translated.
      throw error === failure ? error : toDatabaseError(error);
    }
  }
}

async function rows(result: Promise<EmbeddedResult>): Promise<SqlRow[]> {
  try {
    return (await result).rows;
  } catch (error) {
    throw toDatabaseError(error);
  }
}
