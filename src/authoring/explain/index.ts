/**
 * Explanations of recorded decisions, and the same calls as tests. Neither contains user-written text; only the test of a tried call
 * contains that call.
 */
export { capturedId, captureTest, isTestId, testOfTrial, type Captured } from './captured-test.js';
export {
  askedRules,
  explainDecision,
  explainedConditions,
  type ExplainedCondition,
  type ExplainedStage,
  type Reproduced,
} from './explain-decision.js';
export { listRules, type ListedRule } from './rule-list.js';
export { decidingRule, explainedRules, type ExplainedRule } from './explained-rules.js';
