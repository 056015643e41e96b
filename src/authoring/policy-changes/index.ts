/**
 * The effects of a change of policy files, rule by rule. Deployments, `weir plan` and the dashboard show them before the activation.
 */
export { EXCEPTION, exceptionsOf, type ExceptionEntry } from './exceptions.js';
export { inDays, POLICY_CHANGE, policyChanges, type PolicyChange } from './policy-changes.js';
export { unshownWeakenings } from './weakenings.js';
export {
  exceptionCondition,
  ruleChanges,
  type RuleChange,
  type RuleChangesOptions,
  type Witness,
} from './rule-changes.js';
