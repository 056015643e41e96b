/**
 * The reason why a task in a worker thread has no result: it exceeded its CPU time or memory, its thread ended, it threw, or it
 * was cancelled.
 */
export type WorkerFailureKind = 'timeout' | 'memory' | 'crashed' | 'threw' | 'cancelled';

const TEXTS: Readonly<Record<WorkerFailureKind, string>> = {
  timeout: 'the task exceeded its limit of CPU time',
  memory: 'the task exceeded its memory limit',
  crashed: 'the worker thread ended before the task did',
  threw: 'the task threw',
  cancelled: 'the task was cancelled',
};

/**
 * A task without a result. It reports the kind of failure and never the error of the task, which may quote the text that the task
 * processed.
 */
export class WorkerFailure extends Error {
  override readonly name = 'WorkerFailure';

  constructor(readonly kind: WorkerFailureKind) {
    super(TEXTS[kind]);
  }
}
