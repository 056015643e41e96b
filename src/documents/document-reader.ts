import { extname } from 'node:path';
import { WeirError } from '../http/index.js';
import { WorkerFailure, WorkerPool } from '../workers/index.js';
import { DEFAULT_DOCUMENT_LIMITS, type DocumentLimits, type DocumentReading } from './reading.js';

export interface DocumentReaderOptions {
  /** The number of documents that are read at the same time. */
  readonly threads: number;
  /** Processor time that one document may take. */
  readonly workMs: number;
  /** What reading one document may hold, in MiB. */
  readonly memoryLimitMb: number;
  readonly limits: DocumentLimits;
  /** Documents that may wait for a thread. One asker alone may have half of them waiting. */
  readonly queue: number;
  /** Where a document is read; for tests. */
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
 * Reads documents in threads of their own. One that takes too long, too much memory, or its thread's life is unread
 * for an outage of its reader: nobody knows what is in it, and nobody says that anything is wrong with it.
 */
export class DocumentReader {
  private readonly pool: WorkerPool;
  /** How many documents of one call are read, or wait, at the same time. */
  readonly atOnce: number;
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
    this.workMs = workMs;
    this.queue = queue;
    this.atOnce = threads;
    this.pool = new WorkerPool({ file, threads, memoryLimitMb, idleMs: IDLE_MS, data: limits });
  }

  /**
   * Before the documents of a call are read.
   * @throws WeirError `overloaded` while too many wait already, or too many of this asker
   */
  requireRoom(asker: readonly string[]): void {
    const own = this.pool.waitingOf(asker.slice(0, 1));
    if (this.pool.state.waiting < this.queue && own < Math.max(1, this.queue / 2)) return;
    throw new WeirError('overloaded', { retryAfterSeconds: RETRY_AFTER_SECONDS });
  }

  /** @param asker who asks, such as account and key: they take turns */
  async read(bytes: Buffer, asker: readonly string[]): Promise<DocumentReading> {
    try {
      return await this.pool.run<DocumentReading>('read', bytes, { workMs: this.workMs, for: asker, long: true });
    } catch (error) {
      if (!(error instanceof WorkerFailure)) throw error;
      return { formats: [], texts: [], media: [], unread: [{ place: '', why: 'outage', bytes: bytes.length }] };
    }
  }

  async close(): Promise<void> {
    await this.pool.close();
  }
}
