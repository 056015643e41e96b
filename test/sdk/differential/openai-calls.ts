import { zodResponseFormat, zodTextFormat } from 'openai/helpers/zod';
import type OpenAI from 'openai';
import { toFile } from 'openai';
import { z } from 'zod';
import { all, answerWith, endless, inOddPieces, inTurn, settled, streamOf, type Call, type Calls } from './compare.js';

export const COMPLETION = {
  ...{ id: 'chatcmpl-1', object: 'chat.completion', created: 1, model: 'gpt-4o' },
  choices: [
    { index: 0, finish_reason: 'stop', message: { role: 'assistant', content: '{"city":"Bern"}', refusal: null } },
  ],
  usage: { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 },
};
const RESPONSE = {
  ...{ id: 'resp_1', object: 'response', created_at: 1, model: 'gpt-4o', status: 'completed', error: null },
  output: [
    {
      ...{ id: 'msg_1', type: 'message', role: 'assistant', status: 'completed' },
      content: [{ type: 'output_text', text: '{"city":"Bern"}', annotations: [] }],
    },
  ],
};
const delta = (content: string, finish: string | null = null): string =>
  `data: ${JSON.stringify({ ...COMPLETION, object: 'chat.completion.chunk', usage: undefined, choices: [{ index: 0, delta: { role: 'assistant', content }, finish_reason: finish }] })}\n\n`;
const FRAMES = [delta('{"city"'), delta(':"Bé'), delta('rn"}', 'stop'), 'data: [DONE]\n\n'];
const RESPONSE_FRAMES = [
  { type: 'response.created', sequence_number: 0, response: { ...RESPONSE, status: 'in_progress', output: [] } },
  { type: 'response.completed', sequence_number: 1, response: RESPONSE },
].map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
const PAGES = inPages('after', (ids, more) => ({ object: 'list', data: ids.map((id) => ({ id })), has_more: more }));

/** Answers with the requested page of five items on three pages. */
export function inPages(parameter: string, page: (ids: readonly string[], more: boolean, last: string) => unknown) {
  const ids = ['id-1', 'id-2', 'id-3', 'id-4', 'id-5'];
  return (...[response, request]: Parameters<ReturnType<typeof answerWith>>) => {
    const after = new URL(request.url, 'http://x').searchParams.get(parameter);
    const from = after === null ? 0 : ids.indexOf(after) + 1;
    const some = ids.slice(from, from + 2);
    return answerWith(200, page(some, from + 2 < ids.length, some.at(-1) ?? ''))(response, request);
  };
}

const ask = { model: 'gpt-4o', messages: [{ role: 'user' as const, content: 'hi' }] };
const schema = z.object({ city: z.string() });
const TOOL = {
  type: 'function' as const,
  function: { name: 'look', parameters: { type: 'object', properties: { city: { type: 'string' } } } },
};
const CALLS_TOOL = {
  ...COMPLETION,
  choices: [
    {
      ...{ index: 0, finish_reason: 'tool_calls' },
      message: {
        ...{ role: 'assistant', content: null },
        tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'look', arguments: '{"city":"Bern"}' } }],
      },
    },
  ],
};
const chat =
  (more: object, options: object = {}): Call<OpenAI> =>
  (client) =>
    client.chat.completions.create({ ...ask, ...more }, options);

const options: Calls<OpenAI> = {
  chat: chat({}),
  'chat: numbers': chat({ seed: 9007199254740991, temperature: 0.1, top_p: 1, presence_penalty: -0.5, n: 2 }),
  'chat: texts of all alphabets': chat({ messages: [{ role: 'user', content: 'é 漢字 🙂 \u2028 \u0000 "\\' }] }),
  'chat: stop words and logprobs': chat({
    stop: ['\n', '§'],
    logprobs: true,
    top_logprobs: 2,
    logit_bias: { '50256': -100 },
  }),
  'chat: roles': chat({
    messages: [
      { role: 'developer', content: 'be brief' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'hi' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } },
        ],
      },
      { role: 'assistant', content: 'yes', refusal: null },
      { role: 'user', content: 'and?', name: 'ann' },
    ],
  }),
  'chat: tools': chat({ tools: [TOOL], tool_choice: 'auto', parallel_tool_calls: false }),
  'chat: a tool has answered': chat({
    messages: [
      ...ask.messages,
      CALLS_TOOL.choices[0]!.message,
      { role: 'tool', tool_call_id: 'call_1', content: 'sunny' },
    ],
  }),
  'chat: a schema': chat({
    response_format: { type: 'json_schema', json_schema: { name: 'a', schema: { type: 'object' } } },
  }),
  'chat: fields that nobody knows': chat({ next_years_field: { deep: [1, null, { x: 1e21 }] } }),
  'chat: stored, with metadata': chat({ store: true, metadata: { a: 'b' }, service_tier: 'auto', user: 'u-1' }),
  'option: headers': chat({}, { headers: { 'x-own': '2', 'OpenAI-Beta': 'x=1', 'user-agent': null } }),
  'option: query': chat({}, { query: { a: ['b', 'c'], d: { e: 'f' } } }),
  'option: idempotency key': chat({}, { idempotencyKey: 'idem-1' }),
  'option: path of its own': (client) => client.post('/chat/completions', { body: ask }),
  'option: a signal that does not fire': chat({}, { signal: new AbortController().signal }),
  'option: a copy': (client) =>
    client.withOptions({ timeout: 50_000, defaultHeaders: { 'x-copy': '1' } }).chat.completions.create(ask),
  'option: no retries': chat({}, { maxRetries: 0 }),
};

const routes: Calls<OpenAI> = {
  completions: (client) => client.completions.create({ model: 'm', prompt: ['a', 'b'], max_tokens: 3 }),
  embeddings: (client) => client.embeddings.create({ model: 'm', input: ['a', 'b'], encoding_format: 'float' }),
  'embeddings, packed': (client, provider) => {
    const embedding = Buffer.from(new Float32Array([0.5, -1]).buffer).toString('base64');
    provider.answer(answerWith(200, { data: [{ index: 0, embedding }], model: 'm', usage: {} }));
    return client.embeddings.create({ model: 'm', input: 'a' });
  },
  moderations: (client) => client.moderations.create({ input: 'a' }),
  responses: (client, provider) => {
    provider.answer(answerWith(200, RESPONSE));
    return client.responses.create({ model: 'm', input: 'hi', instructions: 'brief', previous_response_id: 'resp_0' });
  },
  'responses, parsed': async (client, provider) => {
    provider.answer(answerWith(200, RESPONSE));
    const { output_parsed } = await client.responses.parse({
      model: 'm',
      input: 'hi',
      text: { format: zodTextFormat(schema, 'a') },
    });
    return output_parsed;
  },
  'responses, streamed': (client, provider) => {
    provider.answer(streamOf(RESPONSE_FRAMES));
    return all(client.responses.create({ model: 'm', input: 'hi', stream: true }));
  },
  'responses, stream helper': (client, provider) => {
    provider.answer(streamOf(RESPONSE_FRAMES));
    return client.responses.stream({ model: 'm', input: 'hi' }).finalResponse();
  },
  'responses, fetched': (client) => client.responses.retrieve('resp_1', { include: ['message.output_text.logprobs'] }),
  'responses, deleted': (client) => client.responses.delete('resp_1'),
  'responses, cancelled': (client) => client.responses.cancel('resp_1'),
  images: (client) => client.images.generate({ prompt: 'a boat', size: '1024x1024' }),
  speech: (client, provider) => {
    provider.answer(
      (response) => void response.writeHead(200, { 'content-type': 'audio/mpeg' }).end(Buffer.from([0, 255, 128])),
    );
    return client.audio.speech.create({ model: 'm', voice: 'alloy', input: 'hi' });
  },
  transcription: async (client) =>
    client.audio.transcriptions.create({ model: 'm', file: await toFile(Buffer.from([0, 1, 254, 255]), 'a.wav') }),
  upload: async (client) =>
    client.files.create({
      purpose: 'batch',
      file: await toFile(Buffer.from('{"a":1}\n'), 'é.jsonl', { type: 'text/plain' }),
    }),
  'upload of a picture': async (client) =>
    client.images.edit({
      prompt: 'x',
      image: await toFile(Buffer.from([137, 80, 78, 71]), 'a.png', { type: 'image/png' }),
    }),
  'file contents': (client, provider) => {
    provider.answer(
      (response) => void response.writeHead(200, { 'content-type': 'application/octet-stream' }).end('abc'),
    );
    return client.files.content('file-1');
  },
  models: (client) => client.models.retrieve('gpt-4o'),
  'fine-tuning': (client) => client.fineTuning.jobs.create({ model: 'm', training_file: 'file-1' }),
  batches: (client) =>
    client.batches.create({ completion_window: '24h', endpoint: '/v1/chat/completions', input_file_id: 'file-1' }),
};

const helpers: Calls<OpenAI> = {
  'raw response': (client) => client.chat.completions.create(ask).asResponse(),
  'data and response': async (client) => {
    const { data, response, request_id } = await client.chat.completions.create(ask).withResponse();
    return [data, { ...response, status: response.status, url: response.url }, request_id];
  },
  'id of the request': async (client) => (await client.chat.completions.create(ask))._request_id,
  parsed: async (client) =>
    (await client.chat.completions.parse({ ...ask, response_format: zodResponseFormat(schema, 'a') })).choices[0]
      ?.message.parsed,
  'parsed, not fitting': (client, provider) => {
    provider.answer(
      answerWith(200, {
        ...COMPLETION,
        choices: [{ ...COMPLETION.choices[0], message: { role: 'assistant', content: '{"town":1}' } }],
      }),
    );
    return settled(
      client.chat.completions.parse({ ...ask, response_format: zodResponseFormat(schema, 'a') }).then(
        () => 'parsed',
        (error: Error) => error.constructor.name,
      ),
    );
  },
  'tool runner': async (client, provider) => {
    provider.answer(inTurn(answerWith(200, CALLS_TOOL), answerWith(200, COMPLETION)));
    const look = {
      ...TOOL.function,
      description: 'x',
      parse: JSON.parse,
      function: ({ city }: { city: string }) => `sunny in ${city}`,
    };
    const runner = client.chat.completions.runTools({ ...ask, tools: [{ type: 'function', function: look }] });
    return [await runner.finalContent(), runner.messages];
  },
  streamed: (client, provider) => {
    provider.answer(streamOf(FRAMES));
    return all(client.chat.completions.create({ ...ask, stream: true, stream_options: { include_usage: true } }));
  },
  'streamed in odd pieces': (client, provider) => {
    provider.answer(inOddPieces(FRAMES));
    return all(client.chat.completions.create({ ...ask, stream: true }));
  },
  'stream helper': (client, provider) => {
    provider.answer(streamOf(FRAMES));
    return client.chat.completions.stream(ask).finalChatCompletion();
  },
  'stream helper, events': async (client, provider) => {
    provider.answer(streamOf(FRAMES));
    const events: unknown[] = [];
    const stream = client.chat.completions.stream(ask);
    stream.on('content', (part, whole) => events.push(part, whole)).on('end', () => events.push('end'));
    await stream.done();
    return events;
  },
  'stream as bytes': async (client, provider) => {
    provider.answer(streamOf(FRAMES));
    return new Response((await client.chat.completions.create({ ...ask, stream: true })).toReadableStream()).text();
  },
  'stream cut in two': async (client, provider) => {
    provider.answer(streamOf(FRAMES));
    const [left, right] = (await client.chat.completions.create({ ...ask, stream: true })).tee();
    return [await all(left), await all(right)];
  },
  'raw stream': async (client, provider) => {
    provider.answer(streamOf(FRAMES));
    return client.chat.completions.create({ ...ask, stream: true }).asResponse();
  },
  'pages, all': (client, provider) => {
    provider.answer(PAGES);
    return all(client.files.list({ limit: 2 }));
  },
  'pages, one by one': async (client, provider) => {
    provider.answer(PAGES);
    const first = await client.files.list({ limit: 2 });
    const second = first.hasNextPage() ? await first.getNextPage() : undefined;
    return [first.data, second?.data, second?.hasNextPage()];
  },
};

/** Errors of each status, retries, broken connections, and aborts by the caller. */
const troubles: Calls<OpenAI> = {
  ...Object.fromEntries(
    [400, 401, 403, 404, 409, 418, 422, 429, 500, 503].map((status): [string, Call<OpenAI>] => [
      `error ${status}`,
      (client, provider) => {
        const error = { message: `no, ${status}`, type: 't', param: 'p', code: `c${status}` };
        provider.answer(answerWith(status, { error }, { 'retry-after': '7' }));
        return client.chat.completions.create(ask, { maxRetries: 0 });
      },
    ]),
  ),
  ...Object.fromEntries(
    [408, 409, 429, 500].map((status): [string, Call<OpenAI>] => [
      `retried after ${status}`,
      (client, provider) => {
        provider.answer(inTurn(answerWith(status, 'no', { 'retry-after-ms': '1' }), answerWith(200, COMPLETION)));
        return client.chat.completions.create(ask);
      },
    ]),
  ),
  'retried in vain': (client, provider) => {
    provider.answer(answerWith(500, 'no', { 'retry-after-ms': '1' }));
    return client.chat.completions.create(ask, { maxRetries: 3 });
  },
  'told not to retry': (client, provider) => {
    provider.answer(answerWith(500, 'no', { 'x-should-retry': 'false' }));
    return client.chat.completions.create(ask);
  },
  'error that is not JSON': (client, provider) => {
    provider.answer((response) => void response.writeHead(400, { 'content-type': 'text/html' }).end('<h1>no</h1>'));
    return client.chat.completions.create(ask);
  },
  'answer that is not JSON': (client, provider) => {
    provider.answer(answerWith(200, '{"id":'));
    return client.chat.completions.create(ask);
  },
  'answer without a body': (client, provider) => {
    provider.answer((response) => void response.writeHead(204).end());
    return client.chat.completions.create(ask);
  },
  'connection reset': (client, provider) => {
    provider.answer((response) => void response.destroy());
    return client.chat.completions.create(ask, { maxRetries: 0 });
  },
  'timed out': (client, provider) => {
    provider.answer(() => undefined);
    return client.chat.completions.create(ask, { maxRetries: 0, timeout: 300 });
  },
  'stream broken off': (client, provider) => {
    provider.answer(streamOf(FRAMES.slice(0, 1), 'broken'));
    return all(client.chat.completions.create({ ...ask, stream: true }));
  },
  'error in a stream': (client, provider) => {
    provider.answer(streamOf([FRAMES[0]!, 'data: {"error":{"message":"overloaded","code":"x"}}\n\n']));
    return all(client.chat.completions.create({ ...ask, stream: true }));
  },
  'aborted before it began': (client) => client.chat.completions.create(ask, { signal: AbortSignal.abort() }),
  'aborted while it waits': async (client, provider) => {
    const controller = new AbortController();
    provider.answer(() => controller.abort());
    const error = await settled(client.chat.completions.create(ask, { signal: controller.signal }));
    await provider.untilAborted();
    return error;
  },
  ...cuts<OpenAI>(FRAMES, (client) => client.chat.completions.create({ ...ask, stream: true })),
};

/** Readers that stop or abort after each of three events: the connection to the provider is closed immediately. */
export function cuts<Client>(
  frames: readonly string[],
  start: (client: Client) => PromiseLike<AsyncIterable<unknown> & { readonly controller: AbortController }>,
): Calls<Client> {
  const cut =
    (after: number, how: 'break' | 'abort'): Call<Client> =>
    async (client, provider) => {
      provider.answer(endless(frames.slice(0, 3)));
      const stream = await start(client);
      const parts: unknown[] = [];
      for await (const part of stream) {
        parts.push(part);
        if (parts.length <= after) continue;
        if (how === 'break') break;
        stream.controller.abort();
      }
      await provider.untilAborted();
      return parts;
    };
  const all = [0, 1, 2].flatMap((after) =>
    (['break', 'abort'] as const).map((how): [string, Call<Client>] => [
      `${how} after event ${after + 1}`,
      cut(after, how),
    ]),
  );
  return Object.fromEntries(all);
}

export const OPENAI_CALLS: Calls<OpenAI> = { ...options, ...routes, ...helpers, ...troubles };
