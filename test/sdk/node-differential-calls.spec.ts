import { AnthropicBedrock } from '@anthropic-ai/bedrock-sdk';
import Anthropic from '@anthropic-ai/sdk';
import { AnthropicVertex } from '@anthropic-ai/vertex-sdk';
import { GoogleGenAI } from '@google/genai';
import AnthropicYearOld from 'anthropic-year-old';
import OpenAI, { AzureOpenAI } from 'openai';
import OpenAIYearOld, { AzureOpenAI as AzureOpenAIYearOld } from 'openai-year-old';
import { Weir, weir, weirFetch } from '../../sdk/node/src/index.js';
import { RawUpstream } from '../support/raw-upstream.js';
import { startTestApp, type TestApp } from '../support/test-app.js';
import { ANTHROPIC_CALLS, ANTHROPIC_CLOUD_CALLS, MESSAGE } from './differential/anthropic-calls.js';
import { answerWith, noticedBy, type Calls } from './differential/compare.js';
import { content, GEMINI_CALLS } from './differential/gemini-calls.js';
import { COMPLETION, OPENAI_CALLS } from './differential/openai-calls.js';
import { fetchUntil } from './fetch-until.js';

/** The bare and the guarded version of a client. */
type Pair<Client> = readonly [bare: Client, guarded: Client];

let app: TestApp;
let provider: RawUpstream;
let connection: Weir;
/** A separate connection, because calls of Gemini's client to other addresses than Google's do not identify the provider. */
let ofGemini: Weir;
beforeAll(async () => {
  provider = await RawUpstream.start();
  app = await startTestApp();
  const apiKey = app.bootstrap.keys.production;
  const options = { apiKey, baseUrl: app.url, deadlineMs: 60_000, flushTimeoutMs: 60_000, fetch: toWeir() };
  connection = new Weir(options);
  ofGemini = new Weir({ ...options, provider: 'gemini' });
});
afterAll(async () => {
  await connection.flush();
  await ofGemini.flush();
  await app.close();
  await provider.close();
});
/** Answers that no client has read are reported when they are garbage-collected, which may be after the tests. */
const toWeir = fetchUntil(afterAll);

const both = <Client extends object>(client: Client): Pair<Client> => [client, weir(client, connection)];
const credential = { apiKey: 'provider-key' };
const openai = () => ({ ...credential, baseURL: `${provider.url}/v1`, defaultHeaders: { 'x-mine': 'é' } });
const azure = () => ({
  ...{ ...credential, endpoint: provider.url, apiVersion: '2024-10-21', deployment: 'mine' },
});
const google = { projectId: 'p', getRequestHeaders: () => new Headers({ authorization: 'Bearer ya29.x' }) };

function everyThird<Client>(calls: Calls<Client>): Calls<Client> {
  return Object.fromEntries(Object.entries(calls).filter((_, index) => index % 3 === 0));
}

const OPENAI: Readonly<Record<string, readonly [least: number, () => Pair<OpenAI>, Calls<OpenAI>]>> = {
  openai: [60, () => both(new OpenAI(openai())), OPENAI_CALLS],
  'openai, a year old': [
    25,
    () => both(new OpenAIYearOld(openai())) as unknown as Pair<OpenAI>,
    everyThird(OPENAI_CALLS),
  ],
  'Azure openai': [60, () => both(new AzureOpenAI(azure())), OPENAI_CALLS],
  'Azure openai, a year old': [
    25,
    () => both(new AzureOpenAIYearOld(azure())) as unknown as Pair<OpenAI>,
    everyThird(OPENAI_CALLS),
  ],
};
const ANTHROPIC: Readonly<Record<string, readonly [least: number, () => Pair<Anthropic>, Calls<Anthropic>]>> = {
  anthropic: [60, () => both(new Anthropic({ ...credential, baseURL: provider.url })), ANTHROPIC_CALLS],
  'anthropic, a year old': [
    20,
    () => both(new AnthropicYearOld({ ...credential, baseURL: provider.url })) as unknown as Pair<Anthropic>,
    everyThird(ANTHROPIC_CALLS),
  ],
  'anthropic for Bedrock': [
    40,
    () =>
      both(
        new AnthropicBedrock({
          ...{ awsAccessKey: 'AKIDEXAMPLE', awsSecretKey: 'not-a-secret', awsRegion: 'eu-central-1' },
          baseURL: provider.url,
        }),
      ) as unknown as Pair<Anthropic>,
    ANTHROPIC_CLOUD_CALLS,
  ],
  'anthropic for Vertex': [
    40,
    () =>
      both(
        new AnthropicVertex({
          ...{ region: 'eu', projectId: 'p', baseURL: `${provider.url}/v1`, authClient: google as never },
        }),
      ) as unknown as Pair<Anthropic>,
    ANTHROPIC_CLOUD_CALLS,
  ],
};
const gemini = (fetch?: typeof globalThis.fetch): GoogleGenAI =>
  new GoogleGenAI({
    ...credential,
    httpOptions: {
      ...{ baseUrl: provider.url, retryOptions: { attempts: 1 } },
      ...(fetch === undefined ? {} : { fetch: fetch as never }),
    },
  });

function compared<Client>(
  name: string,
  least: number,
  pair: () => Pair<Client>,
  calls: Calls<Client>,
  answer: unknown,
): void {
  describe(`a guarded client compared with a bare one: ${name}`, () => {
    it(`is compared in at least ${least} calls`, () => expect(Object.keys(calls).length).toBeGreaterThanOrEqual(least));

    it.each(Object.entries(calls))('%s', async (call, make) => {
      const [bare, guarded] = await noticedBy(provider, answerWith(200, answer), pair(), make);
      expect(guarded!.outcome).toEqual(bare!.outcome);
      // A timeout may occur while the client waits for Weir.
      if (call !== 'timed out') expect(guarded!.requests).toEqual(bare!.requests);
    });
  });
}

for (const [name, [least, pair, calls]] of Object.entries(OPENAI)) compared(name, least, pair, calls, COMPLETION);
for (const [name, [least, pair, calls]] of Object.entries(ANTHROPIC)) compared(name, least, pair, calls, MESSAGE);
compared(
  '@google/genai',
  60,
  () => [gemini(globalThis.fetch), gemini(weirFetch(ofGemini))],
  GEMINI_CALLS,
  content('Hi'),
);

describe('the comparison', () => {
  const planted: Readonly<Record<string, typeof globalThis.fetch>> = {
    'another byte in a body': (url, init) =>
      fetch(url, {
        ...init,
        body: typeof init?.body === 'string' ? init.body.replace(':', ': ') : init?.body,
      } as RequestInit),
    'another header': (url, init) => {
      const headers = new Headers(init?.headers);
      headers.set('x-more', '1');
      return fetch(url, { ...init, headers });
    },
    'a second try': async (url, init) => {
      await (await fetch(url, init)).text();
      return fetch(url, init);
    },
    'another answer': async (url, init) =>
      new Response((await (await fetch(url, init)).text()).replace('Bern', 'Rome')),
  };
  it.each(Object.entries(planted))('detects %s', async (_, inner) => {
    const clients = [new OpenAI(openai()), weir(new OpenAI({ ...openai(), fetch: inner }), connection)];
    const [bare, guarded] = await noticedBy(provider, answerWith(200, COMPLETION), clients, OPENAI_CALLS['chat']!);
    expect(guarded).not.toEqual(bare);
  });
});
