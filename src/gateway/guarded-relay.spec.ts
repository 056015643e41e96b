import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { errors } from 'undici';
import { AccessUnavailable } from '../access/index.js';
import { CallRecord, type AdmittedCall, type CallSessions } from '../calls/index.js';
import type { AppConfig } from '../config/index.js';
import type { AnswerPlan } from '../core/index.js';
import { createLogger } from '../http/index.js';
import type { JudgementService } from '../judgement/index.js';
import { GuardedRelay } from './guarded-relay.js';
import { StreamFailures } from './stream-failures.js';
import type { UpstreamExchange } from './upstream-exchange.js';

const CONFIG = { proxy: { answerLimitBytes: 1_000, answerRatio: 100 } } as unknown as AppConfig;
const CALL = {
  eventId: 'e',
  requestId: 'r',
  caller: { accountId: 'a' },
  key: {},
  request: { model: 'm', segments: [], toolCalls: [] },
  annotations: {},
  policy: { digest: 'd', policy: { onDisconnect: 'abort', monitor: true }, detectors: [] },
  judgement: { action: 'allow', redactions: [], restorable: new Map() },
  target: { provider: { id: 'openai', style: 'openai' }, governed: false, dialect: 'openai.chat' },
} as unknown as AdmittedCall;

/** Relays a stream that fails. @returns the status of the answer, its error code and the recorded reason */
async function relayed(body: Readable, guard: JudgementService['guard'], type = 'text/event-stream') {
  let [status, code, reason] = [0, '', ''];
  const failures = {
    withoutAnswer: (_call: AdmittedCall, why: string) => ((reason = why), Promise.resolve()),
  };
  const judge = { judge: () => Promise.reject(new Error()) };
  const record = new CallRecord(CALL, { sentMs: 0, overheadMs: 0 }, { judge, failures }, { bytes: 1, ratio: 1 });
  const reply = {
    request: { headers: {} },
    code: (sent: number) => ((status = sent), reply),
    headers: () => reply,
    send: (sent: string) => {
      code = (JSON.parse(sent) as { error: { code: string } }).error.code;
      return reply;
    },
  };
  const answer = { status: 200, headers: { 'content-type': type }, body };
  const exchange = {
    ...{ record, answer, reply: reply as unknown as FastifyReply },
    signal: new AbortController().signal,
  } satisfies UpstreamExchange;
  const relay = new GuardedRelay(CONFIG, { guard } as JudgementService, new StreamFailures(createLogger('fatal')), {
    open: () => Promise.resolve(undefined),
  } as unknown as CallSessions);
  await relay.relay(exchange, {} as AnswerPlan);
  return { status, code, reason };
}

describe('a judged stream that fails before its first byte', () => {
  const stream = (): Readable => Readable.from([Buffer.from('data: {}\n\n')]);

  it('is reported as an outage of the service if the key for its tokens cannot be read', async () => {
    const noKey = () => Promise.reject(new AccessUnavailable());
    expect(await relayed(stream(), noKey)).toEqual({ status: 503, code: 'unavailable', reason: 'unavailable' });
  });

  it('is reported as an error of the service if Weir fails to judge it', async () => {
    let asked = 0;
    const defect = () => ((asked += 1), Promise.reject(new RangeError('Maximum call stack size exceeded')));
    expect(await relayed(stream(), defect)).toMatchObject({ status: 500, reason: 'internal_error' });
    expect(asked).toBe(1);
  });

  it.each([
    [new errors.SocketError('other side closed'), 'upstream_unreachable'],
    [new errors.BodyTimeoutError(), 'upstream_timeout'],
  ])('is reported as a failure of the provider if its connection fails with %s', async (error, reason) => {
    const body = new Readable({ read: () => undefined });
    const guard = (() => {
      setImmediate(() => body.destroy(error));
      return Promise.resolve({});
    }) as unknown as JudgementService['guard'];
    expect(await relayed(body, guard)).toMatchObject({ reason });
  });

  it('is reported as a failure of the provider if its connection is closed before the end of the stream', async () => {
    const body = new Readable({ read: () => undefined });
    const guard = (() => {
      setImmediate(() => body.destroy());
      return Promise.resolve({});
    }) as unknown as JudgementService['guard'];
    expect(await relayed(body, guard)).toMatchObject({ reason: 'upstream_unreachable' });
  });

  it('is refused without being judged if clients could read it in another encoding', async () => {
    let asked = 0;
    const guard = () => ((asked += 1), Promise.reject(new Error()));
    expect(await relayed(stream(), guard, 'text/event-stream; charset=utf-16')).toEqual({
      status: 502,
      code: 'upstream_unreachable',
      reason: 'upstream_unreachable',
    });
    expect(asked).toBe(0);
  });
});
