/**
 * Schedules calls when there is more work than the service can do, and refuses some of them. The number of calls of one caller never
 * delays other callers.
 */
export { AccountPlaces } from './account-places.js';
export { AdmissionQueue, type AdmissionLimits, type QueuedCaller, type LoopLoad } from './admission-queue.js';
export { BodyRoom, type BodyHold, type BodyParty } from './body-room.js';
export { FairQueue } from './fair-queue.js';
