import type { BlockReason, DecisionAction, RedactionCount, Violation } from '../core/index.js';
import type { Judgement } from '../judgement/index.js';
import type { ClientEventType } from '../events/index.js';

/** What was decided about a submitted event, as it is told, stored and counted. */
export type Verdict =
  /** No rule judges this type. */
  | { readonly kind: 'recorded'; readonly violations: readonly []; readonly redactions: readonly [] }
  | {
      readonly kind: 'passed';
      readonly decision: Exclude<DecisionAction, 'block'>;
      readonly violations: readonly Violation[];
      readonly redactions: readonly RedactionCount[];
    }
  | {
      readonly kind: 'blocked';
      readonly decision: 'block';
      readonly reason: BlockReason;
      readonly violations: readonly Violation[];
      readonly redactions: readonly [];
    }
  /** Refused because facts could not be had: an outage, so there is no violation. */
  | {
      readonly kind: 'unavailable';
      readonly decision: 'block';
      readonly reason: 'guardrail_unavailable';
      readonly missing: readonly string[];
      readonly violations: readonly [];
      readonly redactions: readonly [];
    };

/** Reads a judgement as the answer to this type of event can express it. */
export function verdictOf(type: ClientEventType, judgement: Judgement | undefined): Verdict {
  if (judgement === undefined) return { kind: 'recorded', violations: [], redactions: [] };
  const { action, violations, redactions, missing } = judgement;
  if (judgement.unavailable) {
    const reason = 'guardrail_unavailable';
    return { kind: 'unavailable', decision: 'block', reason, missing, violations: [], redactions: [] };
  }
  switch (action) {
    case 'block': {
      const reason = judgement.reason ?? 'content_policy_violation';
      return { kind: 'blocked', decision: 'block', reason, violations, redactions: [] };
    }
    case 'redact':
      if (type === 'ai.request') return { kind: 'passed', decision: 'redact', violations, redactions };
      // The answer to a tool call carries no text, so there is nothing to hand the redaction back in.
      return { kind: 'passed', decision: 'allow', violations: violations.map(notRedacted), redactions: [] };
    case 'allow':
      return { kind: 'passed', decision: 'allow', violations, redactions };
  }
}

function notRedacted(violation: Violation): Violation {
  return violation.action === 'redact' ? { ...violation, enforced: false } : violation;
}
