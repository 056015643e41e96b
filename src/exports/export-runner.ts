import { LRUCache } from 'lru-cache';
import { DatabaseUnavailable } from '../database/index.js';
import { EventLogUnavailable, type EventReader } from '../events/index.js';
import { WeirError } from '../http/index.js';
import { PeriodicWork, TurnOver } from '../resilience/index.js';
import { ExportRefused, ExportTaken, mayBeResumed, UploadLost } from './export-errors.js';
import type { ExportExpiry } from './export-expiry.js';
import type { ClaimedJob } from './export-job.js';
import { LEASE_SECONDS, MAX_RUNNING } from './export-jobs.js';
import { runExport, type RunParts } from './run-export.js';
import { S3Refused } from '../object-storage/index.js';
import type { ExportSchedules } from './schedules/export-schedules.js';

const EVERY_MS = 2_000;
/** Maximum number of exports that one process runs at once, for all accounts. */
const MAX_HERE = 2;
/** Maximum number of further exports that wait for a place, each with some megabytes of a part for a bucket. */
const MAX_PAUSED = 8;
/** An export that has run this long gives its place to another account that waits: its bucket may be slow, or its file large. */
const TURN_MS = 60_000;
/** Accounts whose last turn is remembered. */
const KNOWN_TURNS = 10_000;

export interface RunnerLog {
  error(about: object, message: string): void;
}

/** The parts of a run that are the same for all runs of a process. */
interface RunnerParts extends Omit<RunParts, 'reader' | 'isTurnOver' | 'giveWay' | 'settle'> {
  readonly expiry: Pick<ExportExpiry, 'expire'>;
}

interface Run {
  readonly accountId: string;
  readonly end: AbortController;
  readonly ended: Promise<void>;
  /** Set while it has given its place to another one: lets it continue. */
  resume: (() => void) | undefined;
}

/**
 * Looks for due schedules and for jobs that no process works on, and runs them: one replica per job, with a lease that expires. Accounts
 * take turns, so that no account delays the exports of others with the number, size or destination of its own.
 */
export class ExportRunner {
  private readonly runs = new Map<string, Run>();
  /** A number for each account that grows with every job that it begins here. */
  private readonly lastTurns = new LRUCache<string, number>({ max: KNOWN_TURNS });
  private turns = 0;
  /** Whether an account without a run here has work, and there is no place for it. */
  private isAwaited = false;
  private readonly work = new PeriodicWork(() => this.tick(), EVERY_MS);
  private isEnding = false;
  private isAway = false;

  constructor(
    private readonly parts: RunnerParts,
    /**
     * Returns a reader of everything acknowledged before the call, including an erasure made while the export was queued. The signal
     * aborts the wait for it.
     */
    private readonly readerUpToNow: (signal: AbortSignal) => Promise<EventReader>,
    private readonly schedules: ExportSchedules,
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

  /** Aborts this process's run of a job that it must not continue, such as a cancelled one. */
  end(id: string): void {
    this.runs.get(id)?.end.abort();
  }

  /** Aborts the runs of this process and releases their jobs to other processes. May be called again, to wait for the end. */
  async stop(): Promise<void> {
    this.isEnding = true;
    this.endAll();
    await this.work.stop();
    // A job may have been claimed meanwhile.
    this.endAll();
    await Promise.all([...this.runs.values()].map(({ ended }) => ended));
  }

  private endAll(): void {
    for (const { end } of this.runs.values()) end.abort();
  }

  /** Never rejects: a failed search is retried, and what fails for one account does not delay the exports of others. */
  private async tick(): Promise<void> {
    if (this.isEnding) return;
    const { jobs, expiry } = this.parts;
    const failures: unknown[] = [];
    try {
      const accounts = await jobs.accountsWithWork();
      for (const accountId of accounts) {
        if (this.isEnding) return;
        await noting(failures, async () => {
          await expiry.expire(accountId);
          await this.schedules.startDue(accountId);
        });
      }
      await this.claimInTurns(accounts, failures);
    } catch (error) {
      failures.push(error);
    }
    if (failures.length > 0 && !this.isAway) {
      this.log.error({ error: nameOf(failures[0]) }, 'the search for pending exports failed; retrying');
    }
    this.isAway = failures.length > 0;
  }

  /** Begins one job of each account, and then another one of each, as long as there is a place. */
  private async claimInTurns(accounts: readonly string[], failures: unknown[]): Promise<void> {
    const paused = [...this.runs.values()].flatMap(({ accountId, resume }) => (resume === undefined ? [] : accountId));
    let inTurn = [...new Set([...accounts, ...paused])].toSorted(
      (one, other) =>
        this.runsOf(one) - this.runsOf(other) || (this.lastTurns.get(one) ?? 0) - (this.lastTurns.get(other) ?? 0),
    );
    for (let round = 0; round < MAX_RUNNING; round++) {
      const served: string[] = [];
      for (const accountId of inTurn) {
        if (this.atWork >= MAX_HERE || this.isEnding) break;
        const isResumed = this.resume(accountId);
        const job = isResumed ? null : await noting(failures, () => this.parts.jobs.claim(accountId));
        if (!isResumed && (job === null || job === undefined)) continue;
        this.lastTurns.set(accountId, ++this.turns);
        if (job !== null && job !== undefined) this.run(job);
        served.push(accountId);
      }
      inTurn = served;
    }
    this.isAwaited = await this.isOtherWaiting(accounts, failures);
  }

  /** Whether there is no place left, and an account without a run at work here has a job that could run. */
  private async isOtherWaiting(accounts: readonly string[], failures: unknown[]): Promise<boolean> {
    if (this.atWork < MAX_HERE) return false;
    for (const { accountId, resume } of this.runs.values())
      if (resume !== undefined && this.runsOf(accountId) === 0) return true;
    for (const accountId of accounts) {
      if (this.runsOf(accountId) > 0) continue;
      // The account may have only paused exports, or other work such as expired files.
      if ((await noting(failures, () => this.parts.jobs.isWaiting(accountId))) === true) return true;
    }
    return false;
  }

  /** The number of runs of an account that have a place. */
  private runsOf(accountId: string): number {
    return [...this.runs.values()].filter((run) => run.accountId === accountId && run.resume === undefined).length;
  }

  private get atWork(): number {
    return [...this.runs.values()].filter(({ resume }) => resume === undefined).length;
  }

  /** @returns whether a run of the account continues that has given its place to another one */
  private resume(accountId: string): boolean {
    const waiting = [...this.runs.values()].find((run) => run.accountId === accountId && run.resume !== undefined);
    waiting?.resume?.();
    return waiting !== undefined;
  }

  /** Resolves when the run has a place again, or has to end. */
  private async giveWay(run: Run): Promise<void> {
    const { signal } = run.end;
    if (signal.aborted || this.runs.size - this.atWork >= MAX_PAUSED) return;
    const { promise, resolve } = Promise.withResolvers<undefined>();
    const resume = (): void => {
      signal.removeEventListener('abort', resume);
      run.resume = undefined;
      resolve(undefined);
    };
    run.resume = resume;
    signal.addEventListener('abort', resume);
    this.look();
    await promise;
  }

  private run(job: ClaimedJob): void {
    const end = new AbortController();
    let beganMs = performance.now();
    const isTurnOver = (): boolean => this.isAwaited && performance.now() - beganMs >= this.turnMs;
    const giveWay = async (): Promise<void> => {
      await this.giveWay(run);
      beganMs = performance.now();
    };
    const keepUp = setInterval(
      () => {
        this.parts.jobs.keepUp(job).catch((error: unknown) => {
          if (error instanceof ExportTaken) end.abort();
        });
      },
      (LEASE_SECONDS * 1000) / 3,
    );
    keepUp.unref();
    const ended = this.write(job, { isTurnOver, giveWay }, end.signal).finally(() => {
      clearInterval(keepUp);
      // A job that was paused and resumed may run here again before its previous run has ended.
      if (this.runs.get(job.id)?.end === end) this.runs.delete(job.id);
      if (!this.isEnding) this.look();
    });
    const run: Run = { accountId: job.accountId, end, ended, resume: undefined };
    this.runs.set(job.id, run);
  }

  /** Writes the file until its end, or until the run has to end. Never rejects. */
  private async write(
    job: ClaimedJob,
    turns: Required<Pick<RunParts, 'isTurnOver' | 'giveWay'>>,
    signal: AbortSignal,
  ): Promise<void> {
    const settle = (error: unknown): Promise<void> => this.settle(job, error, signal);
    let reader: EventReader;
    try {
      reader = await this.readerUpToNow(signal);
      signal.throwIfAborted();
    } catch (error) {
      return settle(error);
    }
    await runExport(job, { ...this.parts, ...turns, reader, settle }, signal).catch(() => undefined);
  }

  /**
   * Stores the outcome of a run that ended with an error. An outage does not fail the job: the job is continued when its lease has expired.
   */
  private async settle(job: ClaimedJob, error: unknown, { aborted }: AbortSignal): Promise<void> {
    const { jobs } = this.parts;
    try {
      if (error instanceof ExportTaken) return;
      if (aborted || error instanceof TurnOver) return await jobs.release(job);
      if (error instanceof EventLogUnavailable || error instanceof DatabaseUnavailable) return;
      // The archive is unavailable.
      if (error instanceof WeirError && error.type === 'unavailable') return;
      // Once: a bucket that deletes uploads before they are complete would otherwise receive the file again and again.
      if (error instanceof UploadLost && job.error === null) {
        return await jobs.restart(job, `${error.message}: the export began again`);
      }
      const words = wordsOf(error);
      if (words === undefined) this.log.error({ error: nameOf(error), export: job.id }, 'an export failed');
      await jobs.fail(job, words ?? 'The service could not write the file', mayBeResumed(error));
    } catch {
      // The job stays as it is until its lease expires.
    }
  }
}

/**
 * Adds a failure of the work to `failures`, and returns undefined then.
 *
 * @throws DatabaseUnavailable, since the work of the next account would wait for the database as well
 */
async function noting<Result>(failures: unknown[], work: () => Promise<Result>): Promise<Result | undefined> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof DatabaseUnavailable) throw error;
    failures.push(error);
    return undefined;
  }
}

/** The error message, if the requester can do something about the failure. */
function wordsOf(error: unknown): string | undefined {
  if (error instanceof ExportRefused || error instanceof UploadLost || error instanceof S3Refused) return error.message;
  if (!(error instanceof WeirError)) return undefined;
  const { details = [] } = error.options;
  if (details.length === 0) return error.message;
  return details.map(({ path, message }) => `${path} ${message}`).join('; ');
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : typeof error;
}
