import type { Dialect } from '../../src/core/index.js';
import { messagesAnswer, messagesContent, messagesRequest } from './anthropic.js';
import {
  chatAnswer,
  chatRequest,
  chunkAnswer,
  completionAnswer,
  completionRequest,
  embeddingAnswer,
  embeddingRequest,
} from './openai.js';
import type { Planter } from './planter.js';
import { responsesAnswer, responsesOutput, responsesRequest } from './responses.js';
import { chatStream, completionStream, messagesStream, responsesStream } from './streams.js';

export const SURFACES = ['REST', 'OpenAI proxy', 'Anthropic proxy'] as const;

/** One way in which a call comes to Weir. */
export interface Form {
  readonly surface: (typeof SURFACES)[number];
  readonly name: string;
  readonly kind: 'request' | 'answer' | 'tool call';
  readonly dialect: Dialect;
  /** Of a proxied call: where it is sent. */
  readonly path?: string;
  readonly build: (planter: Planter) => Record<string, unknown>;
  /** Places whose texts are found, recorded and masked, but judged by no rule, and why. */
  readonly unjudged?: Readonly<Record<string, string>>;
  /** The same answer as an event stream. */
  readonly stream?: (answer: Record<string, unknown>) => string;
}

const event =
  (type: string, payload: (planter: Planter) => object): Form['build'] =>
  (planter) => ({ type, request_id: 'r-1', payload: payload(planter) });

const OPENAI = { surface: 'OpenAI proxy' } as const;
const ANTHROPIC = { surface: 'Anthropic proxy' } as const;
const REQUEST_EVENT = { surface: 'REST', kind: 'request', dialect: 'weir.ai_request' } as const;
const RESPONSE_EVENT = { surface: 'REST', kind: 'answer', dialect: 'weir.ai_response' } as const;

function toolCallEvent(p: Planter): object {
  const tool = p.name('new call name');
  const args = { [p.key('to')]: p.text('new call arguments'), [p.key('list')]: [p.text('new call arguments')] };
  p.calls.push({ name: tool, args });
  const result = [{ type: 'text', text: p.text('tool result') }];
  return { tool, arguments: p.chance(50) ? args : JSON.stringify(args), call_id: 'call_1', session_id: 's-1', result };
}

const USAGE = { prompt_tokens: 3, completion_tokens: 1 };

/** Every route that is governed, and every type of event that is judged. */
export const FORMS: readonly Form[] = [
  { ...REQUEST_EVENT, name: 'ai.request, OpenAI messages', build: event('ai.request', chatRequest) },
  { ...REQUEST_EVENT, name: 'ai.request, Anthropic messages', build: event('ai.request', messagesRequest) },
  { ...REQUEST_EVENT, name: 'ai.request, prompt', build: event('ai.request', promptPayload) },
  {
    surface: 'REST',
    name: 'agent.tool_call',
    kind: 'tool call',
    dialect: 'weir.tool_call',
    build: event('agent.tool_call', toolCallEvent),
    unjudged: { 'tool result': 'the tool has run' },
  },
  {
    ...OPENAI,
    name: 'chat completions',
    kind: 'request',
    dialect: 'openai.chat',
    path: '/v1/chat/completions',
    build: chatRequest,
  },
  {
    ...OPENAI,
    name: 'responses',
    kind: 'request',
    dialect: 'openai.responses',
    path: '/v1/responses',
    build: responsesRequest,
  },
  {
    ...OPENAI,
    name: 'completions',
    kind: 'request',
    dialect: 'openai.completions',
    path: '/v1/completions',
    build: completionRequest,
  },
  {
    ...OPENAI,
    name: 'embeddings',
    kind: 'request',
    dialect: 'openai.embeddings',
    path: '/v1/embeddings',
    build: embeddingRequest,
  },
  {
    ...OPENAI,
    name: 'any other route',
    kind: 'request',
    dialect: 'generic',
    path: '/v1/vendor/thing',
    build: otherRoute,
  },
  {
    ...ANTHROPIC,
    name: 'messages',
    kind: 'request',
    dialect: 'anthropic.messages',
    path: '/v1/messages',
    build: messagesRequest,
  },
  {
    ...ANTHROPIC,
    name: 'count_tokens',
    kind: 'request',
    dialect: 'anthropic.messages',
    path: '/v1/messages/count_tokens',
    build: messagesRequest,
  },
  {
    ...RESPONSE_EVENT,
    name: 'ai.response, text',
    build: event('ai.response', (p) => ({ output: p.text('answer'), usage: USAGE })),
  },
  {
    ...RESPONSE_EVENT,
    name: 'ai.response, OpenAI messages',
    build: event('ai.response', (p) => ({ output: messagesOf(chatAnswer(p)), usage: USAGE })),
  },
  {
    ...RESPONSE_EVENT,
    name: 'ai.response, OpenAI response',
    build: event('ai.response', (p) => ({ output: responsesOutput(p) })),
  },
  {
    ...RESPONSE_EVENT,
    name: 'ai.response, Anthropic content',
    build: event('ai.response', (p) => ({ output: messagesContent(p) })),
  },
  {
    ...OPENAI,
    name: 'chat completions',
    kind: 'answer',
    dialect: 'openai.chat',
    path: '/v1/chat/completions',
    build: chatAnswer,
    stream: chatStream,
  },
  {
    ...OPENAI,
    name: 'chat completions, one chunk',
    kind: 'answer',
    dialect: 'openai.chat',
    path: '/v1/chat/completions',
    build: chunkAnswer,
  },
  {
    ...OPENAI,
    name: 'responses',
    kind: 'answer',
    dialect: 'openai.responses',
    path: '/v1/responses',
    build: responsesAnswer,
    stream: responsesStream,
  },
  {
    ...OPENAI,
    name: 'completions',
    kind: 'answer',
    dialect: 'openai.completions',
    path: '/v1/completions',
    build: completionAnswer,
    stream: completionStream,
  },
  {
    ...OPENAI,
    name: 'embeddings',
    kind: 'answer',
    dialect: 'openai.embeddings',
    path: '/v1/embeddings',
    build: embeddingAnswer,
  },
  {
    ...ANTHROPIC,
    name: 'messages',
    kind: 'answer',
    dialect: 'anthropic.messages',
    path: '/v1/messages',
    build: messagesAnswer,
    stream: messagesStream,
  },
];

function otherRoute(p: Planter): Record<string, unknown> {
  return p.freeform('unknown field');
}

function messagesOf({ choices }: Record<string, unknown>): object[] {
  return (choices as { message: object }[]).map(({ message }) => message);
}

function promptPayload(p: Planter): object {
  return { prompt: p.text('prompt'), model: 'm', ...p.unknown('unknown field') };
}
