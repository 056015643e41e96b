/** Quality of detectors and policies on labelled calls: precision, recall, and misses. `weir eval` and the quality page use it. */
export * from './evaluation.js';
export * from './evaluator.js';
export * from './match-spans.js';
export * from './tool-sequence.js';
