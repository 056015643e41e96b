import type { GoogleGenAI } from '@google/genai';
import { all, answerWith, endless, inOddPieces, inTurn, settled, streamOf, type Call, type Calls } from './compare.js';
import { inPages } from './openai-calls.js';

export const content = (text: string, more: object = {}): object => ({
  candidates: [{ content: { role: 'model', parts: [{ text }] }, index: 0, finishReason: 'STOP' }],
  usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
  ...{ modelVersion: 'gemini-test', responseId: 'response-1', ...more },
});
const FRAMES = ['One ', 'twö ', 'three'].map((text) => `data: ${JSON.stringify(content(text))}\n\n`);
const CALLS_TOOL = {
  ...content(''),
  candidates: [
    { content: { role: 'model', parts: [{ functionCall: { name: 'look', args: { city: 'Bern' } } }] }, index: 0 },
  ],
};
const PAGES = inPages('pageToken', (ids, more, last) => ({
  ...{ models: ids.map((name) => ({ name })), ...(more ? { nextPageToken: last } : {}) },
}));
const ask = { model: 'gemini-test', contents: 'hi' };
const TOOL = { functionDeclarations: [{ name: 'look', parametersJsonSchema: { type: 'object' } }] };
const generate =
  (config: object, contents: unknown = 'hi'): Call<GoogleGenAI> =>
  (client) =>
    client.models.generateContent({ model: 'gemini-test', contents: contents as string, config });

const options: Calls<GoogleGenAI> = {
  content: generate({}),
  'content: numbers': generate({
    temperature: 0.1,
    topP: 1,
    topK: 4,
    seed: 7,
    maxOutputTokens: 1e6,
    candidateCount: 2,
  }),
  'content: texts of all alphabets': generate({}, 'é 漢字 🙂 \u2028 \u0000 "\\'),
  'content: system': generate({ systemInstruction: 'be brief' }),
  'content: system in parts': generate({ systemInstruction: { parts: [{ text: 'a' }, { text: 'b' }] } }),
  'content: stop words': generate({ stopSequences: ['\n', '§'] }),
  'content: turns': generate({}, [
    { role: 'user', parts: [{ text: 'hi' }] },
    { role: 'model', parts: [{ text: 'yes' }] },
    { role: 'user', parts: [{ text: 'and?' }] },
  ]),
  'content: texts': generate({}, ['a', 'b']),
  'content: picture': generate({}, [
    { inlineData: { mimeType: 'image/png', data: 'iVBORw0KGgo=' } },
    { text: 'what?' },
  ]),
  'content: a file': generate({}, [{ fileData: { mimeType: 'text/plain', fileUri: 'https://example.com/a' } }]),
  'content: tools': generate({ tools: [TOOL], toolConfig: { functionCallingConfig: { mode: 'ANY' } } }),
  'content: search': generate({ tools: [{ googleSearch: {} }] }),
  'content: a tool has answered': generate({}, [
    { role: 'user', parts: [{ text: 'hi' }] },
    { role: 'model', parts: [{ functionCall: { name: 'look', args: {} } }] },
    { role: 'user', parts: [{ functionResponse: { name: 'look', response: { output: 'sunny' } } }] },
  ]),
  'content: JSON': generate({ responseMimeType: 'application/json' }),
  'content: a schema': generate({
    ...{
      responseMimeType: 'application/json',
      responseSchema: { type: 'OBJECT', properties: { a: { type: 'STRING' } } },
    },
  }),
  'content: a JSON schema': generate({ responseMimeType: 'application/json', responseJsonSchema: { type: 'object' } }),
  'content: thinking': generate({ thinkingConfig: { thinkingBudget: 0, includeThoughts: true } }),
  'content: safety': generate({ safetySettings: [{ category: 'HARM_CATEGORY_HARASSMENT', threshold: 'BLOCK_NONE' }] }),
  'content: cached': generate({ cachedContent: 'cachedContents/1' }),
  'content: logprobs': generate({ responseLogprobs: true, logprobs: 2, presencePenalty: -0.5 }),
  'option: headers': generate({ httpOptions: { headers: { 'x-own': '2' } } }),
  'option: extra body': generate({ httpOptions: { extraBody: { next_years_field: { deep: [1, null] } } } }),
  'option: version': generate({ httpOptions: { apiVersion: 'v1' } }),
  'option: time': generate({ httpOptions: { timeout: 50_000 } }),
  'option: a signal that does not fire': generate({ abortSignal: new AbortController().signal }),
};

const routes: Calls<GoogleGenAI> = {
  tokens: (client, provider) => {
    provider.answer(answerWith(200, { totalTokens: 3 }));
    return client.models.countTokens(ask);
  },
  embeddings: (client, provider) => {
    provider.answer(answerWith(200, { embeddings: [{ values: [0.5, -1] }] }));
    return client.models.embedContent({ model: 'm', contents: ['a', 'b'], config: { outputDimensionality: 2 } });
  },
  images: (client) =>
    client.models.generateImages({ model: 'imagen', prompt: 'a boat', config: { numberOfImages: 1 } }),
  videos: (client, provider) => {
    provider.answer(answerWith(200, { name: 'operations/1', done: false }));
    return settled(
      client.models.generateVideos({ model: 'veo', prompt: 'a boat' }).then(({ name, done }) => [name, done]),
    );
  },
  model: (client) => client.models.get({ model: 'gemini-test' }),
  'caches, made': (client) => client.caches.create({ model: 'gemini-test', config: { contents: 'hi', ttl: '60s' } }),
  'caches, fetched': (client) => client.caches.get({ name: 'cachedContents/1' }),
  'caches, changed': (client) => client.caches.update({ name: 'cachedContents/1', config: { ttl: '9s' } }),
  'caches, deleted': (client) => client.caches.delete({ name: 'cachedContents/1' }),
  file: (client) => client.files.get({ name: 'files/1' }),
  'file, deleted': (client) => client.files.delete({ name: 'files/1' }),
  batch: (client) =>
    settled(client.batches.create({ model: 'gemini-test', src: [{ contents: [{ parts: [{ text: 'hi' }] }] }] })),
  'batch, fetched': (client) => client.batches.get({ name: 'batches/1' }),
};

const helpers: Calls<GoogleGenAI> = {
  text: async (client) => (await client.models.generateContent(ask)).text,
  'function calls': async (client, provider) => {
    provider.answer(answerWith(200, CALLS_TOOL));
    return (await client.models.generateContent({ ...ask, config: { tools: [TOOL] } })).functionCalls;
  },
  'tools that the client runs': (client, provider) => {
    provider.answer(inTurn(answerWith(200, CALLS_TOOL), answerWith(200, content('sunny'))));
    const look = {
      tool: () => Promise.resolve(TOOL),
      callTool: () => Promise.resolve([{ functionResponse: { name: 'look', response: { output: 'sunny' } } }]),
    };
    return client.models.generateContent({ ...ask, config: { tools: [look] } });
  },
  chat: async (client) => {
    const chat = client.chats.create({ model: 'gemini-test', config: { temperature: 0 } });
    const answers = [await chat.sendMessage({ message: 'hi' }), await chat.sendMessage({ message: 'and?' })];
    return [answers.map(({ text }) => text), chat.getHistory()];
  },
  'chat, streamed': async (client, provider) => {
    provider.answer(streamOf(FRAMES));
    const chat = client.chats.create({ model: 'gemini-test' });
    return [await all(chat.sendMessageStream({ message: 'hi' })), chat.getHistory()];
  },
  streamed: (client, provider) => {
    provider.answer(streamOf(FRAMES));
    return all(client.models.generateContentStream(ask));
  },
  'streamed in odd pieces': (client, provider) => {
    provider.answer(inOddPieces(FRAMES));
    return all(client.models.generateContentStream(ask));
  },
  'pages, all': (client, provider) => {
    provider.answer(PAGES);
    return all(client.models.list({ config: { pageSize: 2 } }));
  },
};

/** A reader that stops, or aborts, after one of three events. */
const cut =
  (after: number, how: 'break' | 'abort'): Call<GoogleGenAI> =>
  async (client, provider) => {
    provider.answer(endless(FRAMES));
    const controller = new AbortController();
    const config = { abortSignal: controller.signal };
    const parts: unknown[] = [];
    const read = async (): Promise<void> => {
      for await (const part of await client.models.generateContentStream({ ...ask, config })) {
        parts.push(part);
        if (parts.length <= after) continue;
        if (how === 'break') break;
        controller.abort();
      }
    };
    const ended = await settled(read());
    // This client closes its connection to the provider only on an abort, not when its reader stops.
    if (how === 'abort') await provider.untilAborted();
    return [parts, ended];
  };

const troubles: Calls<GoogleGenAI> = {
  ...Object.fromEntries(
    [400, 401, 403, 404, 409, 422, 429, 500, 503].map((status): [string, Call<GoogleGenAI>] => [
      `error ${status}`,
      (client, provider) => {
        provider.answer(answerWith(status, { error: { code: status, message: 'no', status: 'X' } }));
        return client.models.generateContent(ask);
      },
    ]),
  ),
  'error that is not JSON': (client, provider) => {
    provider.answer((response) => void response.writeHead(400, { 'content-type': 'text/html' }).end('<h1>no</h1>'));
    return client.models.generateContent(ask);
  },
  'answer that is not JSON': (client, provider) => {
    provider.answer(answerWith(200, '{"id":'));
    return client.models.generateContent(ask);
  },
  'stream broken off': (client, provider) => {
    provider.answer(streamOf(FRAMES.slice(0, 1), 'broken'));
    return all(client.models.generateContentStream(ask));
  },
  'error in a stream': (client, provider) => {
    provider.answer(streamOf([FRAMES[0]!, 'data: {"error":{"code":503,"message":"no","status":"UNAVAILABLE"}}\n\n']));
    return all(client.models.generateContentStream(ask));
  },
  'aborted before it began': generate({ abortSignal: AbortSignal.abort() }),
  'aborted while it waits': async (client, provider) => {
    const controller = new AbortController();
    provider.answer(() => controller.abort());
    const config = { abortSignal: controller.signal };
    const error = await settled(client.models.generateContent({ ...ask, config }));
    await provider.untilAborted();
    return error;
  },
  ...Object.fromEntries(
    [0, 1, 2].flatMap((after) =>
      (['break', 'abort'] as const).map((how) => [`${how} after event ${after + 1}`, cut(after, how)] as const),
    ),
  ),
  // This call is the last one, because this client may send its retries late.
  'timed out': (client, provider) => {
    provider.answer(() => undefined);
    return client.models.generateContent({ ...ask, config: { httpOptions: { timeout: 300 } } });
  },
};

export const GEMINI_CALLS: Calls<GoogleGenAI> = { ...options, ...routes, ...helpers, ...troubles };
