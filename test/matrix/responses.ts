import { BINARY, type Planter } from './planter.js';

/** Requests and answers of OpenAI's responses. https://platform.openai.com/docs/api-reference/responses */

function functionCall(p: Planter, name: string, args: string): object {
  const called = p.name(name);
  const value = { [p.key('to')]: p.text(args) };
  p.calls.push({ name: called, args: value });
  return {
    type: 'function_call',
    id: 'fc_1',
    call_id: 'call_1',
    status: 'completed',
    name: called,
    arguments: JSON.stringify(value),
  };
}

function shellCall(p: Planter): object {
  const value = {
    [p.key('action')]: { [p.key('type')]: p.key('exec'), [p.key('command')]: [p.text('past call arguments')] },
  };
  p.calls.push({ name: 'local_shell', args: value });
  return { type: 'local_shell_call', id: 'lsh_1', call_id: 'call_2', status: 'completed', ...value };
}

function serverCall(p: Planter): object {
  const called = p.name('past call name');
  p.calls.push({ name: called, args: {} });
  return {
    type: 'mcp_call',
    id: 'mcp_1',
    name: called,
    arguments: '',
    output: p.text('tool result'),
  };
}

function interpreterCall(p: Planter): object {
  const value = { [p.key('code')]: p.text('past call arguments') };
  p.calls.push({ name: 'code_interpreter', args: value });
  return {
    type: 'code_interpreter_call',
    id: 'ci_1',
    ...value,
    outputs: [{ type: 'logs', [p.key('logs')]: p.text('tool result') }],
  };
}

function searchCall(p: Planter): object {
  const value = { [p.key('queries')]: [p.text('past call arguments')] };
  p.calls.push({ name: 'file_search', args: value });
  return {
    type: 'file_search_call',
    id: 'fs_1',
    ...value,
    results: [{ file_id: 'file-1', text: p.text('tool result') }],
  };
}

function pictureCall(p: Planter): object {
  p.calls.push({ name: 'image_generation', args: {} });
  return { type: 'image_generation_call', id: 'ig_1', status: 'completed', result: BINARY };
}

function reasoning(p: Planter, location: string): object {
  return {
    type: 'reasoning',
    id: 'rs_1',
    summary: [{ type: 'summary_text', text: p.text(location) }],
    content: [{ type: 'reasoning_text', text: p.text(location) }],
    encrypted_content: BINARY,
  };
}

function offeredTool(p: Planter): object {
  return {
    type: 'function',
    name: p.name('tool name'),
    description: p.text('tool description'),
    [p.key('parameters')]: p.freeform('tool schema'),
  };
}

function userItem(p: Planter): object {
  return {
    type: 'message',
    role: 'user',
    content: [
      { type: 'input_text', text: p.text('user part') },
      { type: 'input_image', image_url: p.text('image address'), detail: 'auto' },
      { type: 'input_file', filename: p.text('file name'), file_data: `data:application/pdf;base64,${BINARY}` },
      { type: 'input_file', file_url: p.text('image address') },
    ],
  };
}

function items(p: Planter): object[] {
  return [
    { role: 'system', content: p.text('system') },
    { type: 'message', role: 'developer', content: [{ type: 'input_text', text: p.text('system') }] },
    ...p.some(() => ({ role: 'user', content: p.text('earlier user') })),
    reasoning(p, 'reasoning'),
    {
      type: 'message',
      role: 'assistant',
      id: 'msg_1',
      item_id: 'item_1',
      response_id: 'resp_1',
      status: 'completed',
      content: [
        { type: 'output_text', text: p.text('assistant') },
        { type: 'refusal', refusal: p.text('refusal') },
      ],
    },
    ...p.some(() => functionCall(p, 'past call name', 'past call arguments')),
    { type: 'function_call_output', call_id: 'call_1', output: p.text('tool result') },
    { type: 'function_call_output', call_id: 'call_1', output: [{ type: 'input_text', text: p.text('tool result') }] },
    shellCall(p),
    { type: 'local_shell_call_output', id: 'call_2', output: p.text('tool result') },
    serverCall(p),
    interpreterCall(p),
    searchCall(p),
    pictureCall(p),
    { type: 'additional_tools', role: 'developer', tools: [offeredTool(p)] },
    userItem(p),
    { role: 'user', content: p.text('user') },
  ];
}

export function responsesRequest(p: Planter): Record<string, unknown> {
  return {
    model: 'gpt-4o',
    previous_response_id: 'resp_1',
    instructions: p.text('system'),
    input: p.location === 'prompt' ? p.text('prompt') : items(p),
    tools: [
      offeredTool(p),
      {
        type: 'namespace',
        name: p.name('tool name'),
        description: p.text('tool description'),
        tools: [offeredTool(p)],
      },
    ],
    metadata: p.freeform('metadata'),
    truncation: 'auto',
    max_output_tokens: 64,
    ...p.unknown('unknown field'),
  };
}

export function responsesOutput(p: Planter): object[] {
  return [
    reasoning(p, 'answer reasoning'),
    ...p.some(() => ({
      type: 'message',
      id: 'msg_1',
      status: 'completed',
      role: 'assistant',
      phase: 'final',
      content: [
        { type: 'output_text', text: p.text('answer'), logprobs: [] },
        { type: 'refusal', refusal: p.text('answer refusal') },
      ],
    })),
    ...p.some(() => functionCall(p, 'new call name', 'new call arguments')),
  ];
}

export function responsesAnswer(p: Planter): Record<string, unknown> {
  return {
    id: 'resp_1',
    object: 'response',
    created_at: 1_700_000_000,
    completed_at: 1_700_000_001,
    status: 'completed',
    model: 'gpt-4o',
    output: responsesOutput(p),
    output_text: p.text('answer'),
    instructions: p.text('answer field'),
    tools: [p.freeform('answer field')],
    metadata: p.freeform('answer field'),
    error: { [p.key('message')]: p.text('answer field') },
    input: p.text('answer field'),
    usage: { input_tokens: 3, output_tokens: 1, output_tokens_details: { reasoning_tokens: 0 } },
    ...p.unknown('answer field'),
  };
}
