/**
 * A policy in sentences, and as one file with the origin of each line. Both are for people who review policies and do not write them.
 */
export { renderLeaf, renderPredicate, type RenderedLine } from './render-condition.js';
export { describeRule } from './describe-rule.js';
export { renderPolicy, renderRule } from './render-policy.js';
