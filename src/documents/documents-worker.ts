/** The worker in which documents are read: a parser that fails on a malformed document affects only this worker. */
import { workerData } from 'node:worker_threads';
import { serveTasks } from '../workers/index.js';
import type { ReadDocument } from './document-budget.js';
import { readDocument } from './read-document.js';
import type { DocumentLimits } from './reading.js';

const limits = workerData as DocumentLimits;

interface DocumentTask {
  readonly bytes: Uint8Array;
  /** Limits that replace those of the worker. */
  readonly limits: Partial<DocumentLimits>;
}

serveTasks({
  read: async ({ bytes, limits: own }: DocumentTask): Promise<ReadDocument> => {
    const before = process.threadCpuUsage();
    const document = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    const reading = await readDocument(document, { ...limits, ...own });
    const { user, system } = process.threadCpuUsage(before);
    return { ...reading, workMs: (user + system) / 1_000 };
  },
});
