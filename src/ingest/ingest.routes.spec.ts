import { Controller, HttpCode, Inject, Module, Post, Req, Res, type Type } from '@nestjs/common';
import { APP_GUARD, NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ConfigModule, loadConfig } from '../config/index.js';
import {
  bearerOf,
  createHttpAdapter,
  createLogger,
  HttpModule,
  noteCaller,
  noteSubject,
  readingJsonBody,
  settleRequestId,
  WeirError,
  type FinishedRequest,
} from '../http/index.js';
import { runCooperatively } from '../judgement/index.js';
import { IngestController } from './ingest.controller.js';
import { IngestRoutes } from './ingest.routes.js';
import { IngestService, type SubmitInput, type SubmitResult } from './ingest.service.js';
import { CALLER } from './testdata/caller.js';

/** Does what the body says. */
const service: Pick<IngestService, 'submit'> = {
  async submit({ key, readBody, traceId, settleTraceId, setHeader }: SubmitInput, onCaller): Promise<SubmitResult> {
    if (key === undefined) throw new WeirError('authentication_error');
    onCaller(CALLER);
    setHeader('ratelimit', '"events";r=1');
    const { does } = (await readBody()).value as { readonly does?: string };
    settleTraceId?.(`${traceId}-settled`);
    if (does === 'crash') throw new Error('not shown');
    if (does === 'be busy') throw new WeirError('overloaded', { retryAfterSeconds: 1.2 });
    if (does === 'be down') throw new WeirError('unavailable', { retryAfterSeconds: 2, cause: new Error('gone') });
    const headers = { 'idempotent-replayed': 'true' };
    if (does === 'refuse') return { answer: { status: 400, headers, body: '{"error":{}}' }, replayed: false };
    return { answer: { status: 200, headers, body: '{"event_id":"é"}' }, eventId: 'e', replayed: does === 'replay' };
  },
};

/**
 * The oracle: the same steps as a usual handler of Nest. They are repeated on purpose, so that a step that is lost or changed in the route
 * shows as a difference.
 */
@Controller('v1/events')
class ThroughNest {
  constructor(@Inject(IngestService) private readonly ingest: Pick<IngestService, 'submit'>) {}

  @Post()
  @HttpCode(200)
  async submit(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { answer, eventId, replayed } = await this.ingest.submit(
      {
        key: bearerOf(request),
        readBody: () => runCooperatively(readingJsonBody(request)),
        traceId: request.id,
        settleTraceId: (id) => settleRequestId(request, reply, id),
        client: reply.raw,
        setHeader: (name, value) => void reply.header(name, value),
      },
      (caller) => noteCaller(request, caller),
    );
    noteSubject(request, { ...(eventId === undefined ? {} : { eventId }), ...(replayed ? { replayed } : {}) });
    await reply.code(answer.status).headers(answer.headers).type('application/json; charset=utf-8').send(answer.body);
  }
}

/** A server with only this route. */
async function serverOf(controller: Type) {
  const config = loadConfig({ WEIR_EVENTS_BODY_LIMIT: '2KiB' }, () => '');
  const lines: string[] = [];
  const finished: FinishedRequest[] = [];
  const logger = createLogger('debug', { write: (line: string) => void lines.push(line) });
  let guarded = 0;
  const guard = { canActivate: () => (guarded += 1) > 0 };

  @Module({
    imports: [ConfigModule.forRoot(config), HttpModule.forRoot(logger)],
    controllers: [controller],
    providers: [
      { provide: IngestService, useValue: service },
      { provide: APP_GUARD, useValue: guard },
      ...(controller === IngestController ? [IngestRoutes] : []),
    ],
  })
  class OneRoute {}

  const adapter = createHttpAdapter(config, logger, (request) => void finished.push(request), { isDraining: false });
  const app = await NestFactory.create<NestFastifyApplication>(OneRoute, adapter, { logger: false, bodyParser: false });
  if (controller === IngestController) app.get(IngestRoutes).replaceHandler();
  await app.listen(0, '127.0.0.1');
  return { app, lines, finished, guarded: () => guarded };
}

const JSON_TYPE = { 'content-type': 'application/json', authorization: 'Bearer k' };
const REQUESTS: Readonly<Record<string, { readonly body?: string; readonly headers?: Record<string, string> }>> = {
  'an event': { body: '{}', headers: JSON_TYPE },
  'a repeated event': { body: '{"does":"replay"}', headers: JSON_TYPE },
  'an event that is refused': { body: '{"does":"refuse"}', headers: JSON_TYPE },
  'an event of a browser': { body: '{}', headers: { ...JSON_TYPE, cookie: 'a=b', accept: 'text/html' } },
  'a failure': { body: '{"does":"crash"}', headers: JSON_TYPE },
  'a failure in a browser': { body: '{"does":"crash"}', headers: { ...JSON_TYPE, accept: 'text/html' } },
  overload: { body: '{"does":"be busy"}', headers: JSON_TYPE },
  'an outage': { body: '{"does":"be down"}', headers: JSON_TYPE },
  'no key': { body: '{}', headers: { 'content-type': 'application/json' } },
  'no body': { headers: { authorization: 'Bearer k' } },
  'no JSON': { body: '{"a', headers: JSON_TYPE },
  'another type': { body: '{}', headers: { ...JSON_TYPE, 'content-type': 'text/plain' } },
  'an invalid type': { body: '{}', headers: { ...JSON_TYPE, 'content-type': 'json' } },
  'a body over the limit': { body: `{"a":"${'a'.repeat(3_000)}"}`, headers: JSON_TYPE },
};

describe('POST /v1/events', () => {
  let servers: readonly Awaited<ReturnType<typeof serverOf>>[];
  beforeAll(async () => void (servers = [await serverOf(IngestController), await serverOf(ThroughNest)]));
  afterAll(() => Promise.all(servers.map(({ app }) => app.close())));

  /** The answer to a request, and what is logged and measured about it; without times. */
  async function resultOf(server: (typeof servers)[number], { body, headers }: (typeof REQUESTS)[string]) {
    server.lines.length = server.finished.length = 0;
    const url = `${await server.app.getUrl()}/v1/events`;
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'x-request-id': '0190163d-8694-739b-aea5-966c26f8ad90', ...headers },
      ...(body === undefined ? {} : { body }),
    });
    const answer = [response.status, [...response.headers].filter(([name]) => name !== 'date'), await response.text()];
    while (server.finished.length === 0) await new Promise(setImmediate);
    const logged = server.lines.map((line) => {
      const { time: _time, ms: _ms, err: _err, ...rest } = JSON.parse(line) as Record<string, unknown>;
      return rest;
    });
    return { answer, logged, measured: server.finished.map(({ durationMs: _ms, ...rest }) => rest) };
  }

  it.each(Object.entries(REQUESTS))('is answered, logged and measured as through Nest: %s', async (_name, request) => {
    const [direct, throughNest] = servers;
    expect(await resultOf(direct!, request)).toEqual(await resultOf(throughNest!, request));
  });

  it('does not pass the guards of Nest, whose limits do not apply to it', () => {
    expect(servers[0]!.guarded()).toBe(0);
    expect(servers[1]!.guarded()).toBeGreaterThan(0);
  });
});
