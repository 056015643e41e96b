/**
 * Who goes on next when there is more work than the service can do, and who is told to come later. Nobody's turn
 * depends on how much others ask for.
 */
export { AdmissionQueue, type AdmissionLimits, type QueuedCaller, type LoopLoad } from './admission-queue.js';
export { BodyRoom, type BodyHold, type BodyParty } from './body-room.js';
export { FairQueue } from './fair-queue.js';
