import { DatabaseUnavailable } from '../database/index.js';
import { EventLogUnavailable, type EventReader } from '../events/index.js';
import { WeirError } from '../http/index.js';
import { PeriodicWork } from '../resilience/index.js';
import type { ClaimedJob } from './export-job.js';
import { ExportRefused, ExportTaken, LEASE_SECONDS, MAX_RUNNING } from './export-jobs.js';
import { runExport, type RunParts } from './run-export.js';
import { S3Refused } from '../object-storage/index.js';
import type { ExportSchedules } from './schedules/export-schedules.js';

const EVERY_MS = 2_000;
/** Maximum number of exports that one process runs at once, for all accounts. */
const MAX_HERE = 2;

export interface RunnerLog {
  error(about: object, message: string): void;
}

/** Looks for due schedules and for jobs that no process works on, and runs them: one replica per job, with a lease that expires. */
export class ExportRunner {
  private readonly runs = new Map<string, { readonly end: AbortController; readonly ended: Promise<void> }>();
  private readonly work = new PeriodicWork(() => this.tick(), EVERY_MS);
  private isEnding = false;
  private isAway = false;

  constructor(
    private readonly parts: Omit<RunParts, 'reader'>,
    /**
     * Returns a reader of everything acknowledged before the call, including an erasure made while the export was queued. The signal
     * aborts the wait for it.
     */
    private readonly readerUpToNow: (signal: AbortSignal) => Promise<EventReader>,
    private readonly schedules: ExportSchedules,
    private readonly log: RunnerLog,
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

  /** Aborts the runs of this process and releases their jobs to other processes. */
  async stop(): Promise<void> {
    this.isEnding = true;
    await this.work.stop();
    for (const { end } of this.runs.values()) end.abort();
    await Promise.all([...this.runs.values()].map(({ ended }) => ended));
  }

  /** Never rejects: a failed search is retried. */
  private async tick(): Promise<void> {
    if (this.isEnding) return;
    const { jobs } = this.parts;
    try {
      for (const accountId of await jobs.accountsWithWork()) {
        if (this.isEnding) return;
        await jobs.expire(accountId);
        await this.schedules.startDue(accountId);
        for (let taken = 0; taken < MAX_RUNNING && this.runs.size < MAX_HERE && !this.isEnding; taken++) {
          const job = await jobs.claim(accountId);
          if (job === null) break;
          this.run(job);
        }
      }
      this.isAway = false;
    } catch (error) {
      if (!this.isAway) this.log.error({ error: nameOf(error) }, 'the search for pending exports failed; retrying');
      this.isAway = true;
    }
  }

  private run(job: ClaimedJob): void {
    const end = new AbortController();
    const keepUp = setInterval(
      () => {
        this.parts.jobs.keepUp(job).catch((error: unknown) => {
          if (error instanceof ExportTaken) end.abort();
        });
      },
      (LEASE_SECONDS * 1000) / 3,
    );
    keepUp.unref();
    const ended = this.readerUpToNow(end.signal)
      .then((reader) => {
        end.signal.throwIfAborted();
        return runExport(job, { ...this.parts, reader }, end.signal);
      })
      .catch((error: unknown) => this.failed(job, error, end.signal))
      .finally(() => {
        clearInterval(keepUp);
        // A job that was paused and resumed may run here again before its previous run has ended.
        if (this.runs.get(job.id)?.end === end) this.runs.delete(job.id);
        if (!this.isEnding) this.look();
      });
    this.runs.set(job.id, { end, ended });
  }

  /** Ends a failed run. An outage does not fail the job: the job is continued when its lease has expired. */
  private async failed(job: ClaimedJob, error: unknown, { aborted }: AbortSignal): Promise<void> {
    const { jobs } = this.parts;
    try {
      if (error instanceof ExportTaken) return;
      if (aborted) return await jobs.release(job);
      if (error instanceof EventLogUnavailable || error instanceof DatabaseUnavailable) return;
      // The archive is unavailable.
      if (error instanceof WeirError && error.type === 'unavailable') return;
      const words = wordsOf(error);
      if (words === undefined) this.log.error({ error: nameOf(error), export: job.id }, 'an export failed');
      await jobs.fail(job, words ?? 'The service could not write the file');
    } catch {
      // The job stays as it is until its lease expires.
    }
  }
}

/** The error message, if the requester can do something about the failure. */
function wordsOf(error: unknown): string | undefined {
  if (error instanceof ExportRefused || error instanceof S3Refused) return error.message;
  if (!(error instanceof WeirError)) return undefined;
  const { details = [] } = error.options;
  if (details.length === 0) return error.message;
  return details.map(({ path, message }) => `${path} ${message}`).join('; ');
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : typeof error;
}
