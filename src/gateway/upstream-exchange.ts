import type { FastifyReply } from 'fastify';
import { weirHeaders, type CallRecord } from '../calls/index.js';
import type { UpstreamAnswer } from './upstream-client.js';

/** A provider's answer that is being sent to the client. */
export interface UpstreamExchange {
  /** The call's record; its end is reported here. */
  readonly record: CallRecord;
  readonly answer: UpstreamAnswer;
  readonly reply: FastifyReply;
  /** Aborted with `ClientGone` when the client disconnects. */
  readonly signal: AbortSignal;
}

/** The response headers that are known before the answer is judged. */
export function requestHeaders({ record: { call, times } }: Pick<UpstreamExchange, 'record'>): Record<string, string> {
  return weirHeaders({
    eventId: call.eventId,
    policy: call.policy,
    decision: call.judgement.action,
    redactions: call.judgement.redactions,
    overheadMs: times.overheadMs,
  });
}
