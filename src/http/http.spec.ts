import { BadRequestException, Controller, Get, Module, Post, Req } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import fc from 'fast-check';
import type { FastifyRequest } from 'fastify';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { ConfigModule, loadConfig } from '../config/index.js';
import { ERROR_CATALOGUE, type ErrorType } from '../core/index.js';
import {
  createHttpAdapter,
  createLogger,
  ERROR_STATUS,
  HttpModule,
  readJsonBody,
  uuidV7,
  WeirError,
  type FinishedRequest,
} from './index.js';
import { VERSION } from '../version.js';

const CANARY = 'canary' + '-7f3a91';

@Controller()
class ProbeController {
  @Get('fail/:how')
  fail(@Req() request: FastifyRequest<{ Params: { how: string }; Querystring: { again?: string } }>): string {
    const { how } = request.params;
    if (request.query.again === 'never')
      throw new WeirError(how as ErrorType, { retryAfterSeconds: 1.2, retryHelps: false });
    if (how === 'crash') throw new Error(`secret ${CANARY}`);
    if (how === 'nest') throw new BadRequestException(`secret ${CANARY}`);
    throw new WeirError(how as ErrorType, { retryAfterSeconds: 1.2 });
  }

  @Get('ip')
  ip(@Req() request: FastifyRequest): unknown {
    return { ip: request.ip, host: request.host };
  }

  /** More than the buffers of both sockets contain. */
  @Get('large')
  large(): Buffer {
    return Buffer.alloc(48 * 1024 * 1024);
  }

  @Post('json')
  json(@Req() request: FastifyRequest): unknown {
    return { got: readJsonBody(request).value };
  }

  @Post(['v1/things', 'v1/policies/:environment/deployments'])
  managed(@Req() request: FastifyRequest): unknown {
    return { bytes: (request.body as Buffer).length };
  }

  @Post('proxy/echo')
  proxy(@Req() request: FastifyRequest): unknown {
    return { bytes: (request.body as Buffer).length };
  }
}

describe('the HTTP layer', () => {
  let app: NestFastifyApplication;
  let lines: string[];
  let finished: FinishedRequest[];

  beforeAll(async () => {
    const limits = { WEIR_EVENTS_BODY_LIMIT: '2KiB', WEIR_PROXY_BODY_LIMIT: '4KiB', WEIR_CLIENT_IDLE_TIMEOUT: '800ms' };
    const config = loadConfig(limits, () => '');
    lines = [];
    finished = [];
    const logger = createLogger('debug', { write: (line: string) => void lines.push(line) });
    @Module({ imports: [ConfigModule.forRoot(config), HttpModule.forRoot(logger)], controllers: [ProbeController] })
    class ProbeModule {}
    const adapter = createHttpAdapter(config, logger, (request) => void finished.push(request), {
      isDraining: false,
    });
    app = await NestFactory.create<NestFastifyApplication>(ProbeModule, adapter, { logger: false, bodyParser: false });
    await app.listen(0, '127.0.0.1');
  });
  afterAll(() => app.close());
  beforeEach(() => {
    lines.length = 0;
    finished.length = 0;
  });

  const post = (url: string, payload: string | Buffer, headers: Record<string, string> = {}) =>
    app.inject({ method: 'POST', url, payload, headers: { 'content-type': 'application/json', ...headers } });

  it('logs an overload refusal in one line at level info, and an outage as a failure', async () => {
    const problemOf = async (type: ErrorType): Promise<unknown[]> => {
      lines.length = 0;
      await app.inject({ url: `/fail/${type}` });
      return lines.map((line) => {
        const { level, msg, refused } = JSON.parse(line) as Record<string, unknown>;
        return [level, msg, refused];
      });
    };
    expect(await problemOf('overloaded')).toEqual([[30, 'request', 'overloaded']]);
    expect(await problemOf('unavailable')).toEqual([
      [50, 'request failed', undefined],
      [40, 'request', undefined],
    ]);
  });

  it.each(Object.keys(ERROR_CATALOGUE) as ErrorType[])('answers %s in the common error format', async (type) => {
    const answer = await app.inject({ url: `/fail/${type}`, headers: { 'x-request-id': 'trace-1' } });
    expect(answer.statusCode).toBe(ERROR_STATUS[type]);
    expect(answer.json()).toEqual({
      error: {
        type,
        message: ERROR_CATALOGUE[type].title,
        trace_id: 'trace-1',
        docs: `http://localhost:8080/docs#error-${type}`,
      },
    });
    expect(answer.headers['x-request-id']).toBe('trace-1');
    expect(answer.headers['retry-after']).toBe('2');
    const hopeless = [400, 401, 402, 422].includes(answer.statusCode) || type === 'trial_limit_reached';
    expect(answer.headers['x-should-retry']).toBe(hopeless ? 'false' : undefined);
    expect(answer.headers['www-authenticate']).toBe(answer.statusCode === 401 ? 'Bearer realm="weir"' : undefined);
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(answer.headers['x-content-type-options']).toBe('nosniff');
    expect(answer.headers['cache-control']).toBe('no-store');
  });

  it('asks for no retry of a request that would fail again, whatever its error type', async () => {
    const answer = await app.inject({ url: '/fail/upstream_unreachable?again=never' });
    expect(answer.statusCode).toBe(502);
    expect([answer.headers['x-should-retry'], answer.headers['retry-after']]).toEqual(['false', undefined]);
  });

  it('answers an unexpected error with internal_error and keeps its message out of the answer and the log', async () => {
    const answer = await app.inject({ url: '/fail/crash' });
    expect(answer.statusCode).toBe(500);
    expect(answer.json()).toMatchObject({
      error: { type: 'internal_error', message: 'An internal error occurred' },
    });
    expect(answer.body).not.toContain(CANARY);
    expect(lines.join('')).not.toContain(CANARY);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      trace_id: answer.headers['x-request-id'],
      err: { name: 'Error' },
    });
    expect(lines.join('')).toContain('ProbeController.fail');
  });

  it("turns a framework's 400 into 422, because 400 means refused by a rule", async () => {
    const answer = await app.inject({ url: '/fail/nest' });
    expect(answer.statusCode).toBe(422);
    expect(answer.body).not.toContain(CANARY);
  });

  it.each(['/nowhere', '/json', '/%zz', '/a/../../b', `/fail/${'x'.repeat(400)}`])(
    'answers 404 for %s',
    async (url) => {
      const answer = await app.inject({ url });
      expect(answer.statusCode).toBe(404);
      expect(answer.json()).toMatchObject({ error: { type: 'not_found', trace_id: answer.headers['x-request-id'] } });
    },
  );

  it.each([
    ['malformed JSON', `{"a": ${CANARY}`, {}],
    ['an empty body', '', {}],
    ['no content type', '{}', { 'content-type': '' }],
    ['text', '{}', { 'content-type': 'text/plain' }],
    ['a form', '{}', { 'content-type': 'application/x-www-form-urlencoded' }],
    ['json with a strange parameter', '{}', { 'content-type': 'application/json; a' }],
    ['a tab in the type', '{}', { 'content-type': 'application/json\t, text/plain' }],
    ['another charset', '{}', { 'content-type': 'application/json; charset=latin1' }],
    ['a compressed body', '{}', { 'content-encoding': 'gzip' }],
    ['bytes that are not UTF-8', Buffer.from([0x22, 0xff, 0x22]), {}],
    ['a nesting bomb', '['.repeat(500), {}],
  ])('answers 422 for %s', async (_name, body, headers) => {
    const answer = await post('/json', body, headers);
    expect(answer.statusCode).toBe(422);
    expect(answer.json()).toMatchObject({ error: { type: 'invalid_request', details: [{}] } });
    expect(answer.body).not.toContain(CANARY);
  });

  it.each([
    'application/json',
    'Application/JSON; charset=UTF-8',
    'application/json;charset="utf-8";',
    'application/vnd.x+json',
  ])('reads JSON sent as %s', async (type) => {
    const answer = await post('/json', '\ufeff{"a":1}', { 'content-type': type });
    expect(answer.json()).toEqual({ got: { a: 1 } });
  });

  it('answers 413 for a body over the limit of the route, but not for one below the limit', async () => {
    const body = JSON.stringify('x'.repeat(3000));
    const refused = await post('/json', body);
    expect(refused.statusCode).toBe(413);
    expect(refused.json()).toMatchObject({ error: { type: 'payload_too_large' } });
    expect((await post('/proxy/echo', body)).statusCode).toBe(201);
    expect((await post('/proxy/echo', body + body)).statusCode).toBe(413);
  });

  it('answers 413 for a body of a management route over 64 KiB, unless it may contain a bundle', async () => {
    const body = (bytes: number): string => JSON.stringify('x'.repeat(bytes - 2));
    expect((await post('/v1/things', body(64 * 1024))).statusCode).toBe(201);
    expect((await post('/v1/things', body(64 * 1024 + 1))).statusCode).toBe(413);
    expect((await post('/v1/policies/production/deployments', body(64 * 1024 + 1))).statusCode).toBe(201);
  });

  it('accepts a valid request id from the client and creates one otherwise', async () => {
    for (const sent of ['a', 'req_1:2/3', '~'.repeat(128)]) {
      const answer = await app.inject({ url: '/nowhere', headers: { 'x-request-id': sent } });
      expect(answer.headers['x-request-id']).toBe(sent);
    }
    for (const sent of ['', 'a b', 'é', '~'.repeat(129)]) {
      const answer = await app.inject({ url: '/nowhere', headers: { 'x-request-id': sent } });
      expect(answer.headers['x-request-id']).toMatch(
        /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
      );
    }
  });

  it('tells browsers its version, so that an open page of the dashboard notices an update, but not programs', async () => {
    const versionFor = async (url: string, headers: Record<string, string>): Promise<unknown> =>
      (await app.inject({ url, headers })).headers['x-weir-version'];
    const cookie = '__Host-weir_session=any';
    expect(await versionFor('/v1/nowhere', { cookie })).toBe(VERSION);
    expect(await versionFor('/v1/nowhere', {})).toBeUndefined();
    expect(await versionFor('/proxy/nowhere', { cookie })).toBeUndefined();
  });

  it('logs a request by its route pattern, without query, headers or body', async () => {
    await app.inject({ url: `/fail/not_found?q=${CANARY}`, headers: { authorization: `Bearer ${CANARY}` } });
    await post('/json', JSON.stringify(CANARY));
    expect(lines.join('')).not.toContain(CANARY);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ method: 'GET', route: '/fail/:how', status: 404 });
    expect(finished[0]).toMatchObject({ method: 'GET', route: '/fail/:how', status: 404 });
  });

  /** Sends bytes on a separate connection; resolves with the complete response when the server has closed it. */
  async function sendBytes(bytes: string): Promise<string> {
    const port = Number(new URL(await app.getUrl()).port);
    return new Promise<string>((resolve, reject) => {
      const socket = connect(port, '127.0.0.1', () => socket.write(bytes));
      let received = '';
      socket.on('data', (chunk) => (received += String(chunk)));
      socket.on('end', () => resolve(received));
      socket.on('error', reject);
    });
  }

  it.each([
    ['bytes that are not an HTTP request', 'NONSENSE\r\n\r\n'],
    ['a request without Host', 'GET /ip HTTP/1.1\r\nConnection: close\r\n\r\n'],
    ['a request without Host for an unknown path', 'GET /nowhere HTTP/1.1\r\nConnection: close\r\n\r\n'],
    ['an invalid length', 'POST /json HTTP/1.1\r\nHost: a\r\nContent-Length: x\r\n\r\n'],
  ])('answers %s with 422, never 400, and asks for no retry', async (_name, bytes) => {
    const text = await sendBytes(bytes);
    expect(text).toMatch(/^HTTP\/1.1 422 /);
    expect(text).toContain('"type":"invalid_request"');
    expect(text).toContain('\r\nx-should-retry: false\r\n');
  });

  it.each([
    ['headers', `GET /ip HTTP/1.1\r\nHost: a\r\nX-A: ${'a'.repeat(20_000)}\r\n\r\n`],
    ['an address', `GET /ip?${'a'.repeat(20_000)} HTTP/1.1\r\nHost: a\r\n\r\n`],
  ])('answers %s over the limit with 431, which the SDKs wait for, and names the limit', async (_name, bytes) => {
    const text = await sendBytes(bytes);
    expect(text).toMatch(/^HTTP\/1.1 431 /);
    expect(text).toContain('\r\nx-should-retry: false\r\n');
    expect(text).toContain('"message":"The address and the headers of the request are over 16 KiB"');
  });

  it('closes the connection of a client that does not read its answer, on any route', async () => {
    const requested = once(app.getHttpServer(), 'request') as Promise<[unknown, ServerResponse]>;
    const socket = connect(Number(new URL(await app.getUrl()).port), '127.0.0.1').pause();
    socket.write('GET /large HTTP/1.1\r\nHost: a\r\n\r\n');
    const [, response] = await requested;
    await once(response, 'close');
    expect(response.writableFinished).toBe(false);
    socket.destroy();
  });

  it('does not log a failure when a client disconnects while sending its body', async () => {
    const { port } = new URL(await app.getUrl());
    const head = 'POST /json HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n';
    const gone = new Promise((resolve) =>
      app.getHttpServer().once('connection', (socket) => socket.once('close', resolve)),
    );
    const started = new Promise((resolve) => app.getHttpServer().once('request', resolve));
    const socket = connect(Number(port), '127.0.0.1', () => socket.write(`${head}{`));
    await started;
    socket.destroy();
    await gone;
    await nextTurn();
    expect(lines.filter((line) => line.includes('request failed'))).toEqual([]);
  });

  it('does not trust forwarded addresses by default', async () => {
    const headers = { 'x-forwarded-for': '203.0.113.9', 'x-forwarded-host': 'evil.example', host: 'weir.example' };
    const answer = await app.inject({ url: '/ip', headers });
    expect(answer.json()).toEqual({ ip: '127.0.0.1', host: 'weir.example' });
  });
});

describe('uuidV7', () => {
  it('contains the time in its leading bits', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2 ** 48 - 1 }), (nowMs) => {
        const id = uuidV7(nowMs);
        expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
        expect(Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16)).toBe(nowMs);
      }),
    );
  });

  it('does not repeat', () => {
    expect(new Set(Array.from({ length: 5000 }, () => uuidV7(1))).size).toBe(5000);
  });
});
