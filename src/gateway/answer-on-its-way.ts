import type { FastifyReply } from 'fastify';
import { weirHeaders, type AdmittedCall, type CallTimes } from '../calls/index.js';
import type { UpstreamAnswer } from './upstream-client.js';

/** A provider's answer on its way to the client. */
export interface AnswerOnItsWay {
  readonly call: AdmittedCall;
  readonly answer: UpstreamAnswer;
  readonly reply: FastifyReply;
  /** Aborted with `ClientGone` when the client goes away. */
  readonly signal: AbortSignal;
  readonly times: CallTimes;
}

/** What can be told before the answer is judged. */
export function requestHeaders({ call, times }: AnswerOnItsWay): Record<string, string> {
  return weirHeaders({
    eventId: call.eventId,
    policy: call.policy,
    decision: call.judgement.action,
    redactions: call.judgement.redactions,
    overheadMs: times.overheadMs,
  });
}
