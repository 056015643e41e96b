import { setTimeout as delay } from 'node:timers/promises';
import { DatabaseUnavailable, noAnswer } from './database-error.js';
import type { SqlDriver, SqlStatement } from './scoped-sessions.js';
import type { ScopeParameters } from './isolation/scope.js';
import type { SqlRow } from './sql-runner.js';

/** The interval between two checks whether the database answers again. */
const ASK_EVERY_MS = 200;

/**
 * Tracks whether the database answers. After one missed deadline, all statements are refused at once, so that no caller waits for a
 * database that is unavailable; the watch itself polls until the database answers again.
 */
export class AnswerWatch {
  private asking: Promise<void> | undefined;
  private isAway = false;
  /** The time at which the last answered poll was sent, in monotonic milliseconds. */
  private answeredMs = -Infinity;
  private closed = false;

  /** @param answers polls the database once: resolves if it answered, rejects if it did not */
  constructor(private readonly answers: () => Promise<void>) {}

  /** False from the first missed deadline until the database answers again. */
  get isAnswering(): boolean {
    return this.asking === undefined;
  }

  /** False while the database does not answer, and from the first statement that reached no server until a statement is answered. */
  get isThere(): boolean {
    return this.isAnswering && !this.isAway;
  }

  /**
   * Call this when a statement was answered, or reached no server. After a failure to reach a server, further statements are still sent,
   * because such a failure costs no time.
   */
  found(isThere: boolean): void {
    this.isAway = !isThere;
  }

  /** @throws DatabaseUnavailable while the database is known not to answer */
  admit(): void {
    if (!this.isAnswering) throw noAnswer();
  }

  /**
   * Call this when a statement missed its deadline. The call is ignored if the statement was sent before the last answered poll.
   * @param sentMs monotonic milliseconds
   */
  missed(sentMs: number): void {
    if (this.closed || sentMs <= this.answeredMs) return;
    this.asking ??= this.ask().finally(() => {
      this.asking = undefined;
    });
  }

  close(): void {
    this.closed = true;
  }

  private async ask(): Promise<void> {
    while (!this.closed) {
      const sentMs = performance.now();
      try {
        await this.answers();
        this.answeredMs = sentMs;
        this.found(true);
        return;
      } catch {
        await delay(ASK_EVERY_MS, undefined, { ref: false });
      }
    }
  }
}

/** A driver that sends no statements while the database does not answer. */
export class WatchedDriver implements SqlDriver {
  constructor(
    private readonly driver: SqlDriver,
    private readonly watch: AnswerWatch,
  ) {}

  run(statement: SqlStatement, scope?: ScopeParameters): Promise<SqlRow[]> {
    return this.watched(() => this.driver.run(statement, scope));
  }

  inTransaction<T>(
    opening: SqlStatement,
    work: (execute: (statement: SqlStatement) => Promise<SqlRow[]>) => Promise<T>,
  ): Promise<T> {
    return this.watched(() => this.driver.inTransaction(opening, work));
  }

  private async watched<T>(work: () => Promise<T>): Promise<T> {
    this.watch.admit();
    const sentMs = performance.now();
    try {
      const result = await work();
      this.watch.found(true);
      return result;
    } catch (error) {
      if (error instanceof DatabaseUnavailable && error.isAbsence) this.watch.found(false);
      if (error instanceof DatabaseUnavailable && error.isSilence) this.watch.missed(sentMs);
      throw error;
    }
  }
}
