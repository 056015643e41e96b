import { DatabaseError, DatabaseUnavailable } from '../database-error.js';
import type { ScopeParameters } from '../isolation/scope.js';
import type { SqlDriver, SqlStatement } from '../scoped-sessions.js';
import type { SqlRow } from '../sql-runner.js';

/** What a standby answers to whoever wants to write. */
const READ_ONLY = '25006';

/** Who is asked, and what is told of it. */
export interface Reads {
  /** Whether the replica may be asked now. */
  readonly isUsable: boolean;
  asked(server: 'replica' | 'primary'): void;
  /** The replica could not answer what it was asked. */
  failed(error: DatabaseError | DatabaseUnavailable): void;
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
    return this.ask((driver) => driver.run(statement, scope));
  }

  inTransaction<T>(
    opening: SqlStatement,
    work: (execute: (statement: SqlStatement) => Promise<SqlRow[]>) => Promise<T>,
  ): Promise<T> {
    return this.ask((driver) => driver.inTransaction(opening, work));
  }

  private async ask<T>(question: (driver: SqlDriver) => Promise<T>): Promise<T> {
    if (this.reads.isUsable) {
      try {
        const answer = await question(this.replica);
        this.reads.asked('replica');
        return answer;
      } catch (error) {
        if (!(error instanceof DatabaseError || error instanceof DatabaseUnavailable)) throw error;
        if (error.code === READ_ONLY) throw error;
        this.reads.failed(error);
      }
    }
    this.reads.asked('primary');
    return question(this.primary);
  }
}
