/**
 * The server's resources for the judge of core: clock, threads, remote detectors, keys. This module stores no data and sends only the
 * requests of remote detectors.
 */
export * from './block-message.js';
export * from './client-ids.js';
export * from './judgement.js';
export * from './judgement.module.js';
export * from './judgement.service.js';
export { afterOthers, afterOthersIfLate, runCooperatively } from './cooperative-steps.js';
export { RemoteScanner } from './remote-scan.js';
