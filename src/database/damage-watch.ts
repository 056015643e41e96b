import { DatabaseError, DatabaseUnavailable } from './database-error.js';
import type { SqlDriver, SqlStatement } from './scoped-sessions.js';
import type { ScopeParameters } from './isolation/scope.js';
import type { SqlRow } from './sql-runner.js';

/**
 * SQLSTATEs of damaged data: internal errors such as a damaged page or index (XX), and files that are missing or cannot be read (58).
 * https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
const DAMAGE = /^(XX|58)/;
/**
 * A server that is not ready gets no calls, so a failure counts only for a time, after which calls try the statement again. The time
 * doubles with each failure of the same statement: a server with a damaged log is ready for a moment now and then, to find out whether the
 * log has been repaired.
 */
const SHORTEST_MS = 5_000;
const LONGEST_MS = 60_000;
/** A statement that nobody has repeated for this long is forgotten. */
const FORGOTTEN_MS = 600_000;

interface Failure {
  readonly code: string;
  readonly atMs: number;
  /** The time for which the failure counts. */
  readonly countsMs: number;
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

  /** The SQLSTATE of a failure that still counts; undefined if there is none, or if the same statement has succeeded since. */
  get code(): string | undefined {
    const nowMs = this.nowMs();
    for (const { code, atMs, countsMs } of this.failures.values()) if (nowMs - atMs <= countsMs) return code;
    return undefined;
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
      if (code !== undefined && DAMAGE.test(code)) this.remember(prepareAs, code);
      throw error;
    }
  }

  private remember(statement: string, code: string): void {
    const nowMs = this.nowMs();
    for (const [each, { atMs }] of this.failures) if (nowMs - atMs > FORGOTTEN_MS) this.failures.delete(each);
    this.failures.set(statement, { code, atMs: nowMs, countsMs: nextCount(this.failures.get(statement), nowMs) });
  }
}

/** The time for which a new failure counts. Calls that were under way when the last one was met do not lengthen it. */
function nextCount(last: Failure | undefined, nowMs: number): number {
  if (last === undefined) return SHORTEST_MS;
  return nowMs - last.atMs <= last.countsMs ? last.countsMs : Math.min(2 * last.countsMs, LONGEST_MS);
}
