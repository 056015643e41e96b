import { parentPort } from 'node:worker_threads';
import { lowerThreadPriority } from './thread-priority.js';
import type { TaskReply, TaskRequest } from './worker-protocol.js';

/** Tasks by the name that `WorkerPool.run` uses. Their parameters and results are cloned. */
export type Tasks = Readonly<Record<string, (input: never) => unknown>>;

/**
 * Makes the file that calls this the worker of a pool. If a task throws, the message of its error is not reported, because it may quote
 * the text that the task processed.
 */
export function serveTasks(tasks: Tasks): void {
  if (parentPort === null) throw new Error('this file runs only as a worker thread');
  const port = parentPort;
  lowerThreadPriority();
  const answer = async ({ name, input }: TaskRequest): Promise<TaskReply> => {
    try {
      return { ok: true, value: await tasks[name]!(input as never) };
    } catch {
      return { ok: false };
    }
  };
  port.on('message', (request: TaskRequest) => {
    void answer(request).then((reply) => {
      try {
        port.postMessage(reply);
      } catch {
        // A value that cannot be cloned is reported as a failure.
        port.postMessage({ ok: false } satisfies TaskReply);
      }
    });
  });
  port.postMessage({ ready: true } satisfies TaskReply);
}
