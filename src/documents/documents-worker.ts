/** The worker in which documents are read: a parser that fails on a malformed document affects only this worker. */
import { workerData } from 'node:worker_threads';
import { serveTasks } from '../workers/index.js';
import { readDocument } from './read-document.js';
import type { DocumentLimits } from './reading.js';

const limits = workerData as DocumentLimits;

serveTasks({
  read: (bytes: Uint8Array) => readDocument(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length), limits),
});
