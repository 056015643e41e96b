import { DatabaseError, DatabaseUnavailable, wasEndedAtDeadline } from '../database-error.js';
import type { ScopeParameters } from '../isolation/scope.js';
import type { SqlDriver, SqlStatement } from '../scoped-sessions.js';
import type { SqlRow } from '../sql-runner.js';

/**
 * Failures that are not repeated on the primary: a write, which a standby refuses (25006), and a statement that reached the time limit
 * (57014), which would take as long there and double the load.
 */
const NOT_AGAIN: ReadonlySet<string> = new Set(['25006', '57014']);

type Failure = DatabaseError | DatabaseUnavailable;

/** The state of the replica, and callbacks about reads. */
export interface Reads {
  /** Whether the replica may be used now. */
  readonly isUsable: boolean;
  asked(server: 'replica' | 'primary'): void;
  /** Called when the replica could not answer a read. */
  failed(error: Failure): void;
}

/**
 * Sends reads to the replica while it is usable, otherwise to the primary, and repeats on the primary each read that the replica could
 * not answer. Only for reads, which can be repeated: the replica refuses a write, which is not repeated on the primary.
 */
export class ReadingDriver implements SqlDriver {
  constructor(
    private readonly replica: SqlDriver,
    private readonly primary: SqlDriver,
    private readonly reads: Reads,
  ) {}

  run(statement: SqlStatement, scope?: ScopeParameters): Promise<SqlRow[]> {
    return this.atOnce((driver) => driver.run(statement, scope));
  }

  inTransaction<T>(
    opening: SqlStatement,
    work: (execute: (statement: SqlStatement) => Promise<SqlRow[]>) => Promise<T>,
  ): Promise<T> {
    return this.atOnce((driver) => driver.inTransaction(opening, work));
  }

  /**
   * Runs all statements of `work` on one server, so that they see consistent data. If the replica could not answer one of them, all are
   * repeated on the primary.
   */
  async atOnce<T>(work: (driver: SqlDriver) => Promise<T>): Promise<T> {
    if (this.reads.isUsable) {
      const replica = new NotingDriver(this.replica);
      try {
        const answer = await work(replica);
        this.reads.asked('replica');
        return answer;
      } catch (error) {
        // `work` may have replaced the replica's failure with an error of its own.
        const { failure } = replica;
        if (failure === undefined || NOT_AGAIN.has(failure.code ?? '')) throw error;
        this.reads.failed(failure);
      }
    }
    this.reads.asked('primary');
    return work(this.primary);
  }
}

/** Remembers the first failure of a server. */
class NotingDriver implements SqlDriver {
  failure: Failure | undefined;

  constructor(private readonly driver: SqlDriver) {}

  run(statement: SqlStatement, scope?: ScopeParameters): Promise<SqlRow[]> {
    return this.noted(this.driver.run(statement, scope), statement.endAfterMs);
  }

  inTransaction<T>(
    opening: SqlStatement,
    work: (execute: (statement: SqlStatement) => Promise<SqlRow[]>) => Promise<T>,
  ): Promise<T> {
    return this.noted(this.driver.inTransaction(opening, work));
  }

  private async noted<T>(answer: Promise<T>, endAfterMs?: number): Promise<T> {
    try {
      return await answer;
    } catch (error) {
      const isFailure = error instanceof DatabaseError || error instanceof DatabaseUnavailable;
      if (isFailure && !wasEndedAtDeadline(error, endAfterMs)) this.failure ??= error;
      throw error;
    }
  }
}
