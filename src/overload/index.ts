export { FairQueue } from './fair-queue.js';
