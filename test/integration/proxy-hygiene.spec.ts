import { once } from 'node:events';
import { connect, createServer, type Server } from 'node:net';
import zlib from 'node:zlib';
import { portOf } from '../support/ports.js';
import { recordedAnswer, type RecordedEvent } from '../support/recorded-answer.js';
import { SocketUpstream } from '../support/socket-upstream.js';
import { startTestApp, type TestApp } from '../support/test-app.js';

type Environment = 'development' | 'production';

const CHAT = '{"messages":[{"role":"user","content":"x"}]}';
const STREAMED = '{"stream":true,"messages":[{"role":"user","content":"x"}]}';
const answer = (body: string | Buffer, head = 'content-type: application/json', status = '200 OK'): Buffer =>
  Buffer.concat([
    Buffer.from(`HTTP/1.1 ${status}\r\n${head}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n`),
    Buffer.from(body),
  ]);
const OK = answer('{"ok":true}');
const SSE_HEAD = 'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n';
const httpChunk = (text: string): string => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;
const LAST_CHUNK = '0\r\n\r\n';
const frame = (content: string): string => `data: {"choices":[{"index":0,"delta":{"content":"${content}"}}]}\n\n`;

describe('the proxy on the wire', () => {
  let upstream: SocketUpstream;
  let silent: Server;
  let app: TestApp;
  beforeAll(async () => {
    upstream = await SocketUpstream.start();
    // Accepts connections, but never answers the TLS handshake.
    silent = createServer((socket) => void socket.on('error', () => undefined).resume());
    silent.listen(0, '127.0.0.1');
    await once(silent, 'listening');
    app = await startTestApp({
      env: {
        WEIR_OPENAI_BASE_URL: upstream.url,
        WEIR_ANTHROPIC_BASE_URL: `https://127.0.0.1:${portOf(silent)}`,
        WEIR_UPSTREAM_CONNECT_TIMEOUT: '300ms',
        WEIR_RATE_PROXY: 'off',
        WEIR_PROXY_BODY_LIMIT: '2MiB',
        WEIR_PROXY_ANSWER_LIMIT: '2MiB',
        WEIR_PROXY_HEADERS: 'team-*',
        WEIR_UPSTREAM_HEADERS_TIMEOUT: '700ms',
        WEIR_UPSTREAM_IDLE_TIMEOUT: '700ms',
        WEIR_UPSTREAM_TOTAL_TIMEOUT: '3s',
        WEIR_CLIENT_IDLE_TIMEOUT: '1s',
        WEIR_PROXY_TOKEN_IDS: 'refuse',
      },
    });
  }, 60_000);
  afterAll(async () => {
    await app.close();
    await upstream.close();
    silent.close();
  });
  beforeEach(() => {
    upstream.requests.length = 0;
    upstream.answerBytes(OK);
  });

  const call = (
    requestId: string,
    { environment = 'production', ...init }: RequestInit & { environment?: Environment } = {},
  ): Promise<Response> =>
    fetch(`${app.url}/proxy/openai/v1/chat/completions`, {
      method: 'POST',
      body: CHAT,
      ...init,
      headers: {
        'x-service-key': app.bootstrap.keys[environment],
        'content-type': 'application/json',
        'x-request-id': requestId,
        ...(init.headers as Record<string, string> | undefined),
      },
    });
  const outcome = (requestId: string): Promise<RecordedEvent> => recordedAnswer(app, requestId);
  /** Sends these bytes unchanged, and returns everything received until the connection closes. */
  const raw = async (bytes: string): Promise<string> => {
    const socket = connect(Number(new URL(app.url).port), '127.0.0.1');
    let received = '';
    socket.on('data', (chunk) => (received += chunk.toString('latin1')));
    socket.on('error', () => undefined);
    socket.write(bytes);
    await once(socket, 'close');
    return received;
  };
  const rawCall = (head: string, body = CHAT): Promise<string> =>
    raw(
      `POST /proxy/openai/v1/chat/completions HTTP/1.1\r\nhost: evil.example\r\nconnection: close\r\nx-service-key: ${app.bootstrap.keys.production}\r\ncontent-type: application/json\r\n${head}content-length: ${body.length}\r\n\r\n${body}`,
    );

  describe('requests', () => {
    it('sends the configured host header, whatever host the client names', async () => {
      await rawCall('x-forwarded-host: evil.example\r\n');
      expect(upstream.requests[0]).toContain(`\r\nhost: ${new URL(upstream.url).host}\r\n`);
      expect(upstream.requests[0]).not.toContain('evil.example');
    });

    it('ignores the host of a request target in absolute or authority form', async () => {
      const head = `host: 127.0.0.1\r\nconnection: close\r\nx-service-key: ${app.bootstrap.keys.production}\r\ncontent-length: ${CHAT.length}\r\n\r\n${CHAT}`;
      await raw(`POST http://evil.example/proxy/openai/v1/chat/completions HTTP/1.1\r\n${head}`);
      await raw(`CONNECT evil.example:443 HTTP/1.1\r\n${head}`);
      for (const request of upstream.requests) {
        expect(request).toContain(`\r\nhost: ${new URL(upstream.url).host}\r\n`);
        expect(request.split('\r\n', 1)[0]).toBe('POST /v1/chat/completions HTTP/1.1');
      }
    });

    it.each(['TRACE', 'PROPFIND', 'CONNECT'])(
      'forwards no %s request, whose answer could repeat the credential',
      async (method) => {
        const received = await raw(
          `${method} /proxy/openai/v1/chat/completions HTTP/1.1\r\nhost: x\r\nconnection: close\r\nx-service-key: ${app.bootstrap.keys.production}\r\nauthorization: Bearer own\r\n\r\n`,
        );
        expect(received).not.toMatch(/^HTTP\/1\.1 [23]/);
        expect(upstream.requests).toEqual([]);
      },
    );

    it('forwards no body with methods that have none', async () => {
      await raw(
        `GET /proxy/openai/v1/models HTTP/1.1\r\nhost: x\r\nconnection: close\r\nx-service-key: ${app.bootstrap.keys.production}\r\ncontent-type: application/json\r\ncontent-length: ${CHAT.length}\r\n\r\n${CHAT}`,
      );
      expect(upstream.requests.map((request) => request.split('\r\n\r\n')[1])).toEqual(['']);
    });

    it('forwards headers of the call, but no hop-by-hop headers, network headers or headers of Weir', async () => {
      await rawCall(
        'Connection: x-hop, Keep-Alive\r\nX-Hop: 1\r\nKeep-Alive: timeout=9\r\nTE: trailers\r\nProxy-Authorization: x\r\nUpgrade-Insecure-Requests: 1\r\nCookie: a=b\r\nX-Forwarded-For: 10.0.0.1\r\nForwarded: for=10.0.0.1\r\nVia: 1.1 x\r\nX-Weir-Test: 1\r\nExpect-CT: 1\r\nAnthropic-Beta: b\r\nX-Novel: n\r\nTeam-Id: 7\r\n',
      );
      const names = upstream.requests[0]!.split('\r\n\r\n', 1)[0]!
        .split('\r\n')
        .slice(1)
        .map((line) => line.slice(0, line.indexOf(':')).toLowerCase())
        .sort();
      expect(names).toEqual([
        'accept-encoding',
        'anthropic-beta',
        'connection',
        'content-length',
        'content-type',
        'host',
        'team-id',
        'x-novel',
      ]);
      expect(upstream.requests[0]).toContain('connection: keep-alive');
    });

    it('refuses ambiguous requests: two lengths, a length and chunks, a folded header', async () => {
      for (const head of [
        `content-length: ${CHAT.length + 1}\r\n`,
        'transfer-encoding: chunked\r\n',
        'x-folded: a\r\n b\r\n',
        'x-nul: a\0b\r\n',
      ])
        expect(await rawCall(head)).toMatch(/^HTTP\/1\.1 422 /);
      expect(upstream.requests).toHaveLength(0);
    });

    it('refuses a missing key, an invalid path and an unknown provider without waiting for the body', async () => {
      const length = 'content-length: 1000000';
      const close = 'connection: close';
      const path = '/proxy/openai/v1/files';
      const key = `x-service-key: ${app.bootstrap.keys.production}`;
      const send = (at: string, ...heads: string[]): Promise<string> =>
        raw(`POST ${at} HTTP/1.1\r\nhost: x\r\n${[length, close, ...heads].join('\r\n')}\r\n\r\n{`);
      expect(await send(path)).toMatch(/^HTTP\/1\.1 401 [^]*authentication_error/);
      expect(await send('/proxy/other/v1/files', key)).toMatch(/^HTTP\/1\.1 404 /);
      expect(await send('/proxy/openai/v1/%2e%2e/files', key)).toMatch(/^HTTP\/1\.1 422 /);
      expect(upstream.requests).toHaveLength(0);
    });

    it('refuses prompts of token ids if it is configured to', async () => {
      expect((await call('token-ids', { body: '{"prompt":[[1,2]]}' })).status).toBe(422);
      expect(upstream.requests).toHaveLength(0);
    });

    it('sends 100 Continue to a client that expects it', async () => {
      const received = await rawCall('expect: 100-continue\r\n');
      expect(received).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 OK/);
      expect(upstream.requests[0]).not.toMatch(/expect/i);
    });

    it('refuses a body over the limit by its content-length, in chunks, and after decompression', async () => {
      const big = JSON.stringify({ messages: [{ role: 'user', content: 'ab'.repeat(1_100_000) }] });
      expect((await call('big', { body: big })).status).toBe(413);
      const pieces = new ReadableStream({
        start(controller) {
          controller.enqueue(Buffer.from(big));
          controller.close();
        },
      });
      // Node's fetch requires `duplex` because a streamed body may be incomplete when its answer arrives.
      expect((await call('pieces', { body: pieces, duplex: 'half' } as RequestInit)).status).toBe(413);
      const packed = { body: zlib.gzipSync(big), headers: { 'content-encoding': 'gzip' } };
      expect((await call('packed', packed)).status).toBe(413);
      expect(upstream.requests).toHaveLength(0);
    });
  });

  describe('answers', () => {
    it('forwards headers of the answer, but no hop-by-hop headers or headers about the provider’s origin', async () => {
      upstream.answerBytes(
        answer(
          '{"ok":true}',
          'content-type: application/json\r\nconnection: x-hop\r\nx-hop: 1\r\nkeep-alive: timeout=5\r\nset-cookie: a=b\r\nalt-svc: h3\r\nstrict-transport-security: x\r\nx-weir-decision: forged\r\nx-ratelimit-remaining: 7\r\nrequest-id: req_1\r\nnel: x',
        ),
      );
      const response = await call('headers');
      const names = [...response.headers.keys()];
      for (const name of ['x-hop', 'set-cookie', 'alt-svc', 'strict-transport-security', 'nel'])
        expect(names).not.toContain(name);
      expect(response.headers.get('keep-alive')).not.toBe('timeout=5');
      expect(response.headers.get('x-weir-decision')).toBe('allow');
      expect(response.headers.get('x-ratelimit-remaining')).toBe('7');
      expect(response.headers.get('request-id')).toBe('req_1');
    });

    it.each(['100 Continue', '102 Processing', '103 Early Hints'])(
      'ignores the interim response %s before an answer',
      async (status) => {
        upstream.answerBytes(Buffer.concat([Buffer.from(`HTTP/1.1 ${status}\r\nlink: </x>\r\n\r\n`), OK]));
        const response = await call('informational');
        expect([response.status, await response.text()]).toEqual([200, '{"ok":true}']);
      },
    );

    it('responds with 502 to an upgrade that was not requested, and records the error', async () => {
      upstream.answerBytes('HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n');
      expect((await call('upgrade')).status).toBe(502);
      expect(await outcome('upgrade')).toMatchObject({ type: 'ai.error', reason: 'upstream_unreachable' });
    });

    it.each(['301', '302', '303', '307', '308'])('follows no redirect (%s)', async (status) => {
      upstream.answerBytes(answer('', `location: ${upstream.url}/elsewhere`, `${status} Moved`));
      const response = await call(`redirect-${status}`);
      expect(response.status).toBe(502);
      expect(response.headers.get('location')).toBeNull();
      expect(upstream.requests).toHaveLength(1);
      expect(await outcome(`redirect-${status}`)).toMatchObject({ type: 'ai.error', reason: 'upstream_redirect' });
    });

    it.each<[string, string | Buffer]>([
      ['fewer bytes than its length says', 'HTTP/1.1 200 OK\r\ncontent-length: 50\r\n\r\n{"half":'],
      ['chunks without an end', `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${httpChunk('{"half":')}`],
      ['a chunk of no size', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nxyz\r\n{}\r\n0\r\n\r\n'],
      ['no HTTP', 'SSH-2.0-OpenSSH_9.6\r\n'],
      ['nothing', ''],
      ['a status that is none', 'HTTP/1.1 abc OK\r\n\r\n'],
      ['half a head', 'HTTP/1.1 200 OK\r\ncontent-ty'],
    ])('responds with 502 to an answer with %s, and records the error', async (what, bytes) => {
      upstream.answer((socket) => void socket.end(bytes));
      const requestId = `broken-${what.replace(/\W/g, '-')}`;
      const response = await call(requestId);
      expect(response.status).toBe(502);
      expect(await response.json()).toMatchObject({ error: { type: 'api_error', code: 'upstream_unreachable' } });
      expect(await outcome(requestId)).toMatchObject({ type: 'ai.error', reason: 'upstream_unreachable' });
    });

    it.each([
      ['gzip', zlib.gzipSync],
      ['deflate', zlib.deflateSync],
      ['br', zlib.brotliCompressSync],
      ['zstd', zlib.zstdCompressSync],
    ] as const)('reads an answer in %s, redacts it, and refuses a compression bomb', async (coding, pack) => {
      const head = `content-type: application/json\r\ncontent-encoding: ${coding}`;
      const packed = (content: string): Buffer => pack(JSON.stringify({ choices: [{ message: { content } }] }));
      upstream.answerBytes(answer(packed('fine'), head));
      const clean = await call(`coded-${coding}`, { headers: { 'accept-encoding': 'identity' } });
      // Until now, the packed bytes were forwarded, which may contain other texts than those that were judged.
      expect(clean.headers.get('content-encoding')).toBeNull();
      expect(await clean.text()).toBe('{"choices":[{"message":{"content":"fine"}}]}');
      upstream.answerBytes(answer(packed('to mail-1'), head));
      expect(await (await call(`cleaned-${coding}`)).text()).toBe(
        '{"choices":[{"message":{"content":"to [MAIL_1]"}}]}',
      );
      upstream.answerBytes(answer(pack(Buffer.alloc(1_900_000, 0x20)), head));
      expect((await call(`bomb-${coding}`)).status).toBe(502);
      expect(await outcome(`bomb-${coding}`)).toMatchObject({ type: 'ai.error' });
      upstream.answerBytes(answer(packed('fine').subarray(0, -6), head));
      expect((await call(`cut-${coding}`)).status).toBe(502);
    });

    it('refuses an answer over the limit, and stops reading it', async () => {
      let ended: () => void = () => undefined;
      const closed = new Promise<void>((resolve) => (ended = resolve));
      upstream.answer((socket) => {
        socket.on('close', () => ended());
        socket.write('HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n');
        socket.write(httpChunk('x'.repeat(3_000_000)));
      });
      expect((await call('endless')).status).toBe(502);
      await closed;
    });
  });

  describe('time limits', () => {
    it('responds with 504 if no answer begins, or if an answer stops arriving', async () => {
      upstream.answer(() => undefined);
      expect((await call('late')).status).toBe(504);
      upstream.answerBytes('HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 50\r\n\r\n{');
      expect((await call('silent')).status).toBe(504);
      expect(await outcome('silent')).toMatchObject({ type: 'ai.error', reason: 'upstream_timeout' });
    });

    it('responds with 504 if a provider exceeds the connect timeout, and records no prompt tokens', async () => {
      const response = await fetch(`${app.url}/proxy/anthropic/v1/messages`, {
        method: 'POST',
        headers: { 'x-service-key': app.bootstrap.keys.production, 'x-request-id': 'unconnected' },
        body: '{"model":"claude","max_tokens":9,"messages":[{"role":"user","content":"x"}]}',
      });
      expect(response.status).toBe(504);
      expect(await response.json()).toMatchObject({ error: { weir: { code: 'upstream_timeout' } } });
      const event = await outcome('unconnected');
      expect(event).toMatchObject({ type: 'ai.error', reason: 'upstream_timeout' });
      // Of the time limits of a call, only the connect timeout has this code.
      expect(app.logs.filter((line) => line.includes('unconnected')).join('')).toContain('UND_ERR_CONNECT_TIMEOUT');
      expect(event).not.toHaveProperty('usage.prompt_tokens');
    });

    it('ends a call whose trickling answer exceeds the total timeout', async () => {
      upstream.answer((socket) => {
        socket.write('HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n');
        const trickle = setInterval(() => socket.write(httpChunk(' ')), 100);
        socket.on('close', () => clearInterval(trickle));
      });
      expect((await call('trickle')).status).toBe(504);
      expect(await outcome('trickle')).toMatchObject({ type: 'ai.error', reason: 'upstream_timeout' });
    });
  });

  it('closes the connection of a client that does not read its answer, and aborts the call at the provider', async () => {
    const closed = new Promise<void>((resolve) => {
      upstream.answer((socket) => {
        socket.on('close', () => resolve());
        socket.write(`${SSE_HEAD}transfer-encoding: chunked\r\n\r\n`);
        const events = httpChunk(frame('x y '.repeat(4_000)));
        const write = (): void => {
          while (socket.writable && socket.write(events));
        };
        socket.on('drain', write);
        write();
      });
    });
    // A stream that no rule can change may exceed the size limit of judged answers.
    const response = await call('unread', { environment: 'development', body: STREAMED });
    await closed;
    expect(await outcome('unread')).toMatchObject({ type: 'ai.response', reason: 'client_disconnected' });
    await expect(response.text()).rejects.toThrow();
  });

  it('counts a call whose client disconnected before its answer began', async () => {
    const arrived = new Promise<void>((resolve) => upstream.answer(() => resolve()));
    const abort = new AbortController();
    const left = call('left-early', { signal: abort.signal });
    await arrived;
    abort.abort();
    await expect(left).rejects.toThrow();
    expect(await outcome('left-early')).toMatchObject({ type: 'ai.error', reason: 'client_disconnected' });
    for (;;) {
      const metrics = await (await fetch(`${app.url}/metrics`)).text();
      if (/weir_http_requests_total\{[^}]*status="499"\} 1/.test(metrics)) break;
    }
  });

  describe('connections', () => {
    it('reuses a connection after a complete answer, and opens a new one if the provider closed it', async () => {
      await (await call('warm')).text();
      const before = upstream.connections;
      for (let index = 0; index < 5; index++) await (await call(`again-${index}`)).text();
      expect(upstream.connections).toBe(before);
      upstream.answer((socket) => void socket.end(OK));
      expect((await call('last')).status).toBe(200);
      upstream.answerBytes(OK);
      expect((await call('fresh')).status).toBe(200);
      expect(upstream.connections).toBe(before + 1);
    });

    it('does not treat surplus bytes of one answer as the next answer', async () => {
      upstream.answerBytes(Buffer.concat([OK, answer('{"smuggled":true}')]));
      expect(await (await call('first')).text()).toBe('{"ok":true}');
      upstream.answerBytes(OK);
      expect(await (await call('second')).text()).toBe('{"ok":true}');
    });
  });

  describe('streams', () => {
    const stream = (requestId: string, environment: Environment): Promise<Response> =>
      call(requestId, { body: STREAMED, environment });

    it.each<Environment>(['production', 'development'])('forwards events after [DONE] (%s)', async (environment) => {
      const text = `${frame('a')}data: [DONE]\n\ndata: {"trailing":1}\n\n: bye\n\n`;
      upstream.answerBytes(`${SSE_HEAD}transfer-encoding: chunked\r\n\r\n${httpChunk(text)}${LAST_CHUNK}`);
      expect(await (await stream(`after-${environment}`, environment)).text()).toBe(text);
      expect(await outcome(`after-${environment}`)).toMatchObject({ type: 'ai.response' });
    });

    it('judges events after [DONE], which a lenient client reads', async () => {
      const text = `${frame('a ')}data: [DONE]\n\n${frame('mail-1')}`;
      upstream.answerBytes(`${SSE_HEAD}transfer-encoding: chunked\r\n\r\n${httpChunk(text)}${LAST_CHUNK}`);
      expect(await (await stream('judged-after', 'production')).text()).not.toContain('mail-1');
    });

    it.each([
      ['no JSON in it', 'data: {broken\n\ndata: [DONE]\n\n'],
      ['lines that are not fields', 'what is this\n\ndata: [DONE]\n\n'],
      ['no last empty line', 'data: {"choices":[]}'],
      ['no data at all', ': only a comment\n\n'],
      ['a byte order mark and bare carriage returns', '\ufeffdata: {"choices":[]}\r\rdata: [DONE]\r\r'],
      ['bytes that are not UTF-8', 'data: {"choices":[{"delta":{"content":"\u00ff\u00fe"}}]}\n\n'],
      ['nothing in it', ''],
    ])('forwards a stream with %s unchanged, and records it', async (what, text) => {
      const bytes = Buffer.from(text, /UTF-8/.test(what) ? 'latin1' : 'utf8');
      for (const environment of ['production', 'development'] as const) {
        const requestId = `odd-${environment}-${what.replace(/\W/g, '-')}`;
        upstream.answer((socket) => {
          socket.write(`${SSE_HEAD}content-length: ${bytes.length}\r\n\r\n`);
          socket.write(bytes);
        });
        const response = await stream(requestId, environment);
        expect(Buffer.from(await response.arrayBuffer()).equals(bytes)).toBe(true);
        expect(await outcome(requestId)).toMatchObject({ type: 'ai.response' });
      }
    });

    it.each<Environment>(['production', 'development'])(
      'sends an error of the dialect, not [DONE], if a stream is cut inside a frame (%s)',
      async (environment) => {
        upstream.answer((socket) => {
          socket.write(`${SSE_HEAD}transfer-encoding: chunked\r\n\r\n${httpChunk(frame('one'))}`);
          socket.end(httpChunk('data: {"choi').slice(0, -6));
        });
        const response = await stream(`cut-${environment}`, environment);
        const text = await response.text();
        expect(text).toContain('"code":"upstream_unreachable"');
        expect(text).not.toContain('[DONE]');
        expect(await outcome(`cut-${environment}`)).toMatchObject({ type: 'ai.error', upstream_status: 200 });
      },
    );
  });
});
