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
/** The limit of one process, for all accounts. */
const MAX_HERE = 2;

export interface RunnerLog {
  error(about: object, message: string): void;
}

/** Looks for schedules that are due and for jobs that nobody works on, and works on them: of several replicas one, with a lease that runs out. */
export class ExportRunner {
  private readonly runs = new Map<string, { readonly end: AbortController; readonly ended: Promise<void> }>();
  private readonly work = new PeriodicWork(() => this.tick(), EVERY_MS);
  private isEnding = false;
  private isAway = false;

  constructor(
    private readonly parts: Omit<RunParts, 'reader'>,
    /** Reads what was acknowledged until it is called: also an erasure that came while the export was queued. The signal ends waiting for that. */
    private readonly readerUpToNow: (signal: AbortSignal) => Promise<EventReader>,
    private readonly schedules: ExportSchedules,
    private readonly log: RunnerLog,
  ) {}

  start(): void {
    this.work.start();
    this.look();
  }

  /** Looks now: there is something new. */
  look(): void {
    this.work.runNow();
  }

  /** Ends a run of this process, whose job is no more. */
  end(id: string): void {
    this.runs.get(id)?.end.abort();
  }

  /** Leaves what runs here to others. */
  async stop(): Promise<void> {
    this.isEnding = true;
    await this.work.stop();
    for (const { end } of this.runs.values()) end.abort();
    await Promise.all([...this.runs.values()].map(({ ended }) => ended));
  }

  /** Never rejects: what failed is tried again. */
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
        // One that was paused and let go on may run here again before its run before has ended.
        if (this.runs.get(job.id)?.end === end) this.runs.delete(job.id);
        if (!this.isEnding) this.look();
      });
    this.runs.set(job.id, { end, ended });
  }

  /** An outage ends no job: it is gone on with when its lease has run out. */
  private async failed(job: ClaimedJob, error: unknown, { aborted }: AbortSignal): Promise<void> {
    const { jobs } = this.parts;
    try {
      if (error instanceof ExportTaken) return;
      if (aborted) return await jobs.release(job);
      if (error instanceof EventLogUnavailable || error instanceof DatabaseUnavailable) return;
      // The archive is away.
      if (error instanceof WeirError && error.type === 'unavailable') return;
      const words = wordsOf(error);
      if (words === undefined) this.log.error({ error: nameOf(error), export: job.id }, 'an export failed');
      await jobs.fail(job, words ?? 'The service could not write the file');
    } catch {
      // Whoever looks next finds it as it is.
    }
  }
}

/** What went wrong, where whoever asked for the file can do something about it. */
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
