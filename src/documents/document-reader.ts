import { extname } from 'node:path';
import { WeirError } from '../http/index.js';
import { WorkerFailure, WorkerPool } from '../workers/index.js';
import { DocumentBudget, type ReadDocument } from './document-budget.js';
import { DEFAULT_DOCUMENT_LIMITS, type DocumentLimits } from './reading.js';

export interface DocumentReaderOptions {
  /** The number of documents that are read at the same time. */
  readonly threads: number;
  /** Maximum processor time for one document, in milliseconds. */
  readonly workMs: number;
  /** Maximum memory for reading one document, in MiB. */
  readonly memoryLimitMb: number;
  /** The limits of one document; those of files, unpacked bytes and characters also apply to all documents of a call together. */
  readonly limits: DocumentLimits;
  /** Maximum number of documents waiting for a thread. One account can occupy half of the queue. */
  readonly queue: number;
  /** The worker's file; set by tests. */
  readonly file?: URL;
}

export const DEFAULT_DOCUMENT_READER: DocumentReaderOptions = {
  threads: 2,
  workMs: 10_000,
  memoryLimitMb: 512,
  limits: DEFAULT_DOCUMENT_LIMITS,
  queue: 64,
};

const RETRY_AFTER_SECONDS = 2;

const IDLE_MS = 60_000;
const WORKER = new URL(`./documents-worker${extname(import.meta.url)}`, import.meta.url);

/**
 * Reads documents in separate threads. A document that takes too much time or memory or crashes its thread is unread with the reason
 * `outage`: its content is unknown, and it is not reported as malformed.
 */
export class DocumentReader {
  private readonly pool: WorkerPool;
  /** Maximum number of documents of one call that are read or wait at the same time. */
  readonly atOnce: number;
  private readonly limits: DocumentLimits;
  private readonly workMs: number;
  private readonly queue: number;

  constructor({
    threads,
    workMs,
    memoryLimitMb,
    limits,
    queue,
    file = WORKER,
  }: DocumentReaderOptions = DEFAULT_DOCUMENT_READER) {
    this.limits = limits;
    this.workMs = workMs;
    this.queue = queue;
    this.atOnce = threads;
    this.pool = new WorkerPool({ file, threads, memoryLimitMb, idleMs: IDLE_MS, data: limits });
  }

  /**
   * Checks the queue before the documents of a call are read.
   * @throws WeirError `overloaded` if too many documents wait, in total or from this account
   */
  requireRoom(asker: readonly string[]): void {
    const own = this.pool.waitingOf(asker.slice(0, 1));
    if (this.pool.state.waiting < this.queue && own < Math.max(1, this.queue / 2)) return;
    throw new WeirError('overloaded', { retryAfterSeconds: RETRY_AFTER_SECONDS });
  }

  /** The limits of the documents of a new call. */
  budget(): DocumentBudget {
    return new DocumentBudget(this.limits, this.workMs);
  }

  /**
   * @param asker the caller, such as account and key; documents of different callers are read in turn
   * @param budget the limits of the documents of the call, which the caller charges with the result
   */
  async read(bytes: Buffer, asker: readonly string[], budget = this.budget()): Promise<ReadDocument> {
    const { workMs: restMs, ...limits } = budget.room;
    const workMs = Math.min(this.workMs, restMs);
    try {
      return await this.pool.run<ReadDocument>('read', { bytes, limits }, { workMs, for: asker, long: true });
    } catch (error) {
      if (!(error instanceof WorkerFailure)) throw error;
      // A retry of the call would end in the same way if its other documents left too little time.
      const isTooLate = error.kind === 'timeout' && workMs < this.workMs;
      return {
        formats: [],
        texts: [],
        media: [],
        unread: [{ place: '', why: isTooLate ? 'limit' : 'outage', bytes: bytes.length }],
        used: { files: 0, unpackedBytes: 0 },
        // The time that a failed thread took is not known.
        workMs,
      };
    }
  }

  async close(): Promise<void> {
    await this.pool.close();
  }
}
