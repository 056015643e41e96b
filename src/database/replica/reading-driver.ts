import { DatabaseError, DatabaseUnavailable, wasEndedAsAsked } from '../database-error.js';
import type { ScopeParameters } from '../isolation/scope.js';
import type { SqlDriver, SqlStatement } from '../scoped-sessions.js';
import type { SqlRow } from '../sql-runner.js';

/**
 * Failures that are not repeated on the primary: a write, which a standby refuses (25006), and a statement that reached the time limit
 * (57014), which would take as long there and double the work.
 */
const NOT_AGAIN: ReadonlySet<string> = new Set(['25006', '57014']);

type Failure = DatabaseError | DatabaseUnavailable;

/** Who is asked, and what is told of it. */
export interface Reads {
  /** Whether the replica may be asked now. */
  readonly isUsable: boolean;
  asked(server: 'replica' | 'primary'): void;
  /** The replica could not answer what it was asked. */
  failed(error: Failure): void;
}

/**
 * Asks the replica as long as it is near enough, else the primary; and the primary again whatever the replica could not
 * answer. Only for reads, which may be repeated: a write is refused by the replica, and is not tried elsewhere.
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
   * Has all statements of the work answered by one server, so that none of them knows what another does not know yet. The primary is
   * asked all of them again where the replica could not answer one.
   */
  async atOnce<T>(work: (driver: SqlDriver) => Promise<T>): Promise<T> {
    if (this.reads.isUsable) {
      const replica = new NotingDriver(this.replica);
      try {
        const answer = await work(replica);
        this.reads.asked('replica');
        return answer;
      } catch (error) {
        // What the work throws may be an error of its own that says as much.
        const { failure } = replica;
        if (failure === undefined || NOT_AGAIN.has(failure.code ?? '')) throw error;
        this.reads.failed(failure);
      }
    }
    this.reads.asked('primary');
    return work(this.primary);
  }
}

/** Notes down what a server could not answer. */
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
      if (isFailure && !wasEndedAsAsked(error, endAfterMs)) this.failure ??= error;
      throw error;
    }
  }
}
