import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Weir, weir, weirFetch, weirOf, withWeirContext, type WeirOptions } from '../../sdk/node/src/index.js';
import { RawUpstream, type RecordedRequest } from '../support/raw-upstream.js';
import { startTestApp, type TestApp } from '../support/test-app.js';
import { fetchUntil } from './fetch-until.js';

const SSE = { 'content-type': 'text/event-stream' };
const COMPLETION = {
  id: 'chatcmpl-77',
  object: 'chat.completion',
  created: 1,
  model: 'gpt-4o',
  choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'Reach mail-9' } }],
  usage: { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 },
};
const chunk = (content: string): string =>
  `data: ${JSON.stringify({ id: 'chatcmpl-78', object: 'chat.completion.chunk', created: 1, model: 'gpt-4o', choices: [{ index: 0, delta: { content } }] })}\n\n`;
const CHUNKS = [chunk('One '), chunk('two '), chunk('three'), 'data: [DONE]\n\n'];
/** A body that no JSON serializer would reproduce. */
const ODD =
  '{ "model":"gpt-4o","seed":12345678901234567890,\n "temperature":1.0,"x":1e3, "é":"\\u00e9", "messages":[{"role":"user","content":"hi"}],"x":null }';
/** Headers about the connection. */
const NOT_COMPARED = /^(?:host|connection)$/;

interface Stored {
  readonly id: string;
  readonly type: string;
  readonly metadata?: Record<string, unknown>;
  readonly session_id?: string;
  readonly request_id?: string;
  readonly decision?: string;
}

describe('a guarded client compared with a bare one', () => {
  const toWeir = fetchUntil(afterAll);
  let app: TestApp;
  let provider: RawUpstream;
  beforeAll(async () => {
    provider = await RawUpstream.start();
    app = await startTestApp({ env: { WEIR_OPENAI_BASE_URL: provider.url, WEIR_ANTHROPIC_BASE_URL: provider.url } });
  });
  afterAll(async () => {
    await app.close();
    await provider.close();
  });
  beforeEach(() => {
    provider.requests.length = 0;
    provider.aborted = 0;
    provider.answerJson(COMPLETION);
  });

  const options = (more: WeirOptions = {}): WeirOptions => ({
    apiKey: app.bootstrap.keys.production,
    baseUrl: app.url,
    deadlineMs: 60_000,
    flushTimeoutMs: 60_000,
    fetch: toWeir(),
    ...more,
  });
  const bare = (more: object = {}): OpenAI =>
    new OpenAI({ apiKey: 'provider-key', baseURL: `${provider.url}/v1`, ...more });
  const ask = { model: 'gpt-4o', messages: [{ role: 'user' as const, content: 'hi' }] };
  const claude = { model: 'claude-test', max_tokens: 9, messages: [{ role: 'user' as const, content: 'hi' }] };
  const stored = async (query: string): Promise<Stored[]> => {
    const found = await fetch(`${app.url}/v1/events?${query}`, {
      headers: { authorization: `Bearer ${app.bootstrap.token}` },
    });
    return ((await found.json()) as { data: Stored[] }).data;
  };
  const seen = ({ method, url, rawHeaders, body }: RecordedRequest) => ({
    method,
    url,
    headers: rawHeaders.flatMap((name, index) =>
      index % 2 === 1 || NOT_COMPARED.test(name.toLowerCase()) ? [] : [`${name}: ${rawHeaders[index + 1]}`],
    ),
    body: body.toString('latin1'),
  });

  const raw =
    (body: unknown, headers: Record<string, string> = { 'content-type': 'application/json' }) =>
    (fetch: typeof globalThis.fetch) =>
      fetch(`${provider.url}/v1/chat/completions`, {
        method: 'POST',
        headers,
        body: body as string,
        ...({ duplex: 'half' } as object),
      });
  const sent: Readonly<Record<string, (fetch: typeof globalThis.fetch) => PromiseLike<unknown>>> = {
    'odd JSON': raw(ODD),
    'odd JSON as bytes': raw(new TextEncoder().encode(ODD)),
    'odd JSON as a stream': (fetch) => raw(new Blob([ODD]).stream())(fetch),
    'a Request': (fetch) =>
      fetch(
        new Request(`${provider.url}/v1/chat/completions`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'x-mine': 'é' },
          body: ODD,
        }),
      ),
    'no content type': raw(ODD, {}),
    parameters: (fetch) => fetch(`${provider.url}/v1/responses/resp_1?include=a&include=b`),
    'a deletion': (fetch) => fetch(`${provider.url}/v1/responses/resp_1`, { method: 'DELETE' }),
    'the client of OpenAI': (fetch) =>
      bare({ fetch, defaultHeaders: { 'x-mine': '1' }, defaultQuery: { a: 'b' } }).chat.completions.create(
        { ...ask, seed: 7 },
        { headers: { 'x-own': '2' }, idempotencyKey: 'idem-1' },
      ),
    'its embeddings': (fetch) => bare({ fetch }).embeddings.create({ model: 'm', input: ['a', 'b'] }),
    'the client of Anthropic': (fetch) =>
      new Anthropic({ apiKey: 'k', baseURL: provider.url, fetch }).messages.create(claude, {
        headers: { 'anthropic-beta': 'b-1' },
      }),
  };
  it.each(Object.entries(sent))('sends exactly the same request: %s', async (_, call) => {
    await call(globalThis.fetch);
    await call(weirFetch(options({ provider: 'openai' })));
    const [straight, guarded] = provider.requests.map(seen);
    expect(provider.requests).toHaveLength(2);
    expect(guarded).toEqual(straight);
  });

  it('changes the masked span and no other byte', async () => {
    const body = ODD.replace('"hi"', '"ask mail-1, \\u00e9 1.0"');
    await raw(body)(weirFetch(options()));
    expect(provider.last.body.toString()).toBe(body.replace('mail-1', '[MAIL_1]'));
    expect(provider.last.headers['content-length']).toBe(String(Buffer.byteLength(provider.last.body)));
  });

  it('does not change the objects of its caller or the client that it copies', async () => {
    const client = bare();
    const asked = { ...ask, messages: [{ role: 'user' as const, content: 'ask mail-1' }] };
    await weir(client, options()).chat.completions.create(asked);
    expect(asked.messages[0]!.content).toBe('ask mail-1');
    await client.chat.completions.create(asked);
    expect(provider.requests.map(({ body }) => body.includes('mail-1'))).toEqual([false, true]);
  });

  it('returns the same response, including URL and headers', async () => {
    provider.answerJson(COMPLETION, 200, { 'x-request-id': 'req-1', 'set-cookie': 'a=b' });
    const [left, right] = await Promise.all(
      [bare(), weir(bare(), options())].map(async (client) => {
        const { data, response } = await client.chat.completions.create(ask).withResponse();
        const { status, statusText, url, redirected, type, ok, headers } = response;
        const sentHeaders = [...headers].filter(([name]) => name !== 'date');
        return {
          data,
          id: (data as { _request_id?: string | null })._request_id,
          status,
          statusText,
          url,
          redirected,
          type,
          ok,
          sentHeaders,
        };
      }),
    );
    expect(right).toEqual(left);
  });

  it('reports an answer, which Weir judges and stores with the request', async () => {
    const connection = new Weir(options());
    const client = weir(bare(), connection);
    const answer = await withWeirContext(
      { metadata: { user: 'ü-1' }, session: 'session-1', requestId: 'own-request-1' },
      () => client.chat.completions.create(ask),
    );
    expect(answer.choices[0]!.message.content).toBe('Reach mail-9');
    expect(provider.last.headers['x-request-id']).toBeUndefined();
    const info = weirOf(answer);
    expect(info).toMatchObject({ decision: 'allow' });
    expect(await info?.answered).toMatchObject([{ rule: 'words.redact-answer', enforced: false }]);
    const events = await stored('session=session-1');
    const types = events.map(({ type }) => type);
    expect(types).toEqual(expect.arrayContaining(['ai.request', 'ai.response']));
    expect(events.find(({ type }) => type === 'ai.request')).toMatchObject({
      metadata: { user: 'ü-1' },
      request_id: 'own-request-1',
      decision: 'allow',
    });
    expect(connection.stats()).toMatchObject({ asked: 1, allowed: 1, reported: 1, dropped: 0, queued: 0 });
  });

  it('creates an event for each attempt of the client', async () => {
    let times = 0;
    provider.answer((response) => {
      const failed = ++times < 3;
      response.writeHead(failed ? 500 : 200, { 'content-type': 'application/json', 'retry-after-ms': '1' });
      response.end(JSON.stringify(failed ? { error: { message: 'no' } } : COMPLETION));
    });
    const connection = new Weir(options({ session: 'session-attempts' }));
    await weir(bare(), connection).chat.completions.create(ask);
    await connection.flush();
    expect(connection.stats()).toMatchObject({ asked: 3, reported: 3 });
    const events = await stored('session=session-attempts');
    const attempts = events.filter(({ type }) => type === 'ai.request').map(({ metadata }) => metadata?.['attempt']);
    expect(new Set(attempts)).toEqual(new Set([undefined, 2, 3]));
    expect(events.filter(({ type }) => type === 'ai.error')).toHaveLength(2);
  });

  it('reports that a provider is unreachable', async () => {
    provider.answer((response) => void response.destroy());
    const connection = new Weir(options({ session: 'session-reset' }));
    await expect(weir(bare({ maxRetries: 0 }), connection).chat.completions.create(ask)).rejects.toThrow(
      'Connection error',
    );
    await connection.flush();
    const types = (await stored('session=session-reset')).map(({ type }) => type);
    expect(types.sort()).toEqual(['ai.error', 'ai.request']);
  });

  describe('with a stream', () => {
    const client = (connection: Weir): OpenAI => weir(bare({ maxRetries: 0 }), connection);

    it('forwards every chunk before the next one is written', async () => {
      let next: (() => void) | undefined;
      provider.answer(async (response) => {
        response.writeHead(200, SSE);
        for (const each of CHUNKS) {
          const read = new Promise<void>((resolve) => (next = resolve));
          response.write(each);
          if (!each.includes('DONE')) await read;
        }
        response.end();
      });
      const connection = new Weir(options());
      const texts: string[] = [];
      for await (const part of await client(connection).chat.completions.create({ ...ask, stream: true })) {
        texts.push(part.choices[0]!.delta.content ?? '');
        next?.();
      }
      expect(texts).toEqual(['One ', 'two ', 'three']);
      await connection.flush();
      expect(connection.stats()).toMatchObject({ reported: 1 });
    });

    it.each([0, 1, 2])('closes the connection to the provider when its reader stops after chunk %i', async (stop) => {
      provider.answer((response) => {
        response.writeHead(200, SSE);
        for (const each of CHUNKS.slice(0, 3)) response.write(each);
      });
      const connection = new Weir(options({ session: `session-stop-${stop}` }));
      const stream = await client(connection).chat.completions.create({ ...ask, stream: true });
      let count = 0;
      for await (const part of stream) {
        expect(part.id).toBe('chatcmpl-78');
        if (count++ === stop) break;
      }
      await provider.untilAborted();
      await connection.flush();
      expect(connection.stats()).toMatchObject({ reported: 1, dropped: 0 });
      expect((await stored(`session=session-stop-${stop}`)).map(({ type }) => type)).toContain('ai.request');
    });

    const reasons: Readonly<Record<string, unknown>> = {
      'a timeout': new DOMException('too late', 'TimeoutError'),
      'an error of its own': new Error('stop'),
      'a text': 'stop',
      'no reason': undefined,
    };
    it.each(Object.entries(reasons))(
      'has the received part judged and stored when its caller aborts with %s',
      async (name, reason) => {
        provider.answer((response) => void response.writeHead(200, SSE).write(chunk('Reach mail-9 ')));
        const session = `session-abort-with-${name.replaceAll(' ', '-')}`;
        const controller = new AbortController();
        const answer = await weirFetch(options({ session }))(`${provider.url}/v1/chat/completions`, {
          ...{ method: 'POST', headers: { 'content-type': 'application/json' }, signal: controller.signal },
          body: JSON.stringify({ ...ask, stream: true }),
        });
        const reader = answer.body!.getReader();
        await reader.read();
        controller.abort(reason);
        await expect(reader.read()).rejects.toBe(controller.signal.reason);
        expect(await weirOf(answer)?.answered).toMatchObject([{ rule: 'words.redact-answer', enforced: false }]);
        const events = await stored(`session=${session}`);
        expect(events.find(({ type }) => type === 'ai.response')).toMatchObject({ reason: 'client_disconnected' });
      },
    );

    it('reports a stream that the provider aborts, and fails like a bare client', async () => {
      provider.answer((response) => {
        response.writeHead(200, SSE).write(CHUNKS[0]);
        setImmediate(() => response.destroy());
      });
      const read = async (from: OpenAI): Promise<string> => {
        try {
          for await (const part of await from.chat.completions.create({ ...ask, stream: true })) void part;
          return 'complete';
        } catch (error) {
          return `${(error as Error).constructor.name}: ${(error as Error).message}`;
        }
      };
      const connection = new Weir(options());
      expect(await read(client(connection))).toBe(await read(bare({ maxRetries: 0 })));
      await connection.flush();
      expect(connection.stats()).toMatchObject({ reported: 1 });
    });

    it('reports an answer whose body is never read after it is garbage-collected', async () => {
      setFlagsFromString('--expose-gc');
      const collect = runInNewContext('gc') as () => void;
      const connection = new Weir(options());
      const leave = async (): Promise<void> =>
        void (await client(connection).chat.completions.create(ask).asResponse()).status;
      await leave();
      for (let turn = 0; turn < 200 && connection.stats().reported + connection.stats().queued === 0; turn++) {
        collect();
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
      await connection.flush();
      expect(connection.stats()).toMatchObject({ reported: 1 });
    });
  });

  it('refuses ungoverned routes if configured, and reports the end of such a call', async () => {
    const connection = new Weir(options({ unknownRoutes: 'refuse' }));
    const error = await weir(bare(), connection)
      .images.generate({ prompt: 'a boat' })
      .catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ status: 400, code: 'unknown_route' });
    expect(provider.requests).toHaveLength(0);
    await connection.flush();
    expect(connection.stats()).toMatchObject({ refused: 1, reported: 1 });
  });

  it('refuses to change a signed request', async () => {
    const signed = { 'content-type': 'application/json', authorization: 'AWS4-HMAC-SHA256 Credential=x' };
    const guarded = weirFetch(options());
    const answer = await raw(ODD.replace('"hi"', '"ask mail-1"'), signed)(guarded);
    expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining('signature')]);
    expect(provider.requests).toHaveLength(0);
    expect((await raw(ODD, signed)(guarded)).status).toBe(200);
  });
});
