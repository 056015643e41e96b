import { BINARY, type Planter } from './planter.js';

/** Requests and answers of Anthropic's messages, with every field that can contain text. https://docs.anthropic.com/en/api/messages */

const CACHED = { cache_control: { type: 'ephemeral', ttl: '5m' } };

function toolUse(p: Planter, name: string, args: string): object {
  const called = p.name(name);
  const input = { [p.key('to')]: p.text(args), [p.key('list')]: [{ [p.key('cc')]: p.text(args) }, 1] };
  p.calls.push({ name: called, args: input });
  return { type: 'tool_use', id: 'toolu_1', name: called, input, ...CACHED };
}

function userBlocks(p: Planter): object[] {
  return [
    { type: 'text', text: p.text('user part'), ...CACHED },
    { type: 'image', source: { type: 'base64', media_type: 'image/png', data: BINARY } },
    { type: 'image', source: { type: 'url', mime_type: 'image/png', url: p.text('image address') } },
    {
      type: 'document',
      title: p.text('file name'),
      context: p.text('user part'),
      source: { type: 'text', media_type: 'text/plain', data: p.text('user part') },
    },
    { type: 'document', source: { type: 'content', content: [{ type: 'text', text: p.text('user part') }] } },
  ];
}

function thinking(p: Planter, location: string): object[] {
  return [
    { type: 'thinking', thinking: p.text(location), signature: BINARY },
    { type: 'redacted_thinking', data: BINARY },
  ];
}

function offeredTool(p: Planter): object {
  return {
    name: p.name('tool name'),
    description: p.text('tool description'),
    [p.key('input_schema')]: { [p.key('type')]: p.key('object'), [p.key('properties')]: p.freeform('tool schema') },
  };
}

export function messagesRequest(p: Planter): Record<string, unknown> {
  const turns = p.some(() => [
    { role: 'user', content: p.chance(50) ? p.text('earlier user') : userBlocks(p) },
    {
      role: 'assistant',
      content: [
        ...thinking(p, 'reasoning'),
        { type: 'text', text: p.text('assistant') },
        ...p.some(() => toolUse(p, 'past call name', 'past call arguments')),
      ],
    },
    {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 'toolu_1', content: p.text('tool result') },
        {
          type: 'tool_result',
          tool_use_id: 'toolu_1',
          is_error: false,
          content: [{ type: 'text', text: p.text('tool result') }],
        },
      ],
    },
    { role: 'assistant', content: p.text('assistant') },
  ]);
  return {
    model: 'claude-sonnet-4-5-20250929',
    max_tokens: 64,
    system: p.chance(50) ? p.text('system') : [{ type: 'text', text: p.text('system'), ...CACHED }],
    messages: [
      ...turns.flat(),
      {
        role: 'system',
        content: [{ type: 'tool_addition', tool: { type: 'tool_definition', definition: offeredTool(p) } }],
      },
      { role: 'user', content: p.text('user') },
      { role: 'user', content: userBlocks(p) },
    ],
    tools: p.some(() => ({ ...offeredTool(p), ...CACHED })),
    metadata: { [p.key('user_id')]: p.text('metadata') },
    [p.key('output_format')]: { [p.key('type')]: p.key('json_schema'), [p.key('schema')]: p.freeform('output schema') },
    ...p.unknown('unknown field'),
  };
}

export function messagesContent(p: Planter): object[] {
  return [
    ...thinking(p, 'answer reasoning'),
    ...p.some(() => ({ type: 'text', text: p.text('answer'), ...p.unknown('answer field') })),
    ...p.some(() => toolUse(p, 'new call name', 'new call arguments')),
  ];
}

export function messagesAnswer(p: Planter): Record<string, unknown> {
  return {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'claude-sonnet-4-5-20250929',
    content: messagesContent(p),
    stop_reason: 'stop_sequence',
    stop_sequence: p.text('answer field'),
    container: 'container_1',
    usage: { input_tokens: 3, output_tokens: 1, service_tier: 'standard' },
  };
}
