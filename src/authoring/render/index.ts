export { renderLeaf, type RenderedLine } from './render-condition.js';
export { describeRule } from './describe-rule.js';
export { renderPolicy, renderRule } from './render-policy.js';
