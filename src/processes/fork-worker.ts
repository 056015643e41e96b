import { fork } from 'node:child_process';
import type { FromSupervisor, FromWorker } from './messages.js';
import type { WorkerProcess } from './supervisor.js';

/** Starts a process that serves requests. */
export function forkWorker(script: string, number: number): WorkerProcess {
  const child = fork(script, [`--worker=${number}`], { stdio: 'inherit' });
  return {
    pid: child.pid,
    send: (message: FromSupervisor) => {
      // One that is ending hears nothing any more.
      if (child.connected) child.send(message, () => undefined);
    },
    kill: (signal) => void child.kill(signal),
    onMessage: (heard) => void child.on('message', (message) => heard(message as FromWorker)),
    onExit: (ended) => {
      child.on('exit', (code, signal) => ended(code, signal));
      // Of one that could not be started there is this alone, and it must not end the supervisor.
      child.on('error', (error: NodeJS.ErrnoException) => {
        if (child.pid === undefined) ended(1, error.code ?? null);
      });
    },
  };
}

/** The number that `forkWorker` has given this process; undefined for one that nobody supervises. */
export function ownWorkerNumber(): number | undefined {
  const [, number] = /^--worker=(\d+)$/.exec(process.argv[2] ?? '') ?? [];
  return process.send === undefined || number === undefined ? undefined : Number(number);
}
