import { once } from 'node:events';
import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { CallRecord, type AdmittedCall, type CallSessions } from '../calls/index.js';
import type { AppConfig } from '../config/index.js';
import { createLogger } from '../http/index.js';
import type { JudgementService } from '../judgement/index.js';
import type { UpstreamExchange } from './upstream-exchange.js';
import { AnswerHeaders } from './answer-headers.js';
import { AnswerRelay } from './answer-relay.js';
import { ClientGone } from './client-disconnect.js';
import type { GuardedRelay } from './guarded-relay.js';
import { StreamFailures } from './stream-failures.js';
import { StreamRelay } from './stream-relay.js';

const CONFIG = { proxy: { answerLimitBytes: 1_000 } } as AppConfig;
const CALL = {
  eventId: 'e',
  requestId: 'r',
  policy: { digest: 'd', policy: { onDisconnect: 'abort', monitor: true, unread: {} }, detectors: [] },
  judgement: { action: 'allow', redactions: [], restorable: new Map() },
  target: { provider: { style: 'openai' }, dialect: 'generic', governed: false },
} as unknown as AdmittedCall;

/**
 * Relays an answer of this type to a client that disconnects before it reads any of it; resolves to the recorded
 * reasons.
 */
async function reasonsOfUnread(contentType: string): Promise<(string | undefined)[]> {
  const reasons: (string | undefined)[] = [];
  const judge = ({ reason }: { readonly reason?: string }): Promise<never> => {
    reasons.push(reason);
    return Promise.resolve({} as never);
  };
  const failures = { withoutAnswer: () => Promise.reject(new Error()) };
  const record = new CallRecord(
    CALL,
    { sentMs: 0, overheadMs: 0 },
    { judge: { judge }, failures },
    { bytes: 1, ratio: 1 },
  );
  const gone = new AbortController();
  let sent: Readable | undefined;
  const reply = {
    request: { headers: {} },
    code: () => reply,
    headers: () => reply,
    send: (stream: Readable) => {
      sent = stream;
      gone.abort(new ClientGone());
      stream.destroy();
      return reply;
    },
  };
  const body = Readable.from([Buffer.from('data: {}\n\n')]);
  const answer = { status: 200, headers: { 'content-type': contentType }, body };
  const exchange = {
    record,
    answer,
    reply: reply as unknown as FastifyReply,
    signal: gone.signal,
  } satisfies UpstreamExchange;
  const streams = new StreamRelay(CONFIG, new StreamFailures(createLogger('fatal')));
  const headers = new AnswerHeaders({} as JudgementService, {} as CallSessions);
  await new AnswerRelay(CONFIG, streams, {} as GuardedRelay, headers).relay(exchange);
  if (!sent!.closed) await once(sent!, 'close');
  await new Promise(setImmediate);
  return reasons;
}

describe('an answer whose client disconnects before reading any of it', () => {
  it.each(['text/event-stream', 'image/png'])('is recorded exactly once, with the type %s', async (contentType) => {
    expect(await reasonsOfUnread(contentType)).toEqual(['client_disconnected']);
  });
});
