/**
 * Several processes behind one port: a supervisor starts workers, starts those again that end, and ends them in order. What
 * a worker cannot know alone, the hits that all have counted and the figures of all, it asks the supervisor.
 */
export { forkWorker, ownWorkerNumber } from './fork-worker.js';
export { ProcessesModule } from './processes.module.js';
export { Supervisor } from './supervisor.js';
export { SupervisorLine } from './supervisor-line.js';
export { takePort } from './take-port.js';
export type { CountedHit, Figure, HitToCount } from './messages.js';
