/**
 * Several processes behind one port: a supervisor starts workers, restarts those that end, and stops them in order. Workers ask it for
 * data of all workers: the hits that all have counted, and the figures of all.
 */
export { forkWorker, ownWorkerNumber } from './fork-worker.js';
export { ProcessesModule } from './processes.module.js';
export { Supervisor } from './supervisor.js';
export { SupervisorLine } from './supervisor-line.js';
export { takePort } from './take-port.js';
export type { CountedHit, Figure, HitToCount } from './messages.js';
