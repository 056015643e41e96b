import zlib from 'node:zlib';
import { Client } from 'undici';
import { RawUpstream } from '../support/raw-upstream.js';
import { startTestApp, type TestApp } from '../support/test-app.js';

type Environment = 'development' | 'staging' | 'production';
interface Stored {
  readonly [key: string]: unknown;
  readonly type: string;
  readonly id: string;
}

/** Ambiguous paths, which are sent without fetch because it would normalize them. */
const BAD_PATHS = [
  '/v1/../admin',
  '/v1/%2e%2e/admin',
  '/v1/a%2fb',
  '/v1//x',
  '/v1/a%5cb',
  '/v1/a%00b',
  '//evil.example/x',
  '/v1/a\\\\b',
  '/v1/./x',
];
/** A frame that decoders skip (RFC 8878, section 3.1.2). */
const SKIPPED = Buffer.from('\x50\x2a\x4d\x18\x05\0\0\0ssn-7', 'latin1');
/** A stored block without bytes, which is not the last (RFC 1951, section 3.2.4). */
const EMPTY_BLOCK = Buffer.from([0, 0, 0, 0xff, 0xff]);
const packed = (content: Buffer): Buffer => zlib.zstdCompressSync(content);
/** A member of gzip with one of the optional fields of its header (RFC 1952, section 2.3). */
function inGzip(content: Buffer, flag: number, field: Buffer): Buffer {
  const member = zlib.gzipSync(content);
  member[3] = flag;
  return Buffer.concat([member.subarray(0, 10), field, member.subarray(10)]);
}
const CREDENTIAL = ['sk', 'provider', 'credential'].join('-');
const OK = {
  id: 'chatcmpl-1',
  object: 'chat.completion',
  model: 'gpt-4o',
  choices: [{ index: 0, message: { role: 'assistant', content: 'fine' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 3, completion_tokens: 1 },
};

describe('the proxy, byte by byte', () => {
  let upstream: RawUpstream;
  let app: TestApp;
  let raw: Client;
  beforeAll(async () => {
    upstream = await RawUpstream.start();
    app = await startTestApp({
      env: { WEIR_OPENAI_BASE_URL: upstream.url, WEIR_ANTHROPIC_BASE_URL: `${upstream.url}/base` },
    });
    raw = new Client(app.url);
  }, 60_000);
  afterAll(async () => {
    await raw.close();
    await app.close();
    await upstream.close();
  });
  beforeEach(() => {
    upstream.requests.length = 0;
    upstream.answerJson(OK);
  });

  const call = (
    path: string,
    body: string | Buffer | undefined,
    headers: Record<string, string> = {},
    environment: Environment = 'production',
    method = 'POST',
  ): Promise<Response> =>
    fetch(`${app.url}/proxy${path}`, {
      method,
      headers: {
        'x-service-key': app.bootstrap.keys[environment],
        authorization: `Bearer ${CREDENTIAL}`,
        'content-type': 'application/json',
        ...headers,
      },
      ...(body === undefined ? {} : { body }),
    });
  const events = async (requestId: string | null): Promise<Stored[]> => {
    const response = await fetch(`${app.url}/v1/events?request_id=${requestId}&limit=100`, {
      headers: { authorization: `Bearer ${app.bootstrap.token}` },
    });
    return ((await response.json()) as { data: Stored[] }).data;
  };
  const chat = (content: string): string => JSON.stringify({ model: 'gpt-4o', messages: [{ role: 'user', content }] });

  it('forwards the exact bytes of a body without redactions, and returns the exact bytes of the answer', async () => {
    const body =
      '{ "model":"gpt-4o","n":1e400,\r\n"a":1,"a":2, "messages" : [{"role":"user","content":"h\\u00e9llo \\ud83d\\ude00 \\/ \\u0000"}],\t"x":[ ] }';
    const answer = ` {"choices":[{"message":{"content":"\\u00fc\\/ ok"}}],  "z":1.0e5 }\n`;
    upstream.answerJson(answer, 200, { 'x-ratelimit-remaining-requests': '7', 'openai-processing-ms': '12' });
    const response = await call('/openai/v1/chat/completions?beta=a%20b', body);
    expect(upstream.last.body.toString('utf8')).toBe(body);
    expect(upstream.last.url).toBe('/v1/chat/completions?beta=a%20b');
    expect(Buffer.from(await response.arrayBuffer()).toString('utf8')).toBe(answer);
    expect(response.status).toBe(200);
    expect(response.headers.get('x-ratelimit-remaining-requests')).toBe('7');
    expect(response.headers.get('x-weir-decision')).toBe('allow');
    expect(response.headers.get('x-weir-policy')).toMatch(/^[0-9a-f]{64}$/);
    expect(Number(response.headers.get('x-weir-overhead-ms'))).toBeGreaterThan(0);
  });

  it('changes only the redacted characters of a body', async () => {
    const body =
      '{"messages" : [ {"role":"user","content":"a\\n mail-7 \\u00e9 mail-8"} ],"keep":1e400, "n":{"deep":["mail-7"]}}';
    const response = await call('/openai/v1/chat/completions', body);
    expect(upstream.last.body.toString('utf8')).toBe(
      '{"messages" : [ {"role":"user","content":"a\\n [MAIL_1] \\u00e9 [MAIL_2]"} ],"keep":1e400, "n":{"deep":["[MAIL_1]"]}}',
    );
    expect(upstream.last.headers['content-length']).toBe(String(upstream.last.body.length));
    expect(response.headers.get('x-weir-decision')).toBe('redact');
    expect(response.headers.get('x-weir-redactions')).toBe('contains_pii=3');
  });

  it('redacts inside JSON inside a string', async () => {
    const args = (to: string): string => `{ "to":"${to}", "n": 1 }`;
    const body = (to: string): string =>
      JSON.stringify({
        messages: [
          {
            role: 'assistant',
            tool_calls: [{ id: 'c', type: 'function', function: { name: 'send', arguments: args(to) } }],
          },
        ],
      });
    await call('/openai/v1/chat/completions', body('mail-1'));
    expect(upstream.last.body.toString('utf8')).toBe(body('[MAIL_1]'));
  });

  it('forwards the provider credential and other headers, but none of Weir or of the connection', async () => {
    await call('/anthropic/v1/messages', JSON.stringify({ messages: [] }), {
      'x-api-key': CREDENTIAL,
      'anthropic-version': '2023-06-01',
      'anthropic-beta': 'a-1,b-2',
      'x-service-metadata': '{"team":"blue"}',
      'x-service-session': 's-1',
      'x-forwarded-for': '10.0.0.1',
      cookie: 'a=b',
      'x-copied-key': app.bootstrap.keys.production,
    });
    expect(upstream.last.url).toBe('/base/v1/messages');
    expect(upstream.last.headers).toMatchObject({
      authorization: `Bearer ${CREDENTIAL}`,
      'x-api-key': CREDENTIAL,
      'anthropic-version': '2023-06-01',
      'anthropic-beta': 'a-1,b-2',
      'accept-encoding': 'identity',
      host: new URL(upstream.url).host,
    });
    const sent = upstream.last.rawHeaders.join('\n').toLowerCase();
    expect(sent).not.toMatch(/x-service-|x-forwarded-|cookie|x-copied-key/);
    expect(sent).not.toContain(app.bootstrap.keys.production.toLowerCase());
  });

  // Until now, such a body was forwarded as it came if nothing was found in its content, but the packed bytes can contain other texts.
  it.each(['gzip', 'deflate', 'br', 'zstd'])('judges a body in %s, and forwards its content', async (coding) => {
    const pack = {
      gzip: zlib.gzipSync,
      deflate: zlib.deflateSync,
      br: zlib.brotliCompressSync,
      zstd: zlib.zstdCompressSync,
    }[coding]!;
    const plain = Buffer.from(chat('hello'));
    await call('/openai/v1/chat/completions', pack(plain), { 'content-encoding': coding });
    expect(upstream.last.body.equals(plain)).toBe(true);
    expect(upstream.last.headers['content-encoding']).toBeUndefined();
    await call('/openai/v1/chat/completions', pack(Buffer.from(chat('mail-7'))), { 'content-encoding': coding });
    expect(upstream.last.body.toString('utf8')).toBe(chat('[MAIL_1]'));
    expect(upstream.last.headers['content-encoding']).toBeUndefined();
    const blocked = await call('/openai/v1/chat/completions', pack(Buffer.from(chat('ssn-7'))), {
      'content-encoding': coding,
    });
    expect(blocked.status).toBe(400);
    expect(upstream.requests).toHaveLength(2);
  });

  it.each<[string, string, (content: Buffer) => Buffer]>([
    ['the comment of gzip', 'gzip', (content) => inGzip(content, 0x10, Buffer.from('ssn-7\0'))],
    ['the name of a file in gzip', 'gzip', (content) => inGzip(content, 0x08, Buffer.from('ssn-7\0'))],
    ['an extra field of gzip', 'x-gzip', (content) => inGzip(content, 0x04, Buffer.from('\x09\0ab\x05\0ssn-7'))],
    ['a frame before the content, which zstd skips', 'zstd', (content) => Buffer.concat([SKIPPED, packed(content)])],
    ['a frame after the content, which zstd skips', 'zstd', (content) => Buffer.concat([packed(content), SKIPPED])],
    [
      'a block of deflate without content',
      'deflate',
      (content) => Buffer.concat([EMPTY_BLOCK, zlib.deflateRawSync(content)]),
    ],
  ])('sends a provider exactly the bytes that were judged, without %s', async (_where, coding, pack) => {
    const binary = Buffer.from([0, 255, 1, 254, 2, 253, 3, 4, 5]);
    for (const [path, content, type] of [
      ['/openai/v1/chat/completions', Buffer.from(chat('hello')), 'application/json'],
      ['/openai/v1/assistants', Buffer.from('{"instructions" : "hello"}'), 'application/json'],
      ['/openai/v1/other', Buffer.from('hello'), 'text/plain'],
      ['/openai/v1/other', binary, 'application/octet-stream'],
    ] as const) {
      const digests = { 'content-digest': `sha-256=:${'a'.repeat(43)}=:`, 'content-md5': `${'a'.repeat(22)}==` };
      const headers = { 'content-encoding': coding, 'content-type': type, ...digests };
      const { status } = await call(path, pack(content), headers);
      expect([path, status, upstream.last.body.toString('latin1')]).toEqual([path, 200, content.toString('latin1')]);
      for (const name of ['content-encoding', ...Object.keys(digests)]) {
        expect([name, upstream.last.headers[name]]).toEqual([name, undefined]);
      }
    }
  });

  it('refuses a body whose content coding has no content', async () => {
    const headers = { 'content-encoding': 'gzip', 'content-type': 'text/plain' };
    expect((await call('/openai/v1/other', zlib.gzipSync(''), headers)).status).toBe(422);
    expect(upstream.requests).toHaveLength(0);
  });

  it('refuses a compression bomb and a body that does not match its content coding', async () => {
    const bomb = zlib.gzipSync(Buffer.alloc(40 * 1024 * 1024));
    expect((await call('/openai/v1/chat/completions', bomb, { 'content-encoding': 'gzip' })).status).toBe(413);
    expect((await call('/openai/v1/chat/completions', chat('x'), { 'content-encoding': 'gzip' })).status).toBe(422);
    expect((await call('/openai/v1/chat/completions', chat('x'), { 'content-encoding': 'compress' })).status).toBe(422);
    expect(upstream.requests).toHaveLength(0);
  });

  it('reads a compressed answer, and forwards its content unchanged or redacted', async () => {
    const reply = (content: string): Buffer => zlib.gzipSync(JSON.stringify({ choices: [{ message: { content } }] }));
    const respond = (content: string): void =>
      upstream.answer(
        (response) =>
          void response
            .writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' })
            .end(reply(content)),
      );
    respond('clean');
    const clean = await call('/openai/v1/chat/completions', chat('x'));
    expect(await clean.text()).toBe('{"choices":[{"message":{"content":"clean"}}]}');
    expect(clean.headers.get('content-encoding')).toBeNull();
    respond('about mail-9');
    const response = await call('/openai/v1/chat/completions', chat('x'));
    expect(await response.text()).toBe('{"choices":[{"message":{"content":"about [MAIL_1]"}}]}');
    expect(response.headers.get('content-encoding')).toBeNull();
  });

  it('refuses, in the dialect of the provider, wrong keys and invalid JSON, metadata and paths, and forwards nothing', async () => {
    const openai = await call('/openai/v1/chat/completions', chat('x'), { 'x-service-key': 'wrong' });
    expect(openai.status).toBe(401);
    expect(openai.headers.get('x-should-retry')).toBe('false');
    expect(await openai.json()).toMatchObject({
      error: {
        type: 'authentication_error',
        code: 'authentication_error',
        param: null,
        weir: { code: 'authentication_error' },
      },
    });
    const anthropic = await call('/anthropic/v1/messages', '{}', { 'x-service-key': 'wrong' });
    expect(anthropic.status).toBe(401);
    expect(await anthropic.json()).toMatchObject({
      type: 'error',
      error: { type: 'authentication_error', weir: { code: 'authentication_error' } },
      request_id: anthropic.headers.get('x-request-id'),
    });
    for (const body of ['{', '', '"\\x"', '[1,]', `{"a":"${'secret-words'}"`]) {
      const response = await call('/openai/v1/chat/completions', body);
      expect(response.status).toBe(422);
      const text = await response.text();
      expect(JSON.parse(text)).toMatchObject({ error: { type: 'invalid_request_error', code: 'invalid_request' } });
      expect(text).not.toContain('secret-words');
    }
    expect((await call('/openai/v1/chat/completions', chat('x'), { 'x-service-metadata': '[1]' })).status).toBe(422);
    expect((await call('/openai/v1/chat/completions', chat('x'), { 'x-service-metadata': '{' })).status).toBe(422);
    for (const path of BAD_PATHS) {
      const answer = await raw.request({
        path: `/proxy/openai${path}`,
        method: 'POST',
        headers: { 'x-service-key': app.bootstrap.keys.production },
        body: chat('x'),
      });
      expect([path, answer.statusCode]).toEqual([path, 422]);
      // The error has the format that clients of the provider parse.
      expect(await answer.body.json()).toMatchObject({
        error: { type: 'invalid_request_error', code: 'invalid_request' },
      });
    }
    expect((await call('/unknown/v1/chat/completions', chat('x'))).status).toBe(404);
    expect(upstream.requests).toHaveLength(0);
  });

  it('forwards and records calls to routes that are not governed, and judges their texts if they are JSON', async () => {
    upstream.answerJson({ data: [{ id: 'gpt-4o' }] });
    const models = await call('/openai/v1/models', undefined, {}, 'production', 'GET');
    expect(models.status).toBe(200);
    expect(upstream.last).toMatchObject({ method: 'GET', url: '/v1/models' });
    expect((await events(models.headers.get('x-request-id'))).map(({ type }) => type).sort()).toEqual([
      'ai.request',
      'ai.response',
    ]);
    await call('/openai/v1/assistants', JSON.stringify({ instructions: 'write to mail-3' }));
    expect(upstream.last.body.toString('utf8')).toBe('{"instructions":"write to [MAIL_1]"}');
    expect((await call('/openai/v1/assistants', JSON.stringify({ x: { 'ssn-1': true } }))).status).toBe(400);
    const binary = Buffer.from([0, 255, 1, 254]);
    await call('/openai/v1/files', binary, { 'content-type': 'application/octet-stream' });
    expect(upstream.last.body.equals(binary)).toBe(true);
  });

  it('forwards binary answers unchanged', async () => {
    const bytes = Buffer.from(Array.from({ length: 256 }, (_, index) => index));
    upstream.answer((response) => void response.writeHead(200, { 'content-type': 'audio/mpeg' }).end(bytes));
    const response = await call('/openai/v1/audio/speech', JSON.stringify({ input: 'hi' }));
    expect(Buffer.from(await response.arrayBuffer()).equals(bytes)).toBe(true);
    expect((await events(response.headers.get('x-request-id'))).map(({ type }) => type).sort()).toEqual([
      'ai.request',
      'ai.response',
    ]);
  });

  it('masks findings in a session id, as it masks them in texts', async () => {
    const response = await call('/openai/v1/chat/completions', chat('hello'), { 'x-service-session': 'mail-3' });
    await response.arrayBuffer();
    const stored = await events(response.headers.get('x-request-id'));
    const sessions = stored.map(({ session_id: session }) => session);
    expect(sessions).toEqual([expect.stringMatching(/^\[MAIL\]\[ID_[a-z]{14}\]$/), sessions[0]]);
  });

  it('records request and answer under one request id, with masked texts, usage and metadata', async () => {
    upstream.answerJson({ ...OK, choices: [{ message: { role: 'assistant', content: 'see token-5' } }] });
    const response = await call('/openai/v1/chat/completions', chat('ask mail-7 token-1'), {
      'x-request-id': 'req-77',
      'x-service-metadata': '{"team":"blue","who":"mail-2"}',
      'x-claude-code-session-id': 'sess-1',
    });
    expect(response.headers.get('x-request-id')).toBe('req-77');
    const stored = await events('req-77');
    const request = stored.find(({ type }) => type === 'ai.request')!;
    const answer = stored.find(({ type }) => type === 'ai.response')!;
    expect(request).toMatchObject({
      source: 'proxy',
      request_id: 'req-77',
      session_id: 'sess-1',
      provider: 'openai',
      model: 'gpt-4o',
      environment: 'production',
      decision: 'redact',
      metadata: { team: 'blue', who: '[MAIL]' },
      payload: { model: 'gpt-4o', messages: [{ role: 'user', content: 'ask [MAIL] [TOKEN]' }] },
    });
    expect(response.headers.get('x-weir-event-id')).toBe(request['event_id']);
    expect(answer).toMatchObject({
      parent_id: request.id,
      decision: 'allow',
      usage: { prompt_tokens: 3, completion_tokens: 1 },
      upstream_status: 200,
      payload: { choices: [{ message: { content: 'see [TOKEN]' } }] },
    });
    expect(stored.filter(({ type }) => type === 'policy.violation')).toHaveLength(2);
  });

  it('stores no text if the policy has content: none', async () => {
    const response = await call('/openai/v1/chat/completions', chat('mail-7'), {}, 'staging');
    for (const event of await events(response.headers.get('x-request-id'))) {
      if (event.type !== 'policy.violation') expect(event['payload'] ?? null).toBeNull();
    }
  });

  it('forwards the errors of a provider with their status and headers, masked as a rule requires', async () => {
    const error = '{"error": {"message":"No such mail-7","type":"invalid_request_error","param":null,"code":"x"} }';
    upstream.answerJson(error, 429, { 'retry-after': '17', 'x-request-id': 'req-upstream' });
    const response = await call('/openai/v1/chat/completions', chat('x'), { 'x-request-id': 'req-e' });
    expect(response.status).toBe(429);
    expect(await response.text()).toBe(error.replace('mail-7', '[MAIL_1]'));
    expect(response.headers.get('retry-after')).toBe('17');
    expect(response.headers.get('x-request-id')).toBe('req-upstream');
    const stored = (await events('req-e')).find(({ type }) => type === 'ai.error')!;
    expect(stored).toMatchObject({
      upstream_status: 429,
      reason: 'invalid_request_error',
      payload: { error: { message: 'No such [MAIL]' } },
    });
  });

  it('does not follow a redirect', async () => {
    upstream.answer((response) => void response.writeHead(307, { location: 'http://evil.example/' }).end());
    const response = await call('/openai/v1/chat/completions', chat('x'));
    expect(response.status).toBe(502);
    expect(response.headers.get('location')).toBeNull();
    expect(upstream.requests).toHaveLength(1);
  });

  it('responds with 502 if the answer breaks off, and records the error', async () => {
    upstream.answer((response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' });
      response.write('{"half":', () => response.destroy());
    });
    const response = await call('/openai/v1/chat/completions', chat('x'), { 'x-request-id': 'req-broken' });
    expect(response.status).toBe(502);
    expect(await response.json()).toMatchObject({ error: { type: 'api_error', code: 'upstream_unreachable' } });
    expect((await events('req-broken')).map(({ type }) => type)).toContain('ai.error');
  });
});
