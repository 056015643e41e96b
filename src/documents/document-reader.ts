import { extname } from 'node:path';
import { WorkerFailure, WorkerPool } from '../workers/index.js';
import { DEFAULT_DOCUMENT_LIMITS, type DocumentLimits, type DocumentReading } from './reading.js';

export interface DocumentReaderOptions {
  /** Documents that are read at the same time. */
  readonly threads: number;
  /** Processor time that one document may take. */
  readonly workMs: number;
  /** What reading one document may hold, in MiB. */
  readonly memoryLimitMb: number;
  readonly limits: DocumentLimits;
  /** Where a document is read; for tests. */
  readonly file?: URL;
}

export const DEFAULT_DOCUMENT_READER: DocumentReaderOptions = {
  threads: 2,
  workMs: 10_000,
  memoryLimitMb: 512,
  limits: DEFAULT_DOCUMENT_LIMITS,
};

const IDLE_MS = 60_000;
const WORKER = new URL(`./documents-worker${extname(import.meta.url)}`, import.meta.url);

/**
 * Reads documents in threads of their own. Whatever a document does to its reader, the answer says what is unread:
 * one that takes too long, too much memory, or its thread's life.
 */
export class DocumentReader {
  private readonly pool: WorkerPool;
  private readonly workMs: number;

  constructor({
    threads,
    workMs,
    memoryLimitMb,
    limits,
    file = WORKER,
  }: DocumentReaderOptions = DEFAULT_DOCUMENT_READER) {
    this.workMs = workMs;
    this.pool = new WorkerPool({ file, threads, memoryLimitMb, idleMs: IDLE_MS, data: limits });
  }

  /**
   * @param asker who asks, such as account and key: they take turns
   * @throws WorkerFailure `cancelled` when the service ends
   */
  async read(bytes: Buffer, asker: readonly string[]): Promise<DocumentReading> {
    try {
      return await this.pool.run<DocumentReading>('read', bytes, { workMs: this.workMs, for: asker, long: true });
    } catch (error) {
      if (!(error instanceof WorkerFailure) || error.kind === 'cancelled') throw error;
      const why = error.kind === 'timeout' || error.kind === 'memory' ? 'limit' : 'malformed';
      return { formats: [], texts: [], media: [], unread: [{ place: '', why, bytes: bytes.length }] };
    }
  }

  async close(): Promise<void> {
    await this.pool.close();
  }
}
