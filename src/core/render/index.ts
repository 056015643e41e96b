export { renderLeaf, type RenderedLine } from './render-condition.js';
export { renderPolicy, renderRule } from './render-policy.js';
