import type { DatabaseFigures } from '../database-figures.js';
import { noAnswer, toDatabaseError } from '../database-error.js';
import { within } from '../deadline.js';
import type { ScopeParameters } from '../isolation/scope.js';
import type { SqlDriver, SqlStatement } from '../scoped-sessions.js';
import type { SqlRow } from '../sql-runner.js';
import type { EmbeddedDatabase, EmbeddedResult } from './embedded-database.js';

/** Runs SQL on the embedded database. */
export class EmbeddedDriver implements SqlDriver {
  constructor(
    private readonly database: EmbeddedDatabase,
    private readonly figures: DatabaseFigures,
  ) {}

  run(statement: SqlStatement, scope?: ScopeParameters): Promise<SqlRow[]> {
    return this.figures.running(within(statement.deadlineMs, rows(this.asked(statement, scope))));
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
    { sql: opening, deadlineMs }: SqlStatement,
    work: (execute: (statement: SqlStatement) => Promise<SqlRow[]>) => Promise<T>,
  ): Promise<T> {
    const patience = new Patience(deadlineMs);
    let failure: unknown;
    const result = this.database.transaction(async (transaction) => {
      try {
        patience.answered();
        const done = await work(async ({ sql, parameters, prepareAs }) => {
          patience.begin();
          const found = await this.figures.running(rows(transaction.query(sql, parameters, prepareAs)));
          patience.answered();
          return found;
        });
        // For the commit that follows.
        patience.begin();
        return done;
      } catch (error) {
        failure = error;
        throw error;
      }
    }, opening);
    patience.begin();
    try {
      return await Promise.race([result, patience.isOver]);
    } catch (error) {
      result.catch(() => undefined);
      // What `work` threw is the caller's own; only what the database threw is translated.
      throw error === failure ? error : toDatabaseError(error);
    } finally {
      patience.end();
    }
  }
}

/** How long a caller waits for each step of its transaction. */
class Patience {
  /** Rejects as soon as a step takes longer. */
  readonly isOver: Promise<never>;
  private timer: NodeJS.Timeout | undefined;
  private giveUp!: (error: Error) => void;
  private hasGivenUp = false;

  constructor(private readonly stepMs: number | undefined) {
    this.isOver = new Promise<never>((_resolve, reject) => (this.giveUp = reject));
    this.isOver.catch(() => undefined);
  }

  /** The next step is asked for. */
  begin(): void {
    clearTimeout(this.timer);
    if (this.stepMs === undefined) return;
    this.timer = setTimeout(() => {
      this.hasGivenUp = true;
      this.giveUp(noAnswer());
    }, this.stepMs);
  }

  /** @throws DatabaseUnavailable when nobody waits for it any more: what follows is not to be done */
  answered(): void {
    clearTimeout(this.timer);
    if (this.hasGivenUp) throw noAnswer();
  }

  end(): void {
    clearTimeout(this.timer);
  }
}

async function rows(result: Promise<EmbeddedResult>): Promise<SqlRow[]> {
  try {
    return (await result).rows;
  } catch (error) {
    throw toDatabaseError(error);
  }
}
