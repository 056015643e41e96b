export * from './evaluation.js';
export * from './evaluator.js';
export * from './match-spans.js';
export * from './tool-sequence.js';
