import { DatabaseError, DatabaseUnavailable } from '../database/index.js';
import { PeriodicWork, TurnOver } from '../resilience/index.js';
import { ErasureTaken, ErasureUnreadable, type ClaimedErasure } from './erasures.js';
import { problemOf } from './problem-of.js';
import { runErasure, type ErasureParts } from './run-erasure.js';

const EVERY_MS = 1_000;
const AFTER_FAILURE_SECONDS = 60;
/** An erasure that has run this long in the log lets those of other accounts run: the log of its account may be large. */
const TURN_MS = 60_000;

export interface RunnerLog {
  error(about: object, message: string): void;
}

/** Runs waiting erasures, whose accounts take turns. Each is run by one replica at a time, under a lease that expires. */
export class ErasureRunner {
  private readonly work = new PeriodicWork(() => this.tick(), EVERY_MS);
  private readonly ending = new AbortController();
  private isAway = false;

  constructor(
    private readonly parts: ErasureParts,
    private readonly log: RunnerLog,
    private readonly turnMs = TURN_MS,
  ) {}

  start(): void {
    this.work.start();
    this.look();
  }

  /** Looks immediately, because there is new work. */
  look(): void {
    this.work.runNow();
  }

  /** Stops the running erasure between two steps and releases it to other processes. */
  async stop(): Promise<void> {
    this.ending.abort();
    // A request to its storage may take minutes.
    this.parts.archive.files?.store.end();
    await this.work.stop();
  }

  /** Never rejects: a failed erasure is retried. */
  private async tick(): Promise<void> {
    if (this.ending.signal.aborted) return;
    const { erasures } = this.parts;
    try {
      for (const accountId of await erasures.accountsWithWork()) {
        const job = await this.claim(accountId);
        if (job !== null) await this.run(job);
      }
      this.isAway = false;
    } catch (error) {
      if (!this.isAway) this.log.error(about(error), 'the search for pending erasures failed; retrying');
      this.isAway = true;
    }
  }

  /** An erasure that cannot be decrypted waits for its next attempt, and the others continue. */
  private async claim(accountId: string): Promise<ClaimedErasure | null> {
    try {
      return await this.parts.erasures.claim(accountId);
    } catch (error) {
      if (!(error instanceof ErasureUnreadable)) throw error;
      this.logFailure(error, error.id);
      return null;
    }
  }

  private async run(job: ClaimedErasure): Promise<void> {
    const { erasures } = this.parts;
    const beganMs = performance.now();
    const isTurnOver = (): boolean => performance.now() - beganMs >= this.turnMs;
    try {
      await runErasure(job, { ...this.parts, isTurnOver }, this.ending.signal);
    } catch (error) {
      if (error instanceof ErasureTaken) return;
      if (this.ending.signal.aborted || error instanceof TurnOver) return erasures.rest(job, 'running', 0);
      // An outage does not end the erasure: it is continued when its lease has expired. A statement that took too long is no outage: erasures
      // of other accounts continue.
      if (error instanceof DatabaseUnavailable && !error.isEnded) throw error;
      this.logFailure(error, job.id);
      await erasures.rest(job, 'running', AFTER_FAILURE_SECONDS, problemOf(error));
    }
  }

  private logFailure(error: unknown, erasure: string): void {
    this.log.error({ ...about(error), erasure }, 'a step of an erasure failed; it will be retried');
  }
}

function about(error: unknown): object {
  const code = error instanceof DatabaseUnavailable || error instanceof DatabaseError ? error.code : undefined;
  return { error: error instanceof Error ? error.name : typeof error, ...(code === undefined ? {} : { code }) };
}
