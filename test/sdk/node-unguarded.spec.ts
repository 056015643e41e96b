import { GoogleGenAI } from '@google/genai';
import { existsSync } from 'node:fs';
import { get } from 'node:http';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import OpenAI from 'openai';
import { OpenAIRealtimeWebSocket } from 'openai/realtime/websocket';
import { OpenAIRealtimeWS } from 'openai/realtime/ws';
import { ResponsesWS } from 'openai/resources/responses/ws';
import { Weir, weir, WeirConfigError, weirFetch, weirOf, type WeirOptions } from '../../sdk/node/src/index.js';
import { RawUpstream } from '../support/raw-upstream.js';
import { allow, redact } from './fake-weir.js';
import { guardedEnds } from './guarded-ends.js';

const OLDER = resolve('test/sdk/older-clients');
const ANSWER = {
  candidates: [{ content: { role: 'model', parts: [{ text: 'Hi' }] }, index: 0 }],
  ...{ usageMetadata: { promptTokenCount: 1, totalTokenCount: 2 }, responseId: 'response-1' },
};
const DISPATCHER = Symbol.for('undici.globalDispatcher.1');
/** The part of Node.js behind its `fetch` that opens connections. */
interface Dispatcher {
  dispatch(options: Readonly<Record<string, unknown>>, handler: unknown): boolean;
}
const CHAT = { model: 'm', messages: [{ role: 'user' as const, content: 'hello' }] };

describe('traffic that would bypass the guard', () => {
  const ends = guardedEnds('sk_test_unguarded', ANSWER);
  const { warnings } = ends;
  const options = (more: WeirOptions = {}): WeirOptions => ends.options({ deadlineMs: 60_000, ...more });
  const setup = () => ({ apiKey: 'k', httpOptions: { baseUrl: ends.provider.url, retryOptions: { attempts: 1 } } });
  const openai = (): OpenAI => new OpenAI({ apiKey: 'k', baseURL: `${ends.provider.url}/v1`, maxRetries: 0 });
  const ask = (client: GoogleGenAI) => client.models.generateContent({ model: 'gemini-test', contents: 'hello' });
  const thrown = (work: () => unknown): unknown => {
    try {
      work();
      return undefined;
    } catch (error) {
      return error;
    }
  };

  describe('of an existing client of Gemini', () => {
    it('is guarded by a copy, which sends the same requests as the bare client', async () => {
      const bare = new GoogleGenAI(setup());
      const guarded = weir(bare, options());
      const results = [await ask(bare), await ask(guarded)];
      expect(results.map(({ text }) => text)).toEqual(['Hi', 'Hi']);
      expect(weirOf(results[1])?.decision).toBe('allow');
      const [one, two] = ends.provider.requests;
      expect([two!.url, two!.body.toString(), two!.headers['x-goog-api-key']]).toEqual([
        ...[one!.url, one!.body.toString(), 'k'],
      ]);
      expect(ends.fake.asked).toHaveLength(1);
    });

    it('is guarded in streams and chats', async () => {
      const sent = JSON.stringify({ contents: [{ role: 'user', parts: [{ text: '[MAIL_1]' }] }] });
      ends.fake.answer(redact(sent));
      const client = weir(new GoogleGenAI(setup()), options());
      await client.chats.create({ model: 'gemini-test' }).sendMessage({ message: 'mail-1' });
      ends.provider.answerSse([`data: ${JSON.stringify(ANSWER)}\r\n\r\n`]);
      for await (const part of await client.models.generateContentStream({ model: 'm', contents: 'mail-1' })) void part;
      expect(ends.provider.requests.map(({ body }) => body.toString())).toEqual([sent, sent]);
    });

    it('is guarded if a call has its own fetch', async () => {
      const sent = JSON.stringify({ contents: [{ role: 'user', parts: [{ text: '[MAIL_1]' }] }] });
      ends.fake.answer(redact(sent));
      let own = 0;
      const fetch = (input: string, init?: RequestInit): Promise<Response> => (own++, globalThis.fetch(input, init));
      const call = { model: 'm', contents: 'mail-1', config: { httpOptions: { fetch } as never } };
      const client = weir(new GoogleGenAI(setup()), options());
      await client.models.generateContent(call);
      ends.provider.answerSse([`data: ${JSON.stringify(ANSWER)}\r\n\r\n`]);
      for await (const part of await client.models.generateContentStream(call)) void part;
      expect(ends.provider.requests.map(({ body }) => body.toString())).toEqual([sent, sent]);
      expect(own).toBe(2);
    });

    /** The timeouts of the connections to the provider during some work. Where none is set, Node.js has 300 seconds. */
    const timeoutsDuring = async (work: () => PromiseLike<unknown>): Promise<unknown[]> => {
      // Node.js creates its dispatcher with the first object of its web interfaces.
      new Headers();
      const holder = globalThis as unknown as Record<symbol, Dispatcher>;
      const real = holder[DISPATCHER]!;
      const seen: unknown[] = [];
      holder[DISPATCHER] = {
        dispatch(dispatched, handler) {
          const { origin, headersTimeout, bodyTimeout } = dispatched;
          if (String(origin) === ends.provider.url) seen.push([headersTimeout, bodyTimeout]);
          return real.dispatch(dispatched, handler);
        },
      };
      try {
        await work();
      } finally {
        holder[DISPATCHER] = real;
      }
      return seen;
    };

    it.each<readonly [string, (client: GoogleGenAI) => PromiseLike<unknown>]>([
      ['a call', ask],
      ['a stream', (client) => client.models.generateContentStream({ model: 'm', contents: 'hello' })],
      [
        'an interaction',
        // The stub of the provider does not answer like one.
        (client) => client.interactions.create({ model: 'm', input: 'hello' }).catch(() => undefined),
      ],
    ])('waits for the provider as long as the bare client does, in %s', async (_, call) => {
      const bare = new GoogleGenAI(setup());
      const ofBare = await timeoutsDuring(() => call(bare));
      expect(ofBare).toEqual([[0, 0]]);
      expect(await timeoutsDuring(() => call(weir(bare, options())))).toEqual(ofBare);
    });

    it('keeps the credentials and the location of a client for Vertex AI', async () => {
      const authClient = { getRequestHeaders: () => new Headers({ authorization: 'Bearer its-own' }) };
      const vertex = { vertexai: true, project: 'p', location: 'eu', googleAuthOptions: { authClient } };
      const client = weir(new GoogleGenAI({ ...vertex, httpOptions: setup().httpOptions } as never), options());
      await ask(client);
      expect(ends.provider.last.url).toContain('/projects/p/locations/eu/publishers/google/models/gemini-test');
      expect(ends.provider.last.headers['authorization']).toBe('Bearer its-own');
      expect(ends.fake.asked[0]!.url).toContain('/v1/calls/gemini/');
    });

    it('is refused for live sessions', () => {
      const client = weir(new GoogleGenAI(setup()), options());
      expect(
        thrown(() => client.live.connect({ model: 'm', callbacks: { onmessage: () => undefined } })),
      ).toMatchObject({
        ...{ name: 'WeirConfigError', message: expect.stringContaining('cannot guard WebSockets') as string },
      });
    });
  });

  // Skipped unless the older client is installed: npm ci --prefix test/sdk/older-clients.
  (existsSync(`${OLDER}/node_modules`) ? describe : describe.skip)('of an older client of Gemini', () => {
    let Older: typeof GoogleGenAI;
    beforeAll(() => {
      ({ GoogleGenAI: Older } = createRequire(`${OLDER}/package.json`)(
        '@google/genai',
      ) as typeof import('@google/genai'));
    });

    it('is refused if the client is too old, and the error names the required version', () => {
      const error = thrown(() => weir(new Older(setup()), options()));
      expect(error).toBeInstanceOf(WeirConfigError);
      expect((error as Error).message).toMatch(/GoogleGenAI.*before 2\.23.*Update the package/);
    });

    it('causes a warning at the first call if the client ignores its guarded fetch', async () => {
      const connection = new Weir(options());
      await ask(
        new Older({ ...setup(), httpOptions: { ...setup().httpOptions, fetch: weirFetch(connection) } as never }),
      );
      expect([ends.fake.asked.length, ends.provider.requests.length]).toEqual([0, 1]);
      expect(warnings).toEqual([expect.stringContaining('does not guard @google/genai 1.30.0') as string]);
    });
  });

  it('is refused for copies of an OpenAI client with a certificate, which need their own connection', () => {
    const workloadIdentity = { type: 'x509', certificate: 'c', privateKey: 'k' } as never;
    const guarded = weir(openai(), options());
    for (const more of [{}, { fetch: undefined }]) {
      const copied = (): unknown => guarded.withOptions({ workloadIdentity, ...more, apiKey: undefined });
      expect(thrown(copied)).toMatchObject({ message: expect.stringContaining('custom fetch') as string });
    }
  });

  describe('over sockets', () => {
    const secure = (): OpenAI =>
      weir(new OpenAI({ apiKey: 'k', baseURL: ends.provider.url.replace('http:', 'https:') }), options());

    it.each<readonly [string, (client: OpenAI) => unknown]>([
      ['Realtime', (client) => new OpenAIRealtimeWebSocket({ model: 'm' }, client as never)],
      ['Realtime over ws', (client) => new OpenAIRealtimeWS({ model: 'm' }, client)],
      ['Responses over ws', (client) => new ResponsesWS(client)],
    ])('of a guarded client is refused: %s', (_, open) => {
      expect(thrown(() => open(secure()))).toMatchObject({
        message: expect.stringContaining('cannot guard WebSockets'),
      });
      expect(ends.provider.requests).toHaveLength(0);
    });

    /** Opens a socket like the package `ws`. */
    const byHttp = (url: string): Promise<unknown> =>
      new Promise((resolve) => {
        get(url, { headers: { connection: 'Upgrade', upgrade: 'websocket' } }, resolve).on('error', resolve);
      });
    const byRuntime = (url: string): Promise<unknown> =>
      new Promise((resolve) => {
        new WebSocket(url.replace('http', 'ws')).addEventListener('error', resolve);
      });

    it.each([
      ['by the runtime', byRuntime],
      ['over node:http', byHttp],
    ])('next to a guarded client causes a warning: opened %s', async (_, open) => {
      ends.fake.answer(allow());
      await weir(openai(), options()).chat.completions.create(CHAT);
      expect(warnings).toEqual([]);
      await open(`${ends.provider.url}/v1/realtime`);
      expect(warnings).toEqual([
        `Weir does not guard the WebSocket to ${new URL(ends.provider.url).host} that this process opens: sockets do not pass through fetch`,
      ]);
    });

    it('to other hosts is ignored', async () => {
      const other = await RawUpstream.start();
      try {
        await weir(openai(), options()).chat.completions.create(CHAT);
        await byRuntime(other.url);
        expect(warnings).toEqual([]);
      } finally {
        await other.close();
      }
    });
  });
});
