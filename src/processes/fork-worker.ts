import { fork } from 'node:child_process';
import type { FromSupervisor, FromWorker } from './messages.js';
import type { WorkerProcess } from './supervisor.js';

/** Starts a process that serves requests. */
export function forkWorker(script: string, number: number): WorkerProcess {
  const child = fork(script, [`--worker=${number}`], { stdio: 'inherit' });
  return {
    pid: child.pid,
    send: (message: FromSupervisor) => {
      // A worker that is ending receives no more messages.
      if (child.connected) child.send(message, () => undefined);
    },
    kill: (signal) => void child.kill(signal),
    onMessage: (heard) => void child.on('message', (message) => heard(message as FromWorker)),
    onExit: (ended) => {
      child.on('exit', (code, signal) => ended(code, signal));
      // The only event of a worker that could not be started; it must not end the supervisor.
      child.on('error', (error: NodeJS.ErrnoException) => {
        if (child.pid === undefined) ended(1, error.code ?? null);
      });
    },
  };
}

/**
 * The number that `forkWorker` has given this process; undefined for a process without a supervisor.
 */
export function ownWorkerNumber(): number | undefined {
  const [, number] = /^--worker=(\d+)$/.exec(process.argv[2] ?? '') ?? [];
  return process.send === undefined || number === undefined ? undefined : Number(number);
}
