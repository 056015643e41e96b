import type { Dialect } from '../src/core/index.js';
import { CALL_SHAPES } from './call-shapes.js';
import type { Shape } from './shape.js';

const each = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));
const keyed = (count: number): object => Object.fromEntries(each(count, (i) => [`key_${i}`, `marked ${i}`]));
const text = (i: number): string => `marked ${i}`;
const chatCall = (i: number) => ({
  id: `c${i}`,
  type: 'function',
  function: { name: 'f', arguments: '{"a":"marked"}' },
});
const user = { role: 'user', content: 'hello' };

type Body = (entries: number) => unknown;
const request = (dialect: Dialect, nodes: number, name: string, body: Body): Shape => ({
  name: `${dialect} request ${name}`,
  dialect,
  direction: 'request',
  nodes,
  body,
});
const answer = (dialect: Dialect, nodes: number, name: string, body: Body): Shape => ({
  name: `${dialect} answer ${name}`,
  dialect,
  direction: 'answer',
  nodes,
  body,
});

const stream = (dialect: Dialect, nodes: number, name: string, events: (entries: number) => unknown[]): Shape => ({
  name: `${dialect} stream ${name}`,
  dialect,
  direction: 'stream',
  nodes,
  body: (entries) =>
    events(entries)
      .map((event) => `data: ${JSON.stringify(event)}\n\n`)
      .join(''),
});
const delta = (index: number, more: object): object => ({ choices: [{ index, delta: more }] });
const part = (i: number) => ({ text: text(i) });
const functionCall = (i: number) => ({ functionCall: { id: `c${i}`, name: 'f', args: { a: text(i) } } });
const toolUse = (i: number) => ({ toolUse: { toolUseId: `t${i}`, name: 'f', input: { a: text(i) } } });
const candidate = (parts: unknown[]): object => ({ candidates: [{ index: 0, content: { role: 'model', parts } }] });

/** Gemini's calls through its own routes, and through routes of unknown dialect. */
const gemini = (dialect: 'gemini.generate' | 'generic'): readonly Shape[] => [
  request(dialect, 4, 'Gemini contents', (n) => ({ contents: each(n, (i) => ({ role: 'user', parts: [part(i)] })) })),
  request(dialect, 2, 'Gemini parts', (n) => ({ contents: [{ role: 'user', parts: each(n, part) }] })),
  request(dialect, 12, 'Gemini function calls and responses', (n) => ({
    contents: [
      { role: 'model', parts: each(n, functionCall) },
      {
        role: 'user',
        parts: each(n, (i) => ({ functionResponse: { id: `c${i}`, name: 'f', response: { result: text(i) } } })),
      },
    ],
  })),
  request(dialect, 5, 'Gemini declared functions', (n) => ({
    contents: [],
    tools: [{ functionDeclarations: each(n, (i) => ({ name: `f${i}`, description: text(i) })) }],
  })),
  answer(dialect, 5, 'Gemini candidates', (n) => ({
    candidates: each(n, (i) => ({ index: i, content: { role: 'model', parts: [part(i)] } })),
  })),
  answer(dialect, 2, 'Gemini parts', (n) => candidate(each(n, part))),
  answer(dialect, 6, 'Gemini function calls', (n) => candidate(each(n, functionCall))),
  {
    ...answer(dialect, 7, 'Gemini streamed list', (n) => each(n, (i) => candidate([part(i)]))),
    direction: 'list',
  },
  stream(dialect, 7, 'Gemini one text', (n) => each(n, (i) => candidate([part(i)]))),
  stream(dialect, 10, 'Gemini function calls', (n) => each(n, (i) => candidate([functionCall(i)]))),
];

/** Calls of Bedrock, batches and assistants, which go through routes of unknown dialect. */
const UNKNOWN_ROUTES: readonly Shape[] = [
  request('generic', 4, 'Bedrock messages', (n) => ({
    messages: each(n, (i) => ({ role: 'user', content: [part(i)] })),
  })),
  request('generic', 13, 'Bedrock tool uses and results', (n) => ({
    messages: [
      { role: 'assistant', content: each(n, toolUse) },
      {
        role: 'user',
        content: each(n, (i) => ({ toolResult: { toolUseId: `t${i}`, content: [part(i)], status: 'success' } })),
      },
    ],
  })),
  answer('generic', 2, 'Bedrock content', (n) => ({
    output: { message: { role: 'assistant', content: each(n, part) } },
  })),
  answer('generic', 6, 'Bedrock tool uses', (n) => ({
    output: { message: { role: 'assistant', content: each(n, toolUse) } },
  })),
  request('generic', 9, 'batch of Anthropic', (n) => ({
    requests: each(n, (i) => ({ custom_id: `r${i}`, params: { messages: [{ role: 'user', content: text(i) }] } })),
  })),
  answer('generic', 12, 'calls that a run of an assistant requires', (n) => ({
    required_action: { type: 'submit_tool_outputs', submit_tool_outputs: { tool_calls: each(n, chatCall) } },
  })),
  answer('generic', 10, 'steps of a run of an assistant', (n) => ({
    data: each(n, (i) => ({ id: `s${i}`, step_details: { type: 'tool_calls', tool_calls: [chatCall(i)] } })),
  })),
];

/** Bodies that clients submit to Weir itself. */
const OWN_DIALECTS: readonly Shape[] = [
  request('weir.ai_request', 4, 'messages', (n) => ({
    payload: { messages: each(n, (i) => ({ role: 'user', content: text(i) })) },
  })),
  request('weir.tool_call', 2, 'arguments', (n) => ({ payload: { name: 'f', arguments: keyed(n) } })),
  answer('weir.ai_response', 4, 'content', (n) => ({
    payload: { content: each(n, (i) => ({ type: 'text', text: text(i) })) },
  })),
  answer('weir.ai_error', 2, 'details', (n) => ({ payload: { error: text(0), details: keyed(n) } })),
];

/** Streams in which each event continues the same text or begins another. */
const STREAMS: readonly Shape[] = [
  stream('openai.chat', 5, 'one text', (n) => each(n, (i) => delta(0, { content: `${text(i)} ` }))),
  stream('openai.chat', 5, 'choices', (n) => each(n, (i) => delta(i, { content: text(i) }))),
  stream('openai.chat', 9, 'one tool call', (n) =>
    each(n, (i) =>
      delta(0, {
        tool_calls: [
          {
            index: 0,
            ...(i === 0 ? { id: 'c', type: 'function' } : {}),
            function: { ...(i === 0 ? { name: 'f' } : {}), arguments: i === 0 ? '{"a":"' : `marked ${i} ` },
          },
        ],
      }),
    ),
  ),
  stream('openai.chat', 11, 'tool calls', (n) =>
    each(n, (i) => delta(0, { tool_calls: [{ ...chatCall(i), index: i }] })),
  ),
  stream('openai.completions', 4, 'one text', (n) =>
    each(n, (i) => ({ choices: [{ index: 0, text: `${text(i)} ` }] })),
  ),
  stream('openai.responses', 6, 'one text', (n) => [
    ...each(n, (i) => ({
      type: 'response.output_text.delta',
      item_id: 'm',
      output_index: 0,
      content_index: 0,
      delta: `${text(i)} `,
    })),
  ]),
  stream('openai.responses', 9, 'items', (n) =>
    each(n, (i) => ({
      type: 'response.output_item.done',
      output_index: i,
      item: { id: `m${i}`, type: 'message', content: [{ type: 'output_text', text: text(i) }] },
    })),
  ),
  stream('anthropic.messages', 6, 'one text', (n) => [
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    ...each(n, (i) => ({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: `${text(i)} ` } })),
  ]),
  stream('anthropic.messages', 12, 'blocks', (n) =>
    each(n, (i) => [
      { type: 'content_block_start', index: i, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: i, delta: { type: 'text_delta', text: text(i) } },
      { type: 'content_block_stop', index: i },
    ]).flat(),
  ),
  stream('anthropic.messages', 14, 'tool uses', (n) =>
    each(n, (i) => [
      { type: 'content_block_start', index: i, content_block: { type: 'tool_use', id: `t${i}`, name: 'f', input: {} } },
      { type: 'content_block_delta', index: i, delta: { type: 'input_json_delta', partial_json: '{"a":"marked"}' } },
      { type: 'content_block_stop', index: i },
    ]).flat(),
  ),
  stream('generic', 4, 'unknown events', (n) => each(n, (i) => ({ kind: 'piece', value: { words: text(i) } }))),
];

/** The beginning of a word that the detector finds, which is held back until more text arrives. */
const BEGUN = 'mar';
const blockStart = (index: number) => ({
  type: 'content_block_start',
  index,
  content_block: { type: 'text', text: BEGUN },
});
const doneText = (i: number) => ({
  type: 'response.output_text.done',
  output_index: 0,
  content_index: 0,
  text: `${'marked '.repeat(8)}${i}`,
});
const raw = (name: string, body: (entries: number) => string): Shape => ({
  ...stream('openai.chat', 1, name, () => []),
  body,
});

/** Streams with many held-back texts, with many versions of one text, and with one very long event. */
const WAITING: readonly Shape[] = [
  stream('openai.chat', 5, 'choices that wait', (n) => each(n, (i) => delta(i, { content: BEGUN }))),
  stream('openai.chat', 10, 'choices that wait and end', (n) => [
    ...each(n, (i) => delta(i, { content: BEGUN })),
    ...each(n, (index) => ({ choices: [{ index, delta: {}, finish_reason: 'stop' }] })),
  ]),
  stream('openai.chat', 9, 'choices that wait among other events', (n) =>
    each(n, (i) => (i % 2 === 0 ? delta(i, { content: BEGUN }) : { kind: 'piece', words: BEGUN })),
  ),
  stream('anthropic.messages', 8, 'blocks that wait and end', (n) => [
    ...each(n, blockStart),
    ...each(n, (index) => ({ type: 'content_block_stop', index })),
  ]),
  stream('openai.responses', 6, 'one text, worded differently each time', (n) => each(n, doneText)),
  raw('lines of one event', (n) => `${each(n, (i) => `data: ${text(i)}\n`).join('')}\n`),
  raw('comments of one event', (n) => `${each(n, (i) => `: ${text(i)}\n`).join('')}\n`),
];

const inChat = (content: unknown): object => ({ messages: [{ role: 'user', content }] });
/** JSON inside a string, nested to the given depth. */
function nested(levels: number, value: unknown): string {
  return levels === 0 ? JSON.stringify(value) : JSON.stringify({ a: nested(levels - 1, value) });
}

/** Calls designed to be slow: they have many entries of a kind that decoders read repeatedly. */
const ATTACKS: readonly Shape[] = [
  request('openai.chat', 2, 'keys of a message', (n) => ({ messages: [{ ...user, ...keyed(n) }] })),
  request('openai.chat', 2, 'keys of a tool call', (n) => ({
    messages: [{ role: 'assistant', tool_calls: [{ ...chatCall(0), ...keyed(n) }] }],
  })),
  request('openai.chat', 2, 'schema of an answer', (n) => ({
    messages: [user],
    response_format: { type: 'json_schema', json_schema: { name: 's', schema: { properties: keyed(n) } } },
  })),
  request('openai.chat', 3, 'arguments in strings in strings', (n) => ({
    messages: [
      { role: 'assistant', tool_calls: [{ id: 'c', function: { name: 'f', arguments: nested(2, keyed(n)) } }] },
    ],
  })),
  request(
    'openai.chat',
    1,
    'escapes',
    (n) => `{"messages":[{"role":"user","content":"${'\\u0041'.repeat(n)} marked"}]}`,
  ),
  request(
    'openai.chat',
    1,
    'surrogate halves',
    (n) => `{"messages":[{"role":"user","content":"${'\\ud83d'.repeat(n)} marked"}]}`,
  ),
  request(
    'openai.chat',
    1,
    'white space',
    (n) => `{${'\n'.repeat(8 * n)}"messages":[{"role":"user","content":"marked"}]}`,
  ),
  request(
    'openai.chat',
    1,
    'digits',
    (n) => `{"messages":[{"role":"user","content":"marked"}],"n":1${'0'.repeat(8 * n)}}`,
  ),
  request('openai.chat', 1, 'shifts of UTF-7 in a file', (n) =>
    inChat([
      {
        type: 'file',
        file: { file_data: `data:text/plain;base64,${Buffer.from(`marked ${'+AEE-'.repeat(n)}`).toString('base64')}` },
      },
    ]),
  ),
  request('openai.chat', 1, 'bytes that are not UTF-8 in a file', (n) =>
    inChat([
      { type: 'text', text: 'marked' },
      {
        type: 'file',
        file: { file_data: `data:text/plain;base64,${Buffer.alloc(8 * n, 'caf\xe9 ', 'latin1').toString('base64')}` },
      },
    ]),
  ),
  request('openai.chat', 4, 'batch lines in a file', (n) =>
    inChat([
      { type: 'text', text: each(n, (i) => JSON.stringify({ custom_id: `r${i}`, body: inChat(text(i)) })).join('\n') },
    ]),
  ),
  request('anthropic.messages', 6, 'citations', (n) => ({
    messages: [
      {
        role: 'assistant',
        content: [
          {
            type: 'text',
            text: 'x',
            citations: each(n, (i) => ({ type: 'char_location', cited_text: text(i), document_index: i })),
          },
        ],
      },
    ],
  })),
  answer('openai.chat', 4, 'logprobs', (n) => ({
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: each(n, () => 'marked ').join('') },
        logprobs: { content: each(n, () => ({ token: 'marked ', logprob: -1, bytes: null })) },
      },
    ],
  })),
  answer('gemini.generate', 4, 'grounding chunks', (n) => ({
    candidates: [
      {
        content: { parts: [part(0)] },
        groundingMetadata: { groundingChunks: each(n, (i) => ({ web: { title: text(i) } })) },
      },
    ],
  })),
];

/** A chunk of a PNG. Its checksum is left zero, since no reader verifies it. */
function chunk(type: string, data: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  return Buffer.concat([length, Buffer.from(type), data, Buffer.alloc(4)]);
}

/** An image whose data consists of lines in which JSON seems to begin. */
function picture(lines: number, end: string): string {
  const line = Buffer.from('\x80\x81\x82\x83\x84\x85\r{', 'latin1');
  const data = Buffer.concat([Buffer.alloc(lines * line.length, line), Buffer.from(end), Buffer.alloc(8, 0x80)]);
  const head = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
  const bytes = [head, chunk('IHDR', Buffer.alloc(13)), chunk('IDAT', data), chunk('IEND', Buffer.alloc(0))];
  return `data:image/png;base64,${Buffer.concat(bytes).toString('base64')}`;
}
const withParts = (content: unknown[]): object => ({
  messages: [{ role: 'user', content: [{ type: 'text', text: text(0) }, ...content] }],
});
const image = (url: string): object => ({ type: 'image_url', image_url: { url } });

/** Files in base64: one large file, or many small ones. */
const FILES: readonly Shape[] = [
  request('openai.chat', 1, 'image of lines', (n) => withParts([image(picture(n, '\n'))])),
  request('openai.chat', 1, 'image of lines that end as JSON', (n) => withParts([image(picture(n, '}\n'))])),
  request('openai.chat', 5, 'images', (n) => withParts(each(n, () => image(picture(2, ''))))),
];

const KNOWN_DIALECTS: readonly Shape[] = [
  request('openai.chat', 4, 'messages', (n) => ({ messages: each(n, (i) => ({ role: 'user', content: text(i) })) })),
  request('openai.chat', 4, 'parts', (n) => ({
    messages: [{ role: 'user', content: each(n, (i) => ({ type: 'text', text: text(i) })) }],
  })),
  request('openai.chat', 14, 'tool calls and results', (n) => ({
    messages: [
      user,
      { role: 'assistant', tool_calls: each(n, chatCall) },
      ...each(n, (i) => ({ role: 'tool', tool_call_id: `c${i}`, content: text(i) })),
    ],
  })),
  request('openai.chat', 14, 'tool calls of one id', (n) => ({
    messages: each(n, (i) =>
      i % 2 === 0
        ? { role: 'assistant', tool_calls: [chatCall(1)] }
        : { role: 'tool', tool_call_id: 'c1', content: text(i) },
    ),
  })),
  request('openai.chat', 8, 'tools', (n) => ({
    messages: [user],
    tools: each(n, (i) => ({ type: 'function', function: { name: `f${i}`, description: text(i) } })),
  })),
  request('openai.chat', 2, 'unknown keys', (n) => ({ messages: [user], further: keyed(n) })),
  request('openai.chat', 2, 'keys of the root', (n) => ({ messages: [user], ...keyed(n) })),
  request('openai.chat', 2, 'metadata', (n) => ({ messages: [user], metadata: keyed(n) })),
  request('openai.chat', 3, 'keys in nested JSON', (n) => ({
    messages: [
      { role: 'assistant', tool_calls: [{ id: 'c', function: { name: 'f', arguments: JSON.stringify(keyed(n)) } }] },
    ],
  })),
  request('openai.chat', 2, 'same key over and over', (n) => `{"messages":[${each(n, () => '"a"').join()}]}`),
  request('openai.completions', 1, 'prompts', (n) => ({ prompt: each(n, text) })),
  request('openai.embeddings', 1, 'input', (n) => ({ input: each(n, text) })),
  request('openai.embeddings', 1, 'token ids', (n) => ({ input: each(n, (i) => i) })),
  request('openai.responses', 4, 'input', (n) => ({ input: each(n, (i) => ({ role: 'user', content: text(i) })) })),
  request('openai.responses', 10, 'function calls and outputs', (n) => ({
    input: each(n, (i) =>
      i % 2 === 0
        ? { type: 'function_call', call_id: `c${i}`, name: 'f', arguments: '{"a":"marked"}' }
        : { type: 'function_call_output', call_id: `c${i - 1}`, output: text(i) },
    ),
  })),
  request('anthropic.messages', 4, 'messages', (n) => ({
    messages: each(n, (i) => ({ role: i % 2 === 0 ? 'user' : 'assistant', content: text(i) })),
  })),
  request('anthropic.messages', 4, 'system', (n) => ({
    system: each(n, (i) => ({ type: 'text', text: text(i) })),
    messages: [user],
  })),
  request('anthropic.messages', 12, 'tool uses and results', (n) => ({
    messages: [
      {
        role: 'assistant',
        content: each(n, (i) => ({ type: 'tool_use', id: `t${i}`, name: 'f', input: { a: text(i) } })),
      },
      { role: 'user', content: each(n, (i) => ({ type: 'tool_result', tool_use_id: `t${i}`, content: text(i) })) },
    ],
  })),
  request('gemini.embed', 4, 'requests', (n) => ({ requests: each(n, (i) => ({ content: { parts: [part(i)] } })) })),
  request('generic', 2, 'map', keyed),
  request('generic', 1, 'list', (n) => each(n, text)),
  answer('openai.chat', 8, 'choices', (n) => ({
    choices: each(n, (i) => ({ index: i, message: { role: 'assistant', content: text(i) } })),
  })),
  answer('openai.chat', 7, 'tool calls', (n) => ({
    choices: [{ index: 0, message: { role: 'assistant', tool_calls: each(n, chatCall) } }],
  })),
  answer('openai.chat', 5, 'annotations', (n) => ({
    choices: [{ message: { content: 'x', annotations: each(n, (i) => ({ type: 'url_citation', title: text(i) })) } }],
  })),
  answer('openai.responses', 7, 'output', (n) => ({
    output: each(n, (i) => ({ type: 'message', content: [{ type: 'output_text', text: text(i) }] })),
  })),
  answer('openai.responses', 5, 'function calls', (n) => ({
    output: each(n, (i) => ({ type: 'function_call', call_id: `c${i}`, name: 'f', arguments: '{"a":"marked"}' })),
  })),
  answer('anthropic.messages', 4, 'content', (n) => ({ content: each(n, (i) => ({ type: 'text', text: text(i) })) })),
  answer('anthropic.messages', 6, 'tool uses', (n) => ({
    content: each(n, (i) => ({ type: 'tool_use', id: `t${i}`, name: 'f', input: { a: text(i) } })),
  })),
  answer('generic', 2, 'map', keyed),
];

export const SHAPES: readonly Shape[] = [
  ...KNOWN_DIALECTS,
  ...FILES,
  ...ATTACKS,
  ...CALL_SHAPES,
  ...gemini('gemini.generate'),
  ...gemini('generic'),
  ...UNKNOWN_ROUTES,
  ...OWN_DIALECTS,
  ...STREAMS,
  ...WAITING,
];
