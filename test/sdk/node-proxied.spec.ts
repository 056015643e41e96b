import Anthropic from '@anthropic-ai/sdk';
import { GoogleGenAI } from '@google/genai';
import OpenAI from 'openai';
import { Weir, weir, weirFetch } from '../../sdk/node/src/index.js';
import { RawUpstream, type Respond } from '../support/raw-upstream.js';
import { answerStatus, FakeWeir } from './fake-weir.js';

const KEY = ['sk', 'test', 'proxied'].join('_');
const UPLOAD = '/proxy/gemini/upload/v1beta/files';

describe('a guarded client whose calls go through the proxy', () => {
  let fake: FakeWeir;
  let provider: RawUpstream;
  beforeEach(async () => {
    fake = await FakeWeir.start();
    provider = await RawUpstream.start();
    provider.answerJson({ access_token: 'made-up' });
    fake.answer(answerStatus(200, { object: 'list', data: [], id: 'one-1' }));
  });
  afterEach(async () => {
    await fake.close();
    await provider.close();
  });
  const connected = (prefix = ''): Weir =>
    new Weir({ apiKey: KEY, baseUrl: fake.url + prefix, via: 'proxy', deadlineMs: 60_000, onWarning: () => undefined });
  const openai = (baseURL = `${provider.url}/v1`): OpenAI =>
    weir(new OpenAI({ apiKey: 'k', baseURL, maxRetries: 0 }), connected());
  const anthropic = (): Anthropic => weir(new Anthropic({ apiKey: 'k', baseURL: provider.url }), connected());
  const gemini = (prefix = '', baseUrl?: string): GoogleGenAI => {
    const httpOptions = { retryOptions: { attempts: 1 }, ...(baseUrl === undefined ? {} : { baseUrl }) };
    return weir(new GoogleGenAI({ apiKey: 'k', httpOptions }), connected(prefix));
  };
  /** The requests that reached Weir, each with the service key that it had. */
  const asked = (): unknown => fake.asked.map(({ url, headers }) => [url, headers['x-service-key']]);

  it.each<readonly [string, string, () => PromiseLike<unknown>]>([
    ['a list of models', '/proxy/openai/v1/models', () => openai().models.list()],
    [
      'the content of a file',
      '/proxy/openai/v1/files/file-1/content',
      async () => (await openai().files.content('file-1')).text(),
    ],
    ['an answer', '/proxy/openai/v1/responses/resp-1', () => openai().responses.retrieve('resp-1')],
    ['a batch', '/proxy/openai/v1/batches/batch-1', () => openai().batches.retrieve('batch-1')],
    ['models of Anthropic', '/proxy/anthropic/v1/models', () => anthropic().models.list()],
    ['a model of Google', '/proxy/gemini/v1beta/models/m', () => gemini('', provider.url).models.get({ model: 'm' })],
  ])('reads nothing from the provider past Weir: %s', async (_, path, look) => {
    await look();
    expect([asked(), provider.requests]).toEqual([[[path, KEY]], []]);
  });

  it('sends only requests for credentials and URLs of data past Weir', async () => {
    const guarded = weirFetch(new Weir({ apiKey: KEY, baseUrl: fake.url, via: 'proxy', provider: 'openai' }));
    const answer = await guarded(`${provider.url}/oauth/token`, { method: 'POST', body: 'grant_type=x' });
    expect(await answer.json()).toEqual({ access_token: 'made-up' });
    expect(await (await guarded('data:text/plain,hello')).text()).toBe('hello');
    expect([provider.requests.length, fake.asked]).toEqual([1, []]);
  });

  describe.each([
    ['of Weir', ''],
    ['of Weir with a path', '/below/weir'],
  ])('with the address %s', (_, prefix) => {
    const piece = `${prefix}${UPLOAD}?upload_id=abc&upload_protocol=resumable`;
    /** Answers like the proxy, which names its own address for the bytes of a file. */
    const takeFile: Respond = (response, { headers }) => {
      const isStart = headers['x-goog-upload-command'] === 'start';
      response.writeHead(200, {
        'content-type': 'application/json',
        'x-goog-upload-status': isStart ? 'active' : 'final',
        ...(isStart ? { 'x-goog-upload-url': `${fake.url}${piece}` } : {}),
      });
      response.end(JSON.stringify({ file: { name: 'files/1' } }));
    };

    it('uploads a file of Google, although its client puts the host of Google on the address of Weir', async () => {
      fake.answer(takeFile);
      const file = new Blob(['a line of text'], { type: 'text/plain' });
      expect(await gemini(prefix).files.upload({ file })).toMatchObject({ name: 'files/1' });
      expect(asked()).toEqual([
        [`${prefix}${UPLOAD}`, KEY],
        [piece, KEY],
      ]);
      expect(fake.asked[1]!.body.toString()).toBe('a line of text');
    });

    it('adds its key to requests to an address that Weir has named', async () => {
      await weirFetch(connected(prefix))(`${fake.url}${piece}`, { method: 'POST', body: 'a line of text' });
      expect(asked()).toEqual([[piece, KEY]]);
    });
  });

  it('adds its key for a client of the proxy that has none, and keeps the key of another one', async () => {
    await openai(`${fake.url}/proxy/openai/v1`).models.list();
    const own = ['sk', 'test', 'own'].join('_');
    await weirFetch(connected())(`${fake.url}/proxy/openai/v1/models`, { headers: { 'x-service-key': own } });
    expect(asked()).toEqual([
      ['/proxy/openai/v1/models', KEY],
      ['/proxy/openai/v1/models', own],
    ]);
  });
});
