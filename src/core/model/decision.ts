import type { Action, DecisionAction, EnforcingAction, RuleAction } from './actions.js';
import { compareText } from './compare-text.js';
import type { Stage } from './fact.js';

export type { Action, DecisionAction, RuleAction };
export type Severity = 'low' | 'medium' | 'high' | 'critical';
export type BlockReason = 'content_policy_violation' | 'tool_use_blocked';

/** The rank of a severity: a higher one is worse. */
export const SEVERITY_RANK: Readonly<Record<Severity, number>> = { low: 0, medium: 1, high: 2, critical: 3 };

/** The order of rules that fired: the worst first, then by id. */
export function bySeverityThenRule(
  a: Pick<FiredRule, 'severity' | 'rule'>,
  b: Pick<FiredRule, 'severity' | 'rule'>,
): number {
  return SEVERITY_RANK[b.severity] - SEVERITY_RANK[a.severity] || compareText(a.rule, b.rule);
}

/** One rule that matched, before its action is applied. */
export interface FiredRule {
  readonly rule: string;
  readonly policy: string;
  readonly stage: Stage;
  readonly severity: Severity;
  readonly category: string;
  readonly action: Action;
  /** False in monitor mode (policy, rule, client, exception): the rule only reports. */
  readonly enforced: boolean;
  /** The reason why the rule is not enforced. */
  readonly softenedBy?: 'policy' | 'rule' | 'client' | 'exception';
  readonly exception?: string;
  /** The rule reports findings that it would mask, but that cannot be masked and that the policy lets pass. */
  readonly isSpared?: true;
  readonly message: string;
  readonly reason?: BlockReason;
  readonly detail?: string;
  /** The answer that clients of the proxy get instead of an error. */
  readonly answer?: string;
  /** True if the rule matches only because conditions on unknown facts count as true. */
  readonly unavailable: boolean;
  /** Detector keys (or `budget`) whose answers were missing, for an unavailable rule. */
  readonly missing: readonly string[];
  /** The findings that caused the rule to match: detector key and codes, `all` for any code. */
  readonly evidence: readonly { readonly detector: string; readonly codes: 'all' | readonly string[] }[];
  /** The paths at which the rule fired, if it fired for a reason other than findings of a detector. */
  readonly locations?: readonly string[];
  /** For stage `tool`: index into `newToolCalls` of the call that was judged. */
  readonly toolCall?: number;
}

/** A rule that matched and to which an exception applied, whether or not the rule is still reported. */
export interface ExceptedRule {
  readonly rule: string;
  readonly exception: string;
  /** The action that the exception prevented; null if the rule would not have been enforced anyway. */
  readonly kept: EnforcingAction | null;
  /** True if the rule matches only because conditions on unknown facts count as true. */
  readonly unavailable: boolean;
}

/** A rule to which an exception applied in one call, whatever the stage. */
export type ExceptedInCall = Omit<ExceptedRule, 'unavailable'>;

/** How findings are masked by one redact rule. */
export interface RedactSpec {
  /** Codes to mask: `detectorKey/code` pairs, resolved by the compiler. */
  readonly targets: readonly { readonly detector: string; readonly code: string }[];
  /** Replacement pattern: `{type}` and `{n}` are filled in. */
  readonly with: string;
  /** Instead of `with`: a keyed token per value, the same in every call of the account. */
  readonly tokens?: 'stable';
  /** The tokens are replaced by their values in the answer. */
  readonly restore?: boolean;
  /** The value of the answer's `redactions[].type`, instead of the code. */
  readonly label?: string;
}

/**
 * The outcome of one evaluation: the strongest action of the rules that fired. Rules with the action `flag` do not change the outcome
 * `allow`.
 */
export interface Decision {
  readonly action: DecisionAction;
  /** Set for a block: the strongest rule's reason, ties broken by severity, then rule id. */
  readonly reason?: BlockReason;
  /** True when the block is based only on unknown facts: an outage, not a violation. */
  readonly unavailable: boolean;
  readonly missing: readonly string[];
  /** All rules that matched, monitored ones included, ordered by severity (highest first), then rule id. */
  readonly fired: readonly FiredRule[];
  /** The redact specs of enforced redact rules, which are to be applied. */
  readonly redact: readonly RedactSpec[];
  /** Ids of exceptions that softened a rule. */
  readonly exceptions: readonly string[];
  /** The rules that these exceptions softened, sorted by the rule's id. */
  readonly excepted: readonly ExceptedRule[];
  /** The result of each condition leaf, evaluated without short-circuit: true, false, or null for unknown. */
  readonly leaves: Readonly<Record<string, boolean | null>>;
}

/** The data about a fired rule that a client gets. It never contains matched text. */
export interface Violation {
  readonly rule: string;
  readonly policy: string;
  readonly category: string;
  readonly severity: Severity;
  readonly action: Action;
  readonly enforced: boolean;
  readonly message: string;
  /** The client got the rule's canned answer instead of an error. */
  readonly answered?: true;
  readonly detector?: string;
  readonly locations?: readonly string[];
  readonly count?: number;
}

export interface RedactionCount {
  readonly type: string;
  readonly count: number;
}
