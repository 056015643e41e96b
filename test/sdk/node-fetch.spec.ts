import { gzipSync } from 'node:zlib';
import Anthropic from '@anthropic-ai/sdk';
import { GoogleGenAI } from '@google/genai';
import OpenAI, { toFile } from 'openai';
import { Weir, weir, weirApi, weirFetch, type WeirOptions } from '../../sdk/node/src/index.js';
import { RawUpstream } from '../support/raw-upstream.js';
import { answerStatus, redact, FakeWeir } from './fake-weir.js';

type Fetch = typeof globalThis.fetch;

/** A function like those of instrumentation that look something up before each request. */
const later =
  (inner: Fetch): Fetch =>
  async (input, init) => {
    await Promise.resolve();
    return inner(input, init);
  };

describe('a guarded fetch', () => {
  let fake: FakeWeir;
  let provider: RawUpstream;
  let connections: Weir[] = [];
  const connected = (more: WeirOptions = {}): Weir => {
    const connection = new Weir({
      ...{ apiKey: ['sk', 'test', 'fetch'].join('_'), baseUrl: fake.url },
      ...{ deadlineMs: 60_000, flushTimeoutMs: 60_000, onWarning: () => undefined },
      ...more,
    });
    connections.push(connection);
    return connection;
  };
  beforeEach(async () => {
    fake = await FakeWeir.start();
    provider = await RawUpstream.start();
    provider.answerJson({ id: 'file-1', choices: [] });
  });
  afterEach(async () => {
    for (const each of connections) await each.flush();
    connections = [];
    await fake.close();
    await provider.close();
  });
  const post = (): RequestInit => ({
    ...{ method: 'POST', headers: { 'content-type': 'application/json' } },
    body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'hello' }] }),
  });
  const chatUrl = (): string => `${provider.url}/v1/chat/completions`;
  const openai = (more: object = {}): OpenAI => new OpenAI({ apiKey: 'k', baseURL: `${provider.url}/v1`, ...more });
  const chat = (client: OpenAI): PromiseLike<unknown> =>
    client.chat.completions.create({ model: 'm', messages: [{ role: 'user', content: 'hello' }] });

  describe('that replaces the fetch of its process', () => {
    const original = globalThis.fetch;
    afterEach(() => void (globalThis.fetch = original));

    it.each<readonly [string, (connection: Weir) => Fetch]>([
      ['alone', (connection) => weirFetch(connection)],
      ['with the original fetch', (connection) => weirFetch(connection, original)],
      [
        'with a fetch that looks for the current one',
        (connection) => weirFetch(connection, (input, init) => globalThis.fetch(input, init)),
      ],
      [
        'inside a function of instrumentation',
        (connection) => {
          const guarded = weirFetch(connection);
          return (input, init) => guarded(input, init);
        },
      ],
      [
        'inside a function that makes requests of its own',
        (connection) => {
          const guarded = weirFetch(connection);
          return (input, init) => guarded(new Request(input, init));
        },
      ],
      ['inside a function that waits for something first', (connection) => later(weirFetch(connection))],
      [
        'inside a function that waits and makes requests of its own',
        (connection) => {
          const guarded = later(weirFetch(connection));
          return (input, init) => guarded(new Request(input, init));
        },
      ],
      [
        'inside a function that waits, with a fetch that looks for the current one',
        (connection) => later(weirFetch(connection, (input, init) => globalThis.fetch(input, init))),
      ],
    ])('asks about each call and reports it once: %s', async (_, make) => {
      const connection = connected();
      globalThis.fetch = make(connection);
      expect(await (await globalThis.fetch(chatUrl(), post())).json()).toMatchObject({ id: 'file-1' });
      expect(await connection.flush()).toBe(true);
      expect([fake.asked.length, provider.requests.length, fake.reports.length]).toEqual([1, 1, 1]);
      expect(connection.stats()).toMatchObject({ asked: 1, allowed: 1, reported: 1, dropped: 0 });
    });

    it('sends each call through the proxy once, inside a function that waits for something first', async () => {
      globalThis.fetch = later(weirFetch(connected({ via: 'proxy' })));
      fake.answer(answerStatus(200, { id: 'file-1' }));
      expect(await (await globalThis.fetch(chatUrl(), post())).json()).toEqual({ id: 'file-1' });
      expect(fake.asked.map(({ url }) => url)).toEqual(['/proxy/openai/v1/chat/completions']);
    });

    it('asks about all text that a function around it adds', async () => {
      const guarded = later(weirFetch(connected()));
      globalThis.fetch = (input, init) => {
        const isCall = String(input) === chatUrl();
        return guarded(input, isCall ? { ...init, body: `${String(init?.body)} ` } : init);
      };
      await globalThis.fetch(chatUrl(), post());
      expect(provider.requests).toHaveLength(1);
      expect(fake.asked.map(({ body }) => body.toString())).toContain(provider.last.body.toString());
    });

    it('does not guard the calls of other guarded clients once more', async () => {
      const client = weir(openai(), connected());
      globalThis.fetch = weirFetch(connected());
      await chat(client);
      await weirFetch(connected())(chatUrl(), post());
      expect([fake.asked.length, provider.requests.length]).toEqual([2, 2]);
    });

    it('does not affect the client of the API', async () => {
      globalThis.fetch = weirFetch(connected());
      fake.answer(answerStatus(200, { data: [] }));
      expect(await weirApi({ baseUrl: fake.url, token: 'token-1' }).apps.list({})).toEqual({ data: [] });
      expect(fake.asked.map(({ url }) => url)).toEqual(['/v1/apps']);
    });
  });

  it('does not ask about requests to Weir itself, however its address is written', async () => {
    const guarded = weirFetch(connected({ baseUrl: fake.url.replace('http:', 'HTTP:') }));
    for (const path of ['/proxy/openai/v1/chat/completions', '/v1/events', '/v1/events:batch']) {
      await guarded(`${fake.url}${path}`, post());
      expect(fake.asked.map(({ url }) => url)).toEqual([path]);
      fake.asked.length = 0;
    }
  });

  it.each<readonly [string, (first: Weir, second: Weir) => PromiseLike<unknown>]>([
    ['a fetch', (first, second) => weirFetch(second, weirFetch(first))(chatUrl(), post())],
    ['a client', (first, second) => chat(weir(weir(openai(), first), second))],
    ['a copy of a client', (first, second) => chat(weir(weir(openai(), first), second).withOptions({ timeout: 9000 }))],
    [
      'a client of Google',
      (first, second) => {
        const google = new GoogleGenAI({ apiKey: 'k', httpOptions: { baseUrl: provider.url } });
        return weir(weir(google, first), second).models.generateContent({ model: 'm', contents: 'hello' });
      },
    ],
    ['the fetch of a client', (first, second) => chat(weir(openai({ fetch: weirFetch(first) }), second))],
  ])('that is guarded again has the new options, and asks about each call once: %s', async (_, call) => {
    const [first, second] = [connected({ session: 'first' }), connected({ session: 'second' })];
    await call(first, second);
    expect([first.stats().asked, second.stats().asked, provider.requests.length]).toEqual([0, 1, 1]);
    expect(fake.asked.map(({ headers }) => headers['x-service-session'])).toEqual(['second']);
  });

  it('asks about requests to a provider at the address of Weir', async () => {
    await weirFetch(connected())(`${fake.url}/openai/v1/chat/completions`, post());
    expect(fake.asked.map(({ url }) => url)).toEqual([
      '/v1/calls/openai/openai/v1/chat/completions',
      '/openai/v1/chat/completions',
    ]);
  });

  it.each<readonly [string, (connection: Weir) => PromiseLike<unknown>]>([
    [
      'OpenAI',
      async (connection) =>
        weir(openai(), connection).files.create({
          purpose: 'batch',
          file: await toFile(Buffer.from('{}'), 'a.jsonl'),
        }),
    ],
    [
      'Anthropic',
      async (connection) =>
        weir(new Anthropic({ apiKey: 'k', baseURL: provider.url }), connection).beta.files.upload({
          file: await toFile(Buffer.from('{}'), 'a.jsonl'),
        }),
    ],
  ])('asks about the first upload of a client of %s once', async (_, upload) => {
    for (const via of ['calls', 'proxy'] as const) {
      fake.asked.length = 0;
      const connection = connected({ via });
      if (via === 'proxy') fake.answer(answerStatus(200, { id: 'file-1' }));
      await upload(connection);
      expect(fake.asked).toHaveLength(1);
      expect(connection.stats()).toMatchObject({ asked: 1, refused: 0, unavailable: 0 });
    }
    expect(provider.requests).toHaveLength(1);
  });

  it('sends the content that Weir judged of a body in a content coding, and no packed bytes', async () => {
    const { body, ...init } = post();
    fake.answer(redact(String(body), { 'x-weir-decision': 'allow' }));
    const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
    const packed = gzipSync(String(body));
    const answer = await weirFetch(connected())(chatUrl(), { ...init, headers, body: packed });
    expect(answer.status).toBe(200);
    expect([fake.asked[0]?.headers['content-encoding'], fake.asked[0]?.body.equals(packed)]).toEqual(['gzip', true]);
    expect(provider.last.headers['content-encoding']).toBeUndefined();
    expect(provider.last.body.toString()).toBe(body);
  });

  it.each([
    ['https://aiplatform.us.rep.googleapis.com/v1/projects/p/locations/us/cachedContents', 'gemini'],
    ['https://aiplatform.me-central2.rep.googleapis.com/v1/projects/p/locations/me-central2/cachedContents', 'gemini'],
    ['https://europe-west4-aiplatform.googleapis.com/v1/projects/p/locations/europe-west4/cachedContents', 'gemini'],
  ])('knows the provider of %s', async (url, id) => {
    await weirFetch(connected(), () => Promise.resolve(new Response('{}')))(url, post());
    expect(fake.asked.map((asked) => asked.url.split('/').slice(1, 4))).toEqual([['v1', 'calls', id]]);
  });

  describe('with a body that Weir cannot read', () => {
    let isCancelled = false;
    const unreadable: Readonly<Record<string, () => unknown>> = {
      'a stream of objects': () =>
        new ReadableStream({
          start: (controller) => controller.enqueue({ odd: true }),
          cancel: () => void (isCancelled = true),
        }),
      'an iterable of objects': async function* () {
        try {
          yield { odd: true };
        } finally {
          isCancelled = true;
        }
      },
      'an unknown object': () => ({ toString: () => 'hello' }),
    };
    const call = (guarded: Fetch, body: unknown): Promise<Response> =>
      guarded(chatUrl(), { method: 'POST', body: body as never, duplex: 'half' } as RequestInit);
    beforeEach(() => void (isCancelled = false));

    it.each(
      Object.keys(unreadable).flatMap((name) => (['closed', 'open'] as const).map((mode) => [name, mode] as const)),
    )('sends nothing and releases the body: %s (fail mode %s)', async (name, failMode) => {
      const connection = connected({ failMode });
      const answer = await call(weirFetch(connection), unreadable[name]!());
      expect([answer.status, await answer.json()]).toMatchObject([400, { error: { code: 'unreadable_body' } }]);
      expect([fake.asked.length, provider.requests.length]).toEqual([0, 0]);
      expect(connection.stats()).toMatchObject({ refused: 1, passedOpen: 0 });
      expect(isCancelled).toBe(name !== 'an unknown object');
    });

    it('fails through the proxy like a bare fetch, and sends no empty body', async () => {
      const guarded = weirFetch(connected({ via: 'proxy' }));
      await expect(call(guarded, unreadable['a stream of objects']!())).rejects.toThrow(TypeError);
      expect(fake.asked).toEqual([]);
    });
  });
});
