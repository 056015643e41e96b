import {
  MAX_READ_TOOL_CALLS,
  SESSIONS,
  TOOL_CALL_LIMIT,
  type BlockReason,
  type CannedAnswer,
  type Violation,
} from '../core/index.js';
import { WeirError } from '../http/index.js';
import { blockMessage, type Judgement } from '../judgement/index.js';

const RETRY_AFTER_SECONDS = 1;
/** No detector failed, and a repeated call would cost another answer, which may have as many tool calls. */
const TOO_MANY_TOOL_CALLS = {
  message: `A guardrail could not be evaluated: the answer has more than ${MAX_READ_TOOL_CALLS} tool calls`,
  retryHelps: false,
} as const;

/**
 * A block as an error: 400 for a rule's decision, 503 if facts could not be determined.
 * @param canned the answer that the client receives instead, if the rule has one and the entry point can send it
 */
export function refusalOf(judgement: Judgement, eventId: string, canned?: CannedAnswer): WeirError {
  if (judgement.unavailable) {
    if (judgement.missing.every((name) => Object.hasOwn(LACKS, name))) return lacking(judgement, eventId);
    return new WeirError('guardrail_unavailable', {
      message: `A guardrail could not be evaluated; missing: ${judgement.missing.join(', ')}`,
      ...(judgement.missing.includes(TOOL_CALL_LIMIT)
        ? TOO_MANY_TOOL_CALLS
        : { retryAfterSeconds: RETRY_AFTER_SECONDS }),
      decision: 'block',
      violations: [],
      eventId,
    });
  }
  return new WeirError(blockReason(judgement), {
    message: blockMessage(judgement.violations),
    decision: 'block',
    violations: reportedViolations(judgement, canned),
    eventId,
    ...(canned === undefined ? {} : { canned }),
  });
}

/** The violations of a call. If the client receives a rule's canned answer, the enforced violations of that rule are marked `answered`. */
export function reportedViolations(
  { violations, answer }: Pick<Judgement, 'violations' | 'answer'>,
  canned: CannedAnswer | undefined,
): readonly Violation[] {
  if (canned === undefined) return violations;
  return violations.map((violation) =>
    violation.rule === answer?.rule && violation.enforced ? { ...violation, answered: true } : violation,
  );
}

/** Missing data that only the sender of a call can supply: no detector failed, and sending the same call again cannot help. */
const LACKS: Readonly<Record<string, { readonly path: string; readonly message: string }>> = {
  [SESSIONS.unnamed]: {
    path: 'payload.session_id',
    message:
      'is missing: a rule depends on earlier steps of the session (events can also name the session in `metadata.session_id`, proxied calls in the header `X-Service-Session`)',
  },
  [SESSIONS.unknownAnswer]: {
    path: 'previous_response_id',
    message:
      'names a response that Weir has not seen in the last 24 hours, and a rule depends on earlier steps: name the session in the header `X-Service-Session`',
  },
  [SESSIONS.tooLong]: {
    path: 'payload.session_id',
    message: 'names a session with more steps than are stored: start another session',
  },
};

function lacking({ missing }: Judgement, eventId: string): WeirError {
  return new WeirError('invalid_request', {
    message: `A rule cannot be evaluated because the call lacks: ${missing.join(', ')}`,
    details: missing.map((name) => LACKS[name]!),
    decision: 'block',
    violations: [],
    eventId,
  });
}

/** The reason of a block in the log. */
export function blockReason(judgement: Judgement): BlockReason {
  return judgement.reason ?? 'content_policy_violation';
}

/** Whether an error is a rule's verdict on the content, so that the call was judged like any other. */
export function isContentBlock(error: unknown): boolean {
  return error instanceof WeirError && ['content_policy_violation', 'tool_use_blocked'].includes(error.type);
}
