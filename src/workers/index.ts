/**
 * Threads for work that would block the event loop, within limits of CPU time and memory. A failed task is an outcome, never a
 * crash.
 */
export { CostlyParties, type PartyLimits } from './costly-parties.js';
export { serveTasks, type Tasks } from './serve-tasks.js';
export { lowerV8ThreadPriority } from './thread-priority.js';
export { WorkerFailure, type WorkerFailureKind } from './worker-failure.js';
export { WorkerPool, type RunOptions, type WorkerPoolOptions } from './worker-pool.js';
