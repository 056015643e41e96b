import { extname } from 'node:path';
import { rememberReading, type Bundle } from '../core/index.js';
import { WeirError } from '../http/index.js';
import { CostlyParties, WorkerFailure, WorkerPool } from '../workers/index.js';
import type { Trial, TrialTerms } from './trial.js';
import type { Readings, Verdict, VettingData } from './vetting-protocol.js';

/** CPU time for reading, compiling and testing one upload. The shipped policies with their tests take 0.3 s. */
const WORK_MS = 10_000;
const MEMORY_MB = 512;
const IDLE_MS = 60_000;
/** An account's next upload waits this many times the CPU time of the last one, if that exceeded `SHORT_MS`. */
const REST = 3;
const SHORT_MS = 2_000;
/** The number of uploads of one account that run or wait; more are refused. */
const MAX_RUNNING = 8;

type Refusal = Extract<Trial, { ok: false }>;

/**
 * Tries uploads in a worker thread, with limits on CPU time and memory, before the main thread processes them: a policy is a
 * program, and a bad one must not delay calls. An accepted upload is then tried again in the main thread, in pieces, since the object
 * that judges has to be tested (ADR 0012); its files need not be parsed again.
 */
export class BundleVetting {
  private readonly pool: WorkerPool;
  private readonly accounts: CostlyParties;

  constructor(
    data: VettingData,
    nowMs: () => number = () => performance.now(),
    private readonly limits = { workMs: WORK_MS, memoryMb: MEMORY_MB, shortMs: SHORT_MS },
  ) {
    const file = new URL(`./vetting-worker${extname(import.meta.url)}`, import.meta.url);
    this.accounts = new CostlyParties({ running: MAX_RUNNING, shortMs: limits.shortMs, rest: REST }, nowMs);
    this.pool = new WorkerPool({ file, threads: 1, memoryLimitMb: limits.memoryMb, idleMs: IDLE_MS, data });
  }

  /**
   * @returns why the upload is refused; undefined when it passed
   * @throws WeirError 429 while many uploads of the account are tried or it has used much time; 503 without a result
   */
  async refusalOf(accountId: string, bundle: Bundle, terms: TrialTerms): Promise<Refusal | undefined> {
    this.begin(accountId);
    let tookMs = this.limits.workMs;
    try {
      const verdict = await this.run<Verdict>('vet', { bundle, terms }, accountId);
      tookMs = verdict.workMs;
      if ('refusal' in verdict) return verdict.refusal;
      remember(bundle, verdict.readings);
      return undefined;
    } catch (error) {
      return tooCostly(error, this.limits.workMs);
    } finally {
      this.accounts.end(accountId, tookMs);
    }
  }

  /** Reads the files of a bundle that was accepted elsewhere, so that activating it blocks the main thread for less time. */
  async read(accountId: string, bundle: Bundle): Promise<void> {
    // After an error, the main thread reads them: an accepted deployment is activated whatever happens to a worker thread.
    const readings = await this.run<Readings>('read', [...bundle.files, ...bundle.tests], accountId).catch(() => []);
    remember(bundle, readings);
  }

  /** The framework calls this at shutdown: threads do not outlive the service. */
  onApplicationShutdown(): Promise<void> {
    return this.pool.close();
  }

  private run<Output>(name: string, input: unknown, accountId: string): Promise<Output> {
    return this.pool.run<Output>(name, input, { workMs: this.limits.workMs, for: [accountId] });
  }

  private begin(accountId: string): void {
    const refused = this.accounts.begin(accountId);
    if (refused === undefined) return;
    const message = 'Too many uploads of this account are being checked, or the last check took too long';
    const retryAfterSeconds = Math.max(1, Math.ceil(refused.waitMs / 1_000));
    throw new WeirError('rate_limit_exceeded', { message, retryAfterSeconds });
  }
}

function remember({ files, tests }: Bundle, readings: Readings): void {
  const nodes = new Map(readings.map((reading) => [reading.path, reading.nodes]));
  for (const file of [...files, ...tests]) {
    const known = nodes.get(file.path);
    if (known !== undefined) rememberReading(file, known);
  }
}

/** @throws WeirError 503 for an error that proves nothing about the upload */
function tooCostly(error: unknown, workMs: number): Refusal {
  const kind = error instanceof WorkerFailure ? error.kind : undefined;
  if (kind !== 'timeout' && kind !== 'memory') {
    throw new WeirError('unavailable', { retryAfterSeconds: 5, cause: error });
  }
  const problem =
    kind === 'timeout'
      ? `compiling and testing it takes more than ${workMs / 1_000} s of CPU time`
      : 'compiling and testing it exceeds the memory limit';
  return { ok: false, failure: 'too_costly', problem, details: [], failedTests: [] };
}
