import type { FastifyReply } from 'fastify';
import { clientStyle, weirHeaders, type CallRecord, type HeaderText } from '../calls/index.js';
import type { ProviderStyle } from '../core/index.js';
import type { UpstreamAnswer } from './upstream-client.js';

/** The findings in the headers of a provider's answer. */
export interface FoundInHeaders {
  /** The texts with findings, which are judged again with the body. */
  readonly texts: readonly HeaderText[];
  /** The names of headers that are not sent: a rule refuses the answer for them, or would mask something in them. */
  readonly removed: ReadonlySet<string>;
  /** Whether a rule refuses the answer for its headers: then nothing is sent before the whole answer is judged. */
  readonly areRefused: boolean;
}

/** A provider's answer that is being sent to the client. */
export interface UpstreamExchange {
  /** The call's record; its end is reported here. */
  readonly record: CallRecord;
  readonly answer: UpstreamAnswer;
  /** Absent if nothing was found in the headers. */
  readonly inHeaders?: FoundInHeaders;
  readonly reply: FastifyReply;
  /** Aborted with `ClientGone` when the client disconnects. */
  readonly signal: AbortSignal;
}

/** The style of the errors and keep-alive events that the client of an exchange reads. */
export function styleOf({ record, reply }: Pick<UpstreamExchange, 'record' | 'reply'>): ProviderStyle {
  return clientStyle(record.call.target, reply.request.headers);
}

/** The headers' texts with which the body is judged. */
export function headerTextsIn({ inHeaders }: Pick<UpstreamExchange, 'inHeaders'>): {
  readonly headerTexts?: readonly HeaderText[];
} {
  return inHeaders === undefined ? {} : { headerTexts: inHeaders.texts };
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
