/**
 * The only public interface for writing policies: checking, formatting, describing, testing, comparing and explaining them. It is as pure
 * as core and uses core's judge; the path of a live call does not depend on it.
 */
export * from './backtest/index.js';
export * from './eval/index.js';
export * from './explain/index.js';
export * from './format/index.js';
export * from './import/index.js';
export * from './lint/index.js';
export * from './mutation/index.js';
export * from './offline/index.js';
export * from './policy-changes/index.js';
export * from './policy-diff/index.js';
export * from './policy-test/index.js';
export * from './project/index.js';
export * from './render/index.js';
export * from './schema/index.js';
export * from './policy-leaves/index.js';
