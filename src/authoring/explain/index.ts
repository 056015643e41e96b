/** Why a recorded call was decided so, and the same as a test. Nothing that somebody wrote is in either. A call that somebody tries is in its test. */
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
