import { DatabaseError, DatabaseUnavailable } from '../database/index.js';
import { PeriodicWork, TurnOver } from '../resilience/index.js';
import { ErasureTaken, ErasureUnreadable, type ClaimedErasure } from './erasures.js';
import { problemOf } from './problem-of.js';
import { runErasure, type ErasureParts } from './run-erasure.js';

const EVERY_MS = 1_000;
const AFTER_FAILURE_SECONDS = 60;
/** An erasure that has run this long lets those of other accounts run: the log and the archive of its account may be large. */
const TURN_MS = 60_000;

export interface RunnerLog {
  error(about: object, message: string): void;
}

/**
 * An erasure that works here until it has ended or gives way. In the archive it cannot be released in between, since a resumed erasure
 * begins again with the first part.
 */
class Run {
  private readonly ended: Promise<void>;
  private hasEnded = false;
  private pausing = Promise.withResolvers<undefined>();
  private resuming: PromiseWithResolvers<undefined> | undefined;

  constructor(
    readonly accountId: string,
    work: (pause: () => Promise<void>) => Promise<void>,
  ) {
    // It begins after the caller has begun the first turn.
    this.ended = Promise.resolve()
      .then(() => work(() => this.pause()))
      .finally(() => {
        this.hasEnded = true;
      });
    // `turn` throws the error.
    this.ended.catch(() => undefined);
  }

  /** Lets it work. @returns whether it has given way and needs another turn @throws its error */
  async turn(): Promise<boolean> {
    if (this.resuming !== undefined) {
      this.pausing = Promise.withResolvers();
      this.resuming.resolve(undefined);
      this.resuming = undefined;
    }
    await Promise.race([this.ended, this.pausing.promise]);
    return !this.hasEnded;
  }

  private async pause(): Promise<void> {
    this.resuming = Promise.withResolvers();
    this.pausing.resolve(undefined);
    await this.resuming.promise;
  }
}

/** Runs waiting erasures, whose accounts take turns. Each is run by one replica at a time, under a lease that expires. */
export class ErasureRunner {
  private readonly work = new PeriodicWork(() => this.tick(), EVERY_MS);
  private readonly ending = new AbortController();
  /** Erasures in the archive that wait for their next turn, in order. */
  private readonly aside: Run[] = [];
  private isAway = false;

  /** @param erase for tests: replaces the erasure */
  constructor(
    private readonly parts: ErasureParts,
    private readonly log: RunnerLog,
    private readonly turnMs = TURN_MS,
    private readonly erase: typeof runErasure = runErasure,
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
    // Those that wait learn of the end when they continue.
    for (let run = this.aside.shift(); run !== undefined; run = this.aside.shift())
      await this.turn(run).catch(() => undefined);
  }

  /** Never rejects: a failed erasure is retried. */
  private async tick(): Promise<void> {
    const { signal } = this.ending;
    try {
      do {
        if (signal.aborted) return;
        await this.beginNew(signal);
        for (let waiting = this.aside.length; waiting > 0 && !signal.aborted; waiting -= 1)
          await this.turn(this.aside.shift()!);
        this.isAway = false;
      } while (this.aside.length > 0);
    } catch (error) {
      if (!this.isAway) this.log.error(about(error), 'the search for pending erasures failed; retrying');
      this.isAway = true;
    }
  }

  /**
   * Claims one erasure of each account, and lets it have its first turn. Those of one account follow each other: each writes parts of its
   * archive anew, and the next one would have to begin again.
   */
  private async beginNew(signal: AbortSignal): Promise<void> {
    for (const accountId of await this.parts.erasures.accountsWithWork()) {
      if (this.aside.some((run) => run.accountId === accountId)) continue;
      const job = signal.aborted ? null : await this.claim(accountId);
      if (job !== null) await this.turn(new Run(accountId, (pause) => this.run(job, pause)));
    }
  }

  /** @throws the error of the erasure, which has ended then */
  private async turn(run: Run): Promise<void> {
    if (await run.turn()) this.aside.push(run);
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

  /** @param pause resolves at the beginning of the next turn */
  private async run(job: ClaimedErasure, pause: () => Promise<void>): Promise<void> {
    const { erasures } = this.parts;
    let beganMs = performance.now();
    const isTurnOver = (): boolean => performance.now() - beganMs >= this.turnMs;
    const giveWay = async (): Promise<void> => {
      if (!isTurnOver() || this.ending.signal.aborted) return;
      await pause();
      beganMs = performance.now();
    };
    try {
      await this.erase(job, { ...this.parts, isTurnOver, giveWay }, this.ending.signal);
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
