import type { DatabaseFigures } from '../database-figures.js';
import { toDatabaseError } from '../database-error.js';
import { within } from '../deadline.js';
import type { DefaultDeadline } from '../default-deadline.js';
import type { ScopeParameters } from '../isolation/scope.js';
import type { SqlDriver, SqlStatement } from '../scoped-sessions.js';
import type { SqlRow } from '../sql-runner.js';
import type { EmbeddedDatabase, EmbeddedResult, EmbeddedTransaction } from './embedded-database.js';
import { transactionWithin } from './patient-transaction.js';

/** Runs SQL on the embedded database. */
export class EmbeddedDriver implements SqlDriver {
  constructor(
    private readonly database: EmbeddedDatabase,
    private readonly figures: DatabaseFigures,
    /** Of statements that bring none. */
    private readonly defaultDeadline: DefaultDeadline,
  ) {}

  run(statement: SqlStatement, scope?: ScopeParameters): Promise<SqlRow[]> {
    return this.figures.running(
      within(statement.deadlineMs ?? this.defaultDeadline.ms, rows(this.asked(statement, scope))),
    );
  }

  private asked(statement: SqlStatement, scope?: ScopeParameters): Promise<EmbeddedResult> {
    const { sql, parameters, prepareAs, after } = statement;
    return this.database.query(sql, parameters, prepareAs, scope === undefined ? undefined : { scope, after });
  }

  /** Resolves when the database has done what it was asked before and answers again. @throws DatabaseUnavailable */
  async answers(): Promise<void> {
    await this.run({ sql: 'SELECT 1', parameters: [] });
  }

  /** A caller whose deadline passes is told at once; the database rolls back when it comes to it. */
  async inTransaction<T>(
    { sql: opening, deadlineMs = this.defaultDeadline.ms }: SqlStatement,
    work: (execute: (statement: SqlStatement) => Promise<SqlRow[]>) => Promise<T>,
  ): Promise<T> {
    let failure: unknown;
    const workIn = async (transaction: EmbeddedTransaction): Promise<T> => {
      try {
        return await work(({ sql, parameters, prepareAs }) =>
          this.figures.running(rows(transaction.query(sql, parameters, prepareAs))),
        );
      } catch (error) {
        failure = error;
        throw error;
      }
    };
    try {
      return await transactionWithin(this.database, deadlineMs, workIn, opening);
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
