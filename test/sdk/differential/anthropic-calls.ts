import type Anthropic from '@anthropic-ai/sdk';
import { toFile } from '@anthropic-ai/sdk';
import { betaTool } from '@anthropic-ai/sdk/helpers/beta/json-schema';
import { all, answerWith, inTurn, settled, streamOf, type Call, type Calls } from './compare.js';
import { cuts, inPages } from './openai-calls.js';

export const MESSAGE = {
  ...{ id: 'msg_1', type: 'message', role: 'assistant', model: 'claude-test' },
  ...{ content: [{ type: 'text', text: 'Hi Bé' }], stop_reason: 'end_turn', stop_sequence: null },
  usage: { input_tokens: 3, output_tokens: 2 },
};
const FRAMES = [
  { type: 'message_start', message: { ...MESSAGE, content: [], stop_reason: null } },
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hi ' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Bé' } },
  { type: 'content_block_stop', index: 0 },
  { type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: { output_tokens: 2 } },
  { type: 'message_stop' },
].map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
const PAGES = inPages('after_id', (ids, more, last) => ({
  ...{ data: ids.map((id) => ({ id })), has_more: more, first_id: ids[0], last_id: last },
}));
const TOOL_USE = {
  ...MESSAGE,
  content: [{ type: 'tool_use', id: 'toolu_1', name: 'look', input: { city: 'Bern' } }],
  stop_reason: 'tool_use',
};
const ask = { model: 'claude-test', max_tokens: 9, messages: [{ role: 'user' as const, content: 'hi' }] };
const SCHEMA = {
  ...{ type: 'object' as const, properties: { city: { type: 'string' as const } }, required: ['city'] as ['city'] },
};
const message =
  (more: object, options: object = {}): Call<Anthropic> =>
  (client) =>
    client.messages.create({ ...ask, ...more } as typeof ask, options);

const options: Calls<Anthropic> = {
  message: message({}),
  'message: numbers': message({ temperature: 0.1, top_p: 1, top_k: 4, max_tokens: 1e6 }),
  'message: texts of all alphabets': message({ messages: [{ role: 'user', content: 'é 漢字 🙂 \u2028 \u0000 "\\' }] }),
  'message: system': message({ system: 'be brief' }),
  'message: system in blocks': message({
    system: [{ type: 'text', text: 'brief', cache_control: { type: 'ephemeral' } }],
  }),
  'message: stop words': message({ stop_sequences: ['\n', '§'] }),
  'message: turns': message({
    messages: [...ask.messages, { role: 'assistant', content: 'yes' }, { role: 'user', content: 'and?' }],
  }),
  'message: picture': message({
    messages: [
      {
        role: 'user',
        content: [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' } }],
      },
    ],
  }),
  'message: tools': message({ tools: [{ name: 'look', input_schema: SCHEMA }], tool_choice: { type: 'auto' } }),
  'message: a tool has answered': message({
    messages: [
      ...[...ask.messages, { role: 'assistant', content: TOOL_USE.content }],
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'sunny' }] },
    ],
  }),
  'message: thinking': message({ thinking: { type: 'enabled', budget_tokens: 1024 }, max_tokens: 2048 }),
  'message: metadata': message({ metadata: { user_id: 'u-1' }, service_tier: 'auto' }),
  'message: fields that nobody knows': message({ next_years_field: { deep: [1, null, { x: 1e21 }] } }),
  'message: documents': message({
    messages: [
      { role: 'user', content: [{ type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'a' } }] },
    ],
  }),
  'option: headers': message({}, { headers: { 'x-own': '2', 'anthropic-beta': 'b-1', 'user-agent': null } }),
  'option: query': message({}, { query: { a: 'b' } }),
  'option: idempotency key': message({}, { idempotencyKey: 'idem-1' }),
  'option: path of its own': (client) => client.post('/v1/messages', { body: ask }),
  'option: a signal that does not fire': message({}, { signal: new AbortController().signal }),
  'option: a copy': (client) =>
    client.withOptions({ timeout: 50_000, defaultHeaders: { 'x-copy': '1' } }).messages.create(ask),
  'option: no retries': message({}, { maxRetries: 0 }),
};

const routes: Calls<Anthropic> = {
  tokens: (client, provider) => {
    provider.answer(answerWith(200, { input_tokens: 3 }));
    return client.messages.countTokens({ model: 'm', messages: ask.messages });
  },
  beta: (client) => client.beta.messages.create({ ...ask, betas: ['b-1'] }),
  'beta tokens': (client) => client.beta.messages.countTokens({ model: 'm', messages: ask.messages }),
  batch: (client) => client.messages.batches.create({ requests: [{ custom_id: 'a', params: ask }] }),
  'batch, fetched': (client) => client.messages.batches.retrieve('msgbatch_1'),
  'batch, cancelled': (client) => client.messages.batches.cancel('msgbatch_1'),
  'batch, deleted': (client) => client.messages.batches.delete('msgbatch_1'),
  model: (client) => client.models.retrieve('claude-test'),
  upload: async (client) =>
    client.beta.files.upload({ file: await toFile(Buffer.from('abc'), 'é.txt', { type: 'text/plain' }) }),
  file: (client) => client.beta.files.retrieveMetadata('file_1'),
  'file contents': (client, provider) => {
    provider.answer(
      (response) => void response.writeHead(200, { 'content-type': 'application/octet-stream' }).end('a'),
    );
    return client.beta.files.download('file_1');
  },
  'file, deleted': (client) => client.beta.files.delete('file_1'),
};

const helpers: Calls<Anthropic> = {
  'raw response': (client) => client.messages.create(ask).asResponse(),
  'data and response': async (client) => {
    const { data, response, request_id } = await client.messages.create(ask).withResponse();
    return [data, { status: response.status, url: response.url }, request_id];
  },
  'id of the request': async (client) => (await client.messages.create(ask))._request_id,
  'tool runner': async (client, provider) => {
    provider.answer(inTurn(answerWith(200, TOOL_USE), answerWith(200, MESSAGE)));
    const look = betaTool({
      name: 'look',
      description: 'x',
      inputSchema: SCHEMA,
      run: ({ city }) => `sunny in ${city}`,
    });
    return client.beta.messages.toolRunner({ ...ask, tools: [look] }).runUntilDone();
  },
  streamed: (client, provider) => {
    provider.answer(streamOf(FRAMES));
    return all(client.messages.create({ ...ask, stream: true }));
  },
  'beta, streamed': (client, provider) => {
    provider.answer(streamOf(FRAMES));
    return all(client.beta.messages.create({ ...ask, stream: true }));
  },
  'stream helper': (client, provider) => {
    provider.answer(streamOf(FRAMES));
    return client.messages.stream(ask).finalMessage();
  },
  'stream helper, text': (client, provider) => {
    provider.answer(streamOf(FRAMES));
    return client.messages.stream(ask).finalText();
  },
  'stream helper, events': async (client, provider) => {
    provider.answer(streamOf(FRAMES));
    const events: unknown[] = [];
    const stream = client.messages.stream(ask);
    stream.on('text', (part, whole) => events.push(part, whole)).on('end', () => events.push('end'));
    await stream.done();
    return [events, stream.request_id];
  },
  'stream as bytes': async (client, provider) => {
    provider.answer(streamOf(FRAMES));
    return new Response((await client.messages.create({ ...ask, stream: true })).toReadableStream()).text();
  },
  'stream cut in two': async (client, provider) => {
    provider.answer(streamOf(FRAMES));
    const [left, right] = (await client.messages.create({ ...ask, stream: true })).tee();
    return [await all(left), await all(right)];
  },
  'raw stream': (client, provider) => {
    provider.answer(streamOf(FRAMES));
    return client.messages.create({ ...ask, stream: true }).asResponse();
  },
  'pages, all': (client, provider) => {
    provider.answer(PAGES);
    return all(client.models.list({ limit: 2 }));
  },
  'pages, one by one': async (client, provider) => {
    provider.answer(PAGES);
    const first = await client.messages.batches.list({ limit: 2 });
    const second = first.hasNextPage() ? await first.getNextPage() : undefined;
    return [first.data, second?.data, second?.hasNextPage()];
  },
};

/** Errors of each status, retries, broken connections, and aborts by the caller. */
const troubles: Calls<Anthropic> = {
  ...Object.fromEntries(
    [400, 401, 403, 404, 409, 413, 422, 429, 500, 529].map((status): [string, Call<Anthropic>] => [
      `error ${status}`,
      (client, provider) => {
        const error = { type: 'error', error: { type: `t${status}`, message: 'no' }, request_id: 'r' };
        provider.answer(answerWith(status, error, { 'request-id': 'r', 'retry-after': '7' }));
        return client.messages.create(ask, { maxRetries: 0 });
      },
    ]),
  ),
  ...Object.fromEntries(
    [408, 409, 429, 529].map((status): [string, Call<Anthropic>] => [
      `retried after ${status}`,
      (client, provider) => {
        provider.answer(inTurn(answerWith(status, 'no', { 'retry-after-ms': '1' }), answerWith(200, MESSAGE)));
        return client.messages.create(ask);
      },
    ]),
  ),
  'retried in vain': (client, provider) => {
    provider.answer(answerWith(500, 'no', { 'retry-after-ms': '1' }));
    return client.messages.create(ask, { maxRetries: 3 });
  },
  'told not to retry': (client, provider) => {
    provider.answer(answerWith(500, 'no', { 'x-should-retry': 'false' }));
    return client.messages.create(ask);
  },
  'error that is not JSON': (client, provider) => {
    provider.answer((response) => void response.writeHead(400, { 'content-type': 'text/html' }).end('<h1>no</h1>'));
    return client.messages.create(ask);
  },
  'answer that is not JSON': (client, provider) => {
    provider.answer(answerWith(200, '{"id":'));
    return client.messages.create(ask);
  },
  'connection reset': (client, provider) => {
    provider.answer((response) => void response.destroy());
    return client.messages.create(ask, { maxRetries: 0 });
  },
  'timed out': (client, provider) => {
    provider.answer(() => undefined);
    return client.messages.create(ask, { maxRetries: 0, timeout: 300 });
  },
  'stream broken off': (client, provider) => {
    provider.answer(streamOf(FRAMES.slice(0, 2), 'broken'));
    return all(client.messages.create({ ...ask, stream: true }));
  },
  'error in a stream': (client, provider) => {
    const error = { type: 'error', error: { type: 'overloaded_error', message: 'no' } };
    provider.answer(streamOf([FRAMES[0]!, `event: error\ndata: ${JSON.stringify(error)}\n\n`]));
    return all(client.messages.create({ ...ask, stream: true }));
  },
  'aborted before it began': (client) => client.messages.create(ask, { signal: AbortSignal.abort() }),
  'aborted while it waits': async (client, provider) => {
    const controller = new AbortController();
    provider.answer(() => controller.abort());
    const error = await settled(client.messages.create(ask, { signal: controller.signal }));
    await provider.untilAborted();
    return error;
  },
  ...cuts<Anthropic>(FRAMES, (client) => client.messages.create({ ...ask, stream: true })),
};

export const ANTHROPIC_CALLS: Calls<Anthropic> = { ...options, ...routes, ...helpers, ...troubles };

/** The calls that the clients for other clouds also support. */
export const ANTHROPIC_CLOUD_CALLS: Calls<Anthropic> = {
  ...Object.fromEntries(Object.entries(options).filter(([name]) => !/query|path of its own/.test(name))),
  ...Object.fromEntries(Object.entries(helpers).filter(([name]) => !/pages/.test(name))),
  ...troubles,
};
