import type { BlockReason, Decision, DecisionAction, FiredRule, RedactSpec, Severity } from '../core/index.js';

const SEVERITY_RANK: Readonly<Record<Severity, number>> = { critical: 0, high: 1, medium: 2, low: 3 };

export interface MergedDecision {
  readonly action: DecisionAction;
  readonly reason?: BlockReason;
  readonly unavailable: boolean;
  readonly missing: readonly string[];
  readonly fired: readonly FiredRule[];
  readonly redact: readonly RedactSpec[];
}

/**
 * One verdict from the decisions of several stages, or of several tool calls, by the same lattice as inside one stage:
 * block > redact > allow. A block that a rule is sure of beats one that rests on missing facts, because the first can
 * be explained and the second would invite a retry that cannot help.
 */
export function mergeDecisions(decisions: readonly Decision[]): MergedDecision {
  const fired = decisions.flatMap((decision) => decision.fired).sort(bySeverityThenId);
  const missing = [...new Set(decisions.flatMap((decision) => decision.missing))].sort();
  const redact = decisions.flatMap((decision) => decision.redact);
  const sure = decisions.find((decision) => decision.action === 'block' && !decision.unavailable);
  if (sure !== undefined) {
    const strongest = fired.find((rule) => rule.action === 'block' && rule.enforced && !rule.unavailable);
    const reason = strongest?.reason ?? sure.reason ?? 'content_policy_violation';
    return { action: 'block', reason, unavailable: false, missing, fired, redact };
  }
  if (decisions.some((decision) => decision.action === 'block')) {
    return { action: 'block', unavailable: true, missing, fired, redact };
  }
  const action = decisions.some((decision) => decision.action === 'redact') ? 'redact' : 'allow';
  return { action, unavailable: false, missing, fired, redact };
}

function bySeverityThenId(left: FiredRule, right: FiredRule): number {
  return SEVERITY_RANK[left.severity] - SEVERITY_RANK[right.severity] || compareText(left.rule, right.rule);
}

function compareText(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}
