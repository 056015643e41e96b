import { DatabaseError, DatabaseUnavailable } from './database-error.js';
import type { SqlDriver, SqlStatement } from './scoped-sessions.js';
import type { ScopeParameters } from './isolation/scope.js';
import type { SqlRow } from './sql-runner.js';

/**
 * SQLSTATEs of damaged data: internal errors such as a damaged page or index (XX), and files that are missing or cannot be read (58).
 * https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
const DAMAGE = /^(XX|58)/;
/** A server that is not ready gets no calls, so a failure must be forgotten even if the statement is not repeated. */
const REMEMBERED_MS = 5_000;

interface Failure {
  readonly code: string;
  readonly atMs: number;
}

/**
 * A driver that remembers the statements whose last run has failed because of damaged data. A probe cannot find such damage itself, because
 * it does not read the tables that calls use.
 */
export class DamageWatch implements SqlDriver {
  private readonly failures = new Map<string, Failure>();

  /** @param nowMs monotonic milliseconds */
  constructor(
    private readonly driver: SqlDriver,
    private readonly nowMs: () => number = () => performance.now(),
  ) {}

  /** The SQLSTATE of a recent failure; undefined if there was none, or if the same statement has succeeded since. */
  get code(): string | undefined {
    this.forgetOld();
    return this.failures.values().next().value?.code;
  }

  run(statement: SqlStatement, scope?: ScopeParameters): Promise<SqlRow[]> {
    return this.watched(statement, () => this.driver.run(statement, scope));
  }

  inTransaction<T>(
    opening: SqlStatement,
    work: (execute: (statement: SqlStatement) => Promise<SqlRow[]>) => Promise<T>,
  ): Promise<T> {
    // COMMIT is not a statement of `work`, so the whole transaction is watched as well.
    return this.watched(opening, () =>
      this.driver.inTransaction(opening, (execute) =>
        work((statement) => this.watched(statement, () => execute(statement))),
      ),
    );
  }

  private async watched<T>({ sql, prepareAs = sql }: SqlStatement, work: () => Promise<T>): Promise<T> {
    try {
      const result = await work();
      if (this.failures.size > 0) this.failures.delete(prepareAs);
      return result;
    } catch (error) {
      const code = error instanceof DatabaseError || error instanceof DatabaseUnavailable ? error.code : undefined;
      if (code !== undefined && DAMAGE.test(code)) {
        this.forgetOld();
        this.failures.set(prepareAs, { code, atMs: this.nowMs() });
      }
      throw error;
    }
  }

  private forgetOld(): void {
    const sinceMs = this.nowMs() - REMEMBERED_MS;
    for (const [statement, { atMs }] of this.failures) if (atMs < sinceMs) this.failures.delete(statement);
  }
}
