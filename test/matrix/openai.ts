import { BINARY, type Planter } from './planter.js';

/** Requests and answers of OpenAI's routes, with every field that can contain text. https://platform.openai.com/docs/api-reference */

function toolCall(p: Planter, name: string, args: string): object {
  const called = p.name(name);
  const value = { [p.key('to')]: p.text(args), [p.key('list')]: [{ [p.key('cc')]: p.text(args) }, 1] };
  p.calls.push({ name: called, args: value });
  return {
    id: `call_${p.random(1e6)}`,
    type: 'function',
    thought_signature: BINARY,
    function: { name: called, arguments: JSON.stringify(value) },
  };
}

function customCall(p: Planter, name: string, args: string): object {
  const called = p.name(name);
  p.calls.push({ name: called, args: undefined });
  return { id: `call_${p.random(1e6)}`, type: 'custom', custom: { name: called, input: p.text(args) } };
}

function legacyCall(p: Planter): object {
  const called = p.name('past call name');
  p.calls.push({ name: called, args: undefined });
  return { name: called, arguments: p.text('past call arguments') };
}

function userParts(p: Planter): object[] {
  return [
    { type: 'text', text: p.text('user part') },
    { type: 'image_url', image_url: { url: p.text('image address'), detail: 'low' } },
    { type: 'image_url', image_url: { url: `data:image/png;base64,${BINARY}` } },
    { type: 'image_url', image_url: { image_url: `data:image/png;base64,${BINARY}` } },
    { type: 'input_audio', input_audio: { data: BINARY, format: 'wav' } },
    { type: 'file', file: { filename: p.text('file name'), file_data: `data:application/pdf;base64,${BINARY}` } },
    { type: 'file', file: { file_id: 'file-abc123' } },
  ];
}

function assistantMessage(p: Planter): object {
  return {
    role: 'assistant',
    content: p.chance(50) ? p.text('assistant') : [{ type: 'text', text: p.text('assistant') }],
    refusal: p.text('refusal'),
    name: p.text('participant'),
    reasoning: p.text('reasoning'),
    reasoning_content: p.text('reasoning'),
    reasoning_details: [
      { type: 'reasoning.text', text: p.text('reasoning') },
      { type: 'reasoning.encrypted', data: BINARY },
    ],
    audio: { id: 'audio_1', transcript: p.text('assistant') },
    tool_calls: [
      ...p.some(() => toolCall(p, 'past call name', 'past call arguments')),
      customCall(p, 'past call name', 'past call arguments'),
    ],
  };
}

export function chatRequest(p: Planter): Record<string, unknown> {
  const turns = p.some(() => [
    { role: 'user', name: p.text('participant'), content: p.chance(50) ? p.text('earlier user') : userParts(p) },
    assistantMessage(p),
    { role: 'tool', tool_call_id: 'call_1', content: p.text('tool result') },
    { role: 'tool', tool_call_id: 'call_2', content: [{ type: 'text', text: p.text('tool result') }] },
    { role: 'assistant', content: null, function_call: legacyCall(p) },
    { role: 'function', name: p.name('tool result name'), content: p.text('tool result') },
  ]);
  return {
    model: 'gpt-4o',
    messages: [
      { role: 'system', content: p.text('system') },
      { role: 'developer', content: [{ type: 'text', text: p.text('system'), cache_control: { type: 'ephemeral' } }] },
      ...turns.flat(),
      { role: 'user', content: p.text('user') },
      { role: 'user', content: userParts(p) },
    ],
    tools: [
      ...p.some(() => declaredTool(p)),
      { type: 'function', cache_control: { type: 'ephemeral' }, ...flatTool(p) },
    ],
    functions: [flatTool(p)],
    metadata: p.freeform('metadata'),
    user: p.text('metadata'),
    temperature: 0.2,
    max_tokens: 64,
    service_tier: 'auto',
    reasoning_effort: 'low',
    stream_options: { include_usage: true },
    cache_control: { type: 'ephemeral' },
    [p.key('response_format')]: {
      [p.key('type')]: p.key('json_schema'),
      [p.key('json_schema')]: p.freeform('output schema'),
    },
    ...p.unknown('unknown field'),
  };
}

function declaredTool(p: Planter): object {
  return { type: 'function', function: flatTool(p) };
}

function flatTool(p: Planter): object {
  return {
    name: p.name('tool name'),
    description: p.text('tool description'),
    [p.key('parameters')]: {
      [p.key('type')]: p.key('object'),
      [p.key('properties')]: p.freeform('tool schema'),
    },
  };
}

export function completionRequest(p: Planter): Record<string, unknown> {
  return {
    model: 'gpt-3.5-turbo-instruct',
    prompt: p.chance(50) ? p.text('prompt') : p.some(() => p.text('prompt')),
    suffix: p.text('prompt'),
    ...p.unknown('unknown field'),
  };
}

export function embeddingRequest(p: Planter): Record<string, unknown> {
  return {
    model: 'text-embedding-3-small',
    input: p.chance(50) ? p.text('prompt') : p.some(() => p.text('prompt')),
    encoding_format: 'float',
    ...p.unknown('unknown field'),
  };
}

export function chatAnswer(p: Planter): Record<string, unknown> {
  return {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1_700_000_000,
    model: 'gpt-4o-2024-08-06',
    system_fingerprint: 'fp_1',
    service_tier: 'default',
    choices: p
      .some(() => 0)
      .map((_, index) => {
        const message = {
          role: 'assistant',
          content: p.text('answer'),
          refusal: p.text('answer refusal'),
          reasoning_content: p.text('answer reasoning'),
          tool_calls: p.some(() => toolCall(p, 'new call name', 'new call arguments')),
          audio: { id: 'audio_1', data: BINARY, expires_at: 1_700_000_000, transcript: p.text('answer') },
          ...p.unknown('answer field'),
        };
        // Log probabilities repeat the text.
        const token = message.content.slice(0, 2);
        const logprobs = { content: [{ token, logprob: -1, bytes: null, top_logprobs: [] }] };
        return { index, message, logprobs, finish_reason: 'stop' };
      }),
    usage: { prompt_tokens: 3, completion_tokens: 1, completion_tokens_details: { reasoning_tokens: 0 } },
  };
}

/** The answer of some compatible servers to a request that does not ask for a stream. */
export function chunkAnswer(p: Planter): Record<string, unknown> {
  return {
    object: 'chat.completion.chunk',
    choices: p.some(() => ({ index: 0, delta: { role: 'assistant', content: p.text('answer') } })),
  };
}

export function completionAnswer(p: Planter): Record<string, unknown> {
  return {
    id: 'cmpl-1',
    object: 'text_completion',
    created: 1_700_000_000,
    model: 'gpt-3.5-turbo-instruct',
    choices: p.some(() => ({ index: 0, text: p.text('answer'), logprobs: null, finish_reason: 'length' })),
  };
}

export function embeddingAnswer(p: Planter): Record<string, unknown> {
  return {
    object: 'list',
    data: [
      { object: 'embedding', index: 0, embedding: [0.25, -0.5] },
      { object: 'embedding', index: 1, embedding: BINARY },
    ],
    model: 'text-embedding-3-small',
    ...p.unknown('answer field'),
  };
}
