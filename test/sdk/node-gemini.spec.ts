import { GoogleGenAI } from '@google/genai';
import { Weir, weirFetch, weirOf, type WeirInfo } from '../../sdk/node/src/index.js';
import { RawUpstream } from '../support/raw-upstream.js';
import { allow, redact, FakeWeir } from './fake-weir.js';

/** Longer than the part of an answer that is searched for an id. */
const LONG = 'word '.repeat(2_000);

/** An answer in the format of Google, with the id after the content. */
const answer = (responseId: string, text: string): object => ({
  candidates: [{ content: { role: 'model', parts: [{ text }] }, index: 0 }],
  usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
  modelVersion: 'gemini-test',
  responseId,
});

describe('the information of Weir about an answer of Gemini', () => {
  let fake: FakeWeir;
  let provider: RawUpstream;
  let connection: Weir;
  beforeEach(async () => {
    fake = await FakeWeir.start();
    provider = await RawUpstream.start();
    connection = new Weir({ apiKey: 'sk_test_gemini', baseUrl: fake.url, deadlineMs: 60_000, flushTimeoutMs: 60_000 });
  });
  afterEach(async () => {
    await connection.flush();
    await fake.close();
    await provider.close();
  });
  const client = (): GoogleGenAI =>
    new GoogleGenAI({
      apiKey: 'k',
      httpOptions: { baseUrl: provider.url, fetch: weirFetch(connection) as never, retryOptions: { attempts: 1 } },
    });
  const ASKED = { model: 'gemini-test', contents: 'hello' };
  const allowAs = (id: string): void => fake.answer(allow({ 'x-weir-event-id': id }));

  it('is found for a result, however long the answer is', async () => {
    for (const [id, text] of [
      ['short', 'Hi'],
      ['long', LONG],
    ] as const) {
      allowAs(id);
      provider.answerJson(answer(`response-${id}`, text));
      const result = await client().models.generateContent(ASKED);
      expect(result.text).toBe(text);
      expect(weirOf(result)).toMatchObject({ eventId: id, decision: 'allow' });
      expect(await weirOf(result)?.answered).toEqual([]);
    }
  });

  it('is found without output on the console', async () => {
    provider.answerJson(answer('response-quiet', 'Hi'));
    const result = await client().models.generateContent(ASKED);
    const { warn } = console;
    const warned: unknown[] = [];
    console.warn = (...words: unknown[]) => void warned.push(words);
    try {
      expect(weirOf(result)).toBeDefined();
      expect(weirOf(Object.assign(result, { responseId: 'unknown' }))).toBeUndefined();
    } finally {
      console.warn = warn;
    }
    expect(warned).toEqual([]);
  });

  it('is found for each event of a stream', async () => {
    allowAs('streamed');
    provider.answerSse(['One', LONG, 'three'].map((text) => `data: ${JSON.stringify(answer('response-s', text))}\n\n`));
    const said: (WeirInfo | undefined)[] = [];
    for await (const event of await client().models.generateContentStream(ASKED)) said.push(weirOf(event));
    expect(said.map((info) => info?.eventId)).toEqual(['streamed', 'streamed', 'streamed']);
  });

  it('reports that the request was redacted, and is not confused by an id that the answer quotes', async () => {
    fake.answer(
      redact(JSON.stringify({ contents: [{ role: 'user', parts: [{ text: '[NAME_1]' }] }] }), {
        'x-weir-event-id': 'redacted',
      }),
    );
    provider.answerJson(answer('response-own', 'it says {"responseId":"response-other"}'));
    const result = await client().models.generateContent(ASKED);
    expect(weirOf(result)).toMatchObject({
      ...{ eventId: 'redacted', decision: 'redact', redactions: [{ type: 'EMAIL', count: 1 }] },
    });
    expect(weirOf({ responseId: 'response-other' })).toBeUndefined();
  });
});
