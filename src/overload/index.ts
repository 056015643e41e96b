export { AdmissionQueue, type AdmissionLimits, type Applicant } from './admission-queue.js';
export { FairQueue } from './fair-queue.js';
