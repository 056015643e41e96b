import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import fastify, { type FastifyInstance } from 'fastify';
import {
  CallRecord,
  type AdmittedCall,
  type CallIntake,
  type CallRecords,
  type JudgedAnswer,
  type RequestJudge,
} from '../calls/index.js';
import type { AppConfig } from '../config/index.js';
import { createLogger, WeirError } from '../http/index.js';
import { AnswerHeaders } from './answer-headers.js';
import { AnswerRelay } from './answer-relay.js';
import { GatewayService } from './gateway.service.js';
import type { GuardedRelay } from './guarded-relay.js';
import { StreamFailures } from './stream-failures.js';
import { StreamRelay } from './stream-relay.js';
import { NoConnection, type UpstreamAnswer, type UpstreamClient } from './upstream-client.js';

const PROVIDER = { id: 'openai', style: 'openai', baseUrl: 'http://provider.example' } as const;
const CONFIG = {
  server: { baseUrl: 'http://weir.example' },
  providers: [PROVIDER],
  proxy: { totalTimeoutMs: 1_000, answerLimitBytes: 1_000, furtherHeaders: [] },
} as unknown as AppConfig;
const CALL = {
  eventId: 'e',
  requestId: 'r',
  request: { model: 'm', segments: [], toolCalls: [] },
  policy: { digest: 'd', policy: { onDisconnect: 'abort', monitor: true, unread: {} }, detectors: [] },
  judgement: { action: 'allow', redactions: [], edits: [], restorable: new Map() },
  target: { provider: PROVIDER, path: '/v1/chat/completions', dialect: 'openai.chat', governed: true },
  caller: { accountId: 'a' },
  hold: {},
  startedMs: 0,
  rollback: () => undefined,
} as unknown as AdmittedCall;

/** The verdict on every answer: nothing in it has to be changed. */
const JUDGED = {
  judgement: { action: 'allow', edits: [] },
  texts: { call: { segments: [] } },
  removedHeaders: new Set<string>(),
  headers: {},
} as unknown as JudgedAnswer;
const HEADERS = new AnswerHeaders(
  { maskTexts: () => Promise.resolve([]), judge: () => Promise.reject(new Error('nothing was found')) },
  { open: () => Promise.resolve(undefined) },
);

interface Seen {
  readonly failures: unknown[];
  readonly asked: string[];
}

/** A gateway with this provider, whose requests are stored before or beside the call. */
function gatewayTo(
  send: () => Promise<UpstreamAnswer>,
  inFlight?: AdmittedCall['inFlight'],
  seen: Seen = { failures: [], asked: [] },
): FastifyInstance {
  const logger = createLogger('fatal');
  const failures = {
    withoutAnswer: (_call: unknown, reason: string, _times: unknown, about: object = {}) =>
      Promise.resolve(void seen.failures.push({ reason, ...about })),
  };
  const judge = { judge: () => Promise.resolve(JUDGED) };
  const records = {
    open: (...opened: Parameters<CallRecords['open']>) =>
      new CallRecord(...opened, { judge, failures }, { bytes: 1, ratio: 1 }),
  };
  const read = { rollback: () => undefined, leave: () => undefined };
  const gateway = new GatewayService(
    CONFIG,
    logger,
    {
      expect: () => Promise.resolve(),
      enter: () => Promise.resolve({}),
      read: () => Promise.resolve(read),
    } as unknown as CallIntake,
    { admit: () => Promise.resolve({ ...CALL, ...(inFlight && { inFlight }) }) } as unknown as RequestJudge,
    records as unknown as CallRecords,
    { send } as unknown as UpstreamClient,
    new AnswerRelay(CONFIG, new StreamRelay(CONFIG, new StreamFailures(logger)), {} as GuardedRelay, HEADERS),
    { askedProvider: (id) => void seen.asked.push(id), streamBegan: () => undefined, gauge: () => undefined },
  );
  const server = fastify();
  server.route({
    url: '/proxy/*',
    method: ['GET', 'POST'],
    errorHandler: (error, request, reply) => void gateway.refuse(request, reply, 'openai', error),
    onRequest: (request, reply) => gateway.checkCaller(request, reply),
    handler: (request, reply) => gateway.handle(request, reply),
  });
  return server;
}

/** The answer to a call over a connection. */
async function answerOf(server: FastifyInstance) {
  try {
    const url = await server.listen({ port: 0, host: '127.0.0.1' });
    const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' };
    const response = await fetch(`${url}/proxy/openai/v1/chat/completions`, init);
    return { status: response.status, headers: response.headers, body: await response.text() };
  } finally {
    await server.close();
  }
}
const answering = (status: number, headers: UpstreamAnswer['headers'], body: Readable) => () =>
  Promise.resolve({ status, headers, body });

describe('The error of a proxied call whose request is in the log', () => {
  const breakingOff = (): Promise<UpstreamAnswer> => {
    const body = new Readable({ read: () => void setImmediate(() => body.destroy(new Error('reset'))) });
    return answering(200, { 'content-type': 'text/event-stream', 'content-encoding': 'gzip' }, body)();
  };
  it.each<[string, () => Promise<UpstreamAnswer>, string | null]>([
    ['cannot be reached', () => Promise.reject(new WeirError('upstream_unreachable')), null],
    ['answers with a redirect', answering(302, {}, Readable.from([])), 'false'],
    ['sends too long an answer', answering(200, {}, Readable.from([Buffer.alloc(2_000)])), 'false'],
    ['breaks off a compressed stream before its first byte', breakingOff, null],
  ])('names its event and the decision if the provider %s', async (_how, send, shouldRetry) => {
    const { status, headers, body } = await answerOf(gatewayTo(send));
    expect(status).toBe(502);
    const values = ['event-id', 'decision', 'policy'].map((name) => headers.get(`x-weir-${name}`));
    expect(values).toEqual(['e', 'allow', 'd']);
    expect(JSON.parse(body)).toMatchObject({ error: { code: 'upstream_unreachable', weir: { event_id: 'e' } } });
    expect([headers.get('x-should-retry'), headers.get('content-encoding')]).toEqual([shouldRetry, null]);
  });

  it('is 503 if no connection to the provider is free, which then has no part in it and charges nothing', async () => {
    const seen: Seen = { failures: [], asked: [] };
    const gateway = gatewayTo(() => Promise.reject(new NoConnection()), undefined, seen);
    const { status, headers, body } = await answerOf(gateway);
    expect([status, headers.get('retry-after'), headers.get('x-weir-event-id')]).toEqual([503, '1', 'e']);
    expect(JSON.parse(body)).toMatchObject({ error: { code: 'unavailable' } });
    expect(seen).toEqual({ failures: [{ reason: 'unavailable', sent: false }], asked: [] });
  });

  it('is recorded with the status of an error that does not arrive completely, so that it costs nothing', async () => {
    const seen: Seen = { failures: [], asked: [] };
    const send = answering(500, {}, Readable.from([Buffer.alloc(2_000)]));
    expect((await answerOf(gatewayTo(send, undefined, seen))).status).toBe(502);
    expect(seen.failures).toEqual([{ reason: 'upstream_unreachable', sent: true, status: 500 }]);
  });

  it('names no event if the log did not accept the request', async () => {
    const stored = Promise.reject(new WeirError('unavailable', { retryAfterSeconds: 1 }));
    stored.catch(() => undefined);
    const send = answering(200, {}, Readable.from([]));
    const { status, headers, body } = await answerOf(gatewayTo(send, { stored, keep: () => undefined }));
    expect([status, headers.get('x-weir-event-id')]).toEqual([503, null]);
    expect(body).not.toContain('event_id');
  });
});

describe('A handshake that asks for another protocol', () => {
  const askedFor = async (protocol: string): Promise<{ status: number | undefined; body: string }> => {
    const server = gatewayTo(answering(200, { 'x-request-id': 'p' }, Readable.from([])));
    try {
      const url = await server.listen({ port: 0, host: '127.0.0.1' });
      const headers = { connection: 'Upgrade', upgrade: protocol };
      const asking = request(`${url}/proxy/openai/v1/realtime?model=m`, { headers }).end();
      const [response] = (await once(asking, 'response')) as [IncomingMessage];
      return { status: response.statusCode, body: (await response.toArray()).map(String).join('') };
    } finally {
      await server.close();
    }
  };

  it.each(['websocket', 'WebSocket', 'h2c, websocket'])(
    'is refused if the protocol is WebSocket, instead of being sent to the provider as a plain request: %s',
    async (protocol) => {
      const { status, body } = await askedFor(protocol);
      expect(status).toBe(422);
      expect(JSON.parse(body)).toMatchObject({ error: { code: 'invalid_request', param: 'upgrade' } });
    },
  );
});

describe('The answer of a provider', () => {
  it('names no address at the provider where a client goes on, but one at Weir', async () => {
    const headers = { location: `${PROVIDER.baseUrl}/v1/files/1`, 'x-goog-upload-url': 'http://elsewhere.example/x' };
    const answer = await answerOf(gatewayTo(answering(404, headers, Readable.from([Buffer.from('{}')]))));
    expect(answer.headers.get('location')).toBe('http://weir.example/proxy/openai/v1/files/1');
    expect(answer.headers.get('x-goog-upload-url')).toBeNull();
  });
});
