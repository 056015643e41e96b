/** The decision about a call in the form that is reported, stored and counted, which is equal for all entry points. */
import {
  masksTexts,
  refuses,
  type BlockReason,
  type CallKind,
  type CannedAnswer,
  type DecisionAction,
  type RedactionCount,
  type Violation,
} from '../core/index.js';
import type { Judgement } from '../judgement/index.js';
import { blockReason, reportedViolations } from './refusal.js';

export interface Verdict {
  /** Absent for steps that no rule judges. */
  readonly decision?: DecisionAction;
  /** The reason of a block. */
  readonly reason?: BlockReason | 'guardrail_unavailable';
  /** Whether the call was refused because facts were unavailable: an outage, so there is no violation. */
  readonly unavailable: boolean;
  readonly violations: readonly Violation[];
  readonly redactions: readonly RedactionCount[];
}

/** The verdict on a step that no rule judges. */
export const NOT_JUDGED: Verdict = { unavailable: false, violations: [], redactions: [] };

/**
 * Converts a judgement to a verdict that the answer to this kind of call can express.
 * @param canned the answer that the client of a refused call receives instead of an error
 */
export function verdictOf(kind: CallKind, judgement: Judgement, canned?: CannedAnswer): Verdict {
  const { action, redactions, unavailable } = judgement;
  const violations = reportedViolations(judgement, canned);
  if (unavailable) {
    return { decision: 'block', reason: 'guardrail_unavailable', unavailable, violations: [], redactions: [] };
  }
  if (refuses(action)) return { decision: action, reason: blockReason(judgement), unavailable, violations, redactions };
  // The answer to a tool call has no text in which a redaction could be returned.
  if (masksTexts(action) && kind === 'tool_call') {
    return { decision: 'allow', unavailable, violations: violations.map(notRedacted), redactions: [] };
  }
  return { decision: action, unavailable, violations, redactions };
}

function notRedacted(violation: Violation): Violation {
  return violation.action === 'redact' ? { ...violation, enforced: false } : violation;
}
