/**
 * Why a task in a worker thread has no result: it exceeded its processor time or memory, its thread ended, it threw, or it was cancelled.
 */
export type WorkerFailureKind = 'timeout' | 'memory' | 'crashed' | 'threw' | 'cancelled';

const TEXTS: Readonly<Record<WorkerFailureKind, string>> = {
  timeout: 'the task took more processor time than it may',
  memory: 'the task took more memory than it may',
  crashed: 'the worker thread ended before the task did',
  threw: 'the task threw',
  cancelled: 'the task was cancelled',
};

/** A task that gave no result. It says how, never what: the error of a task may quote the text that it was about. */
export class WorkerFailure extends Error {
  override readonly name = 'WorkerFailure';

  constructor(readonly kind: WorkerFailureKind) {
    super(TEXTS[kind]);
  }
}
