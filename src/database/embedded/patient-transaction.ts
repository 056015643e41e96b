import { noAnswer } from '../database-error.js';
import type { EmbeddedDatabase, EmbeddedTransaction } from './embedded-database.js';

/**
 * A transaction with a deadline for each step. After the deadline, the caller gets an error at once; the database rolls back when the
 * transaction's turn comes.
 *
 * @param stepMs the deadline of each step; undefined: none
 * @param how the statements that begin it, and whether it goes before other work
 * @throws DatabaseUnavailable after a step without an answer
 */
export async function transactionWithin<T>(
  database: EmbeddedDatabase,
  stepMs: number | undefined,
  work: (transaction: EmbeddedTransaction) => Promise<T>,
  how: { readonly opening?: string; readonly isUrgent?: boolean } = {},
): Promise<T> {
  const patience = new Patience(stepMs);
  const result = database.transaction(
    async (transaction) => {
      patience.answered();
      const done = await work({
        query: async (...statement) => {
          patience.begin();
          const found = await transaction.query(...statement);
          patience.answered();
          return found;
        },
      });
      // Starts the deadline of the commit that follows.
      patience.begin();
      return done;
    },
    how.opening,
    how.isUrgent,
  );
  patience.begin();
  try {
    return await Promise.race([result, patience.isOver]);
  } catch (error) {
    result.catch(() => undefined);
    throw error;
  } finally {
    patience.end();
  }
}

/** The deadline of each step of a transaction. */
class Patience {
  /** Rejects as soon as a step exceeds the deadline. */
  readonly isOver: Promise<never>;
  private timer: NodeJS.Timeout | undefined;
  private giveUp!: (error: Error) => void;
  private hasGivenUp = false;

  constructor(private readonly stepMs: number | undefined) {
    this.isOver = new Promise<never>((_resolve, reject) => (this.giveUp = reject));
    this.isOver.catch(() => undefined);
  }

  /** Starts the deadline of the next step. */
  begin(): void {
    clearTimeout(this.timer);
    if (this.stepMs === undefined) return;
    this.timer = setTimeout(() => {
      this.hasGivenUp = true;
      this.giveUp(noAnswer());
    }, this.stepMs);
  }

  /** @throws DatabaseUnavailable if the deadline has passed: the following steps must not run */
  answered(): void {
    clearTimeout(this.timer);
    if (this.hasGivenUp) throw noAnswer();
  }

  end(): void {
    clearTimeout(this.timer);
  }
}
