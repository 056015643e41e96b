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
    /** The deadline of statements without their own. */
    private readonly defaultDeadline: DefaultDeadline,
  ) {}

  run(statement: SqlStatement, scope?: ScopeParameters): Promise<SqlRow[]> {
    return this.figures.running(
      within(statement.deadlineMs ?? this.defaultDeadline.ms, rows(this.asked(statement, scope))),
    );
  }

  private asked(statement: SqlStatement, scope?: ScopeParameters): Promise<EmbeddedResult> {
    const { sql, parameters, prepareAs, after, deadlineMs } = statement;
    const within = scope === undefined ? undefined : { scope, after };
    return this.database.query(sql, parameters, prepareAs, within, deadlineMs !== undefined);
  }

  /** Resolves when the database answers a statement for which no call waits: calls may go before it. @throws DatabaseUnavailable */
  async answers(): Promise<void> {
    await this.run({ sql: 'SELECT 1', parameters: [] });
  }

  /** A caller whose deadline passes gets an error at once; the database rolls back when the transaction's turn comes. */
  async inTransaction<T>(
    { sql: opening, deadlineMs: ownMs }: SqlStatement,
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
      const urgency = { opening, isUrgent: ownMs !== undefined };
      return await transactionWithin(this.database, ownMs ?? this.defaultDeadline.ms, workIn, urgency);
    } catch (error) {
      // An error of `work` itself is passed on unchanged; only errors of the database are converted.
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
