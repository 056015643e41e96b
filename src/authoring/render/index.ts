/**
 * A policy in sentences, and as one file with the origin of each line. For people who review it and do not write it.
 */
export { renderLeaf, type RenderedLine } from './render-condition.js';
export { describeRule } from './describe-rule.js';
export { renderPolicy, renderRule } from './render-policy.js';
