/**
 * How good detectors and policies are over labelled calls: precision, recall, and what they miss. `weir eval` and the
 * quality page ask it.
 */
export * from './evaluation.js';
export * from './evaluator.js';
export * from './match-spans.js';
export * from './tool-sequence.js';
