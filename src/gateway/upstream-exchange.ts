import type { FastifyReply } from 'fastify';
import { weirHeaders, type CallRecord } from '../calls/index.js';
import type { UpstreamAnswer } from './upstream-client.js';

/** A provider's answer that is being sent to the client. */
export interface UpstreamExchange {
  /** Of the call: how it ends is said here. */
  readonly record: CallRecord;
  readonly answer: UpstreamAnswer;
  readonly reply: FastifyReply;
  /** Aborted with `ClientGone` when the client goes away. */
  readonly signal: AbortSignal;
}

/** What can be told before the answer is judged. */
export function requestHeaders({ record: { call, times } }: UpstreamExchange): Record<string, string> {
  return weirHeaders({
    eventId: call.eventId,
    policy: call.policy,
    decision: call.judgement.action,
    redactions: call.judgement.redactions,
    overheadMs: times.overheadMs,
  });
}
