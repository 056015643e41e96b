export { AdmissionQueue, type AdmissionLimits, type Applicant, type LoopLoad } from './admission-queue.js';
export { FairQueue } from './fair-queue.js';
