import { refuses, strengthOf, strongestAction } from '../model/actions.js';
import { compareText } from '../model/compare-text.js';
import {
  bySeverityThenRule,
  type BlockReason,
  type Decision,
  type DecisionAction,
  type ExceptedInCall,
  type FiredRule,
  type RedactSpec,
} from '../model/decision.js';

/** A rule's canned answer, which replaces the model's. */
export interface RuleAnswer {
  readonly rule: string;
  readonly text: string;
}

export interface MergedDecision {
  readonly action: DecisionAction;
  /** Set for a block that a rule decided. */
  readonly reason?: BlockReason;
  /** Set if that rule has a canned answer. */
  readonly answer?: RuleAnswer;
  /** Whether a block is based only on missing facts: an outage, not a violation. */
  readonly unavailable: boolean;
  /** Detector keys (or `budget`) whose answers were missing. */
  readonly missing: readonly string[];
  /** Every rule that fired, unavailable ones included. */
  readonly fired: readonly FiredRule[];
  readonly redact: readonly RedactSpec[];
  /** Rules softened by an exception, each once, without those that matched only because a fact was missing. */
  readonly excepted: readonly ExceptedInCall[];
}

/**
 * Merges the decisions of several stages or tool calls: the strongest wins, as within one stage. A certain block has priority over a
 * block based on missing facts, because it can be explained, whereas an outage would invite a retry that cannot help.
 */
export function mergeDecisions(decisions: readonly Decision[]): MergedDecision {
  const fired = decisions.flatMap((decision) => decision.fired).sort(bySeverityThenRule);
  const missing = [...new Set(decisions.flatMap((decision) => decision.missing))].sort();
  const redact = decisions.flatMap((decision) => decision.redact);
  const excepted = joinedExceptions(decisions);
  const action = strongestAction(decisions.map((decision) => decision.action));
  const isRefused = refuses(action);
  const sure = decisions.find((decision) => decision.action === action && !decision.unavailable);
  if (isRefused && sure !== undefined) {
    const strongest = decidingRule(fired, action);
    const reason = strongest?.reason ?? sure.reason ?? 'content_policy_violation';
    const answer = answerOf({ action, unavailable: false, fired });
    return {
      ...{ action, reason, unavailable: false, missing, fired, redact, excepted },
      ...(answer === undefined ? {} : { answer }),
    };
  }
  return { action, unavailable: isRefused, missing, fired, redact, excepted };
}

/** The canned answer of the rule that decided a block. An outage never has one, because no finding justifies the answer. */
export function answerOf({
  action,
  unavailable,
  fired,
}: Pick<Decision, 'action' | 'unavailable' | 'fired'>): RuleAnswer | undefined {
  const deciding = refuses(action) && !unavailable ? decidingRule(fired, action) : undefined;
  return deciding?.answer === undefined ? undefined : { rule: deciding.rule, text: deciding.answer };
}

/** @param fired ordered by severity, then by id */
function decidingRule(fired: readonly FiredRule[], action: DecisionAction): FiredRule | undefined {
  return fired.find((rule) => rule.action === action && rule.enforced && !rule.unavailable);
}

/** Reports that an exception prevented nothing: the call is refused anyway, or cannot be enforced. */
export function preventedNothing({ rule, exception }: ExceptedInCall): ExceptedInCall {
  return { rule, exception, kept: null };
}

/** Each pair of rule and exception once, with the strongest effect prevented in any stage or tool call. */
function joinedExceptions(decisions: readonly Decision[]): ExceptedInCall[] {
  const found = new Map<string, ExceptedInCall>();
  for (const { rule, exception, kept, unavailable } of decisions.flatMap((decision) => decision.excepted)) {
    if (unavailable) continue;
    const key = `${rule} ${exception}`;
    const known = found.get(key)?.kept ?? null;
    found.set(key, {
      rule,
      exception,
      kept: strengthOf(known ?? undefined) > strengthOf(kept ?? undefined) ? known : kept,
    });
  }
  return [...found.values()].sort((a, b) => compareText(a.rule, b.rule) || compareText(a.exception, b.exception));
}
