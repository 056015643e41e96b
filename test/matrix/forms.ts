import type { Dialect } from '../../src/core/index.js';
import { PROVIDERS, type ProviderStyle } from '../../src/core/providers/providers.js';
import { messagesAnswer, messagesContent, messagesRequest } from './anthropic.js';
import {
  geminiAnswer,
  geminiCount,
  geminiEmbedding,
  geminiEmbeddings,
  geminiList,
  geminiRequest,
  geminiStream,
  geminiVector,
  IN_CAMEL_CASE,
  IN_SNAKE_CASE,
} from './gemini.js';
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

const surfaceOf = (style: ProviderStyle): string => `${PROVIDERS[style].name} proxy`;
/** The surfaces on which Weir receives calls: as events, and through the proxy to each provider. */
export const SURFACES: readonly string[] = ['REST', ...(Object.keys(PROVIDERS) as ProviderStyle[]).map(surfaceOf)];

/** One form of a request, an answer or a tool call. */
export interface Form {
  readonly surface: string;
  readonly name: string;
  readonly kind: 'request' | 'answer' | 'tool call';
  readonly dialect: Dialect;
  /** The provider of a proxied call. */
  readonly style?: ProviderStyle;
  /** The path of a proxied call. */
  readonly path?: string;
  /** The path for a streamed answer, if it differs; otherwise the body asks for a stream. */
  readonly streamedPath?: string;
  readonly build: (planter: Planter) => Record<string, unknown>;
  /** Locations whose texts are found, recorded and masked, but not judged by any rule, with the reasons. */
  readonly unjudged?: Readonly<Record<string, string>>;
  /** The same answer as an event stream. */
  readonly stream?: (answer: Record<string, unknown>) => string;
  /** The stream is one JSON array. */
  readonly streamsList?: true;
}

const event =
  (type: string, payload: (planter: Planter) => object): Form['build'] =>
  (planter) => ({ type, request_id: 'r-1', payload: payload(planter) });

const OPENAI = { surface: surfaceOf('openai'), style: 'openai' } as const;
const ANTHROPIC = { surface: surfaceOf('anthropic'), style: 'anthropic' } as const;
const GEMINI = { surface: surfaceOf('gemini'), style: 'gemini' } as const;
const GEMINI_MODEL = '/v1beta/models/gemini-2.5-flash';
const GENERATES = {
  ...GEMINI,
  dialect: 'gemini.generate',
  path: `${GEMINI_MODEL}:generateContent`,
  streamedPath: `${GEMINI_MODEL}:streamGenerateContent?alt=sse`,
} as const;
const EMBEDS = { ...GEMINI, dialect: 'gemini.embed' } as const;
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

/** All governed routes, and all types of events that are judged. */
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
  ...geminiForms(),
  ...geminiEvents(),
];

/** Gemini's own bodies in events, with both spellings of fields. */
function geminiEvents(): Form[] {
  return [IN_CAMEL_CASE, IN_SNAKE_CASE].flatMap((spelling, at): Form[] => {
    const suffix = at === 0 ? '' : ', snake_case';
    const output = (p: Planter): object => ({ output: geminiAnswer(spelling)(p), usage: USAGE });
    return [
      {
        ...REQUEST_EVENT,
        name: `ai.request, Gemini contents${suffix}`,
        build: event('ai.request', geminiRequest(spelling)),
      },
      { ...RESPONSE_EVENT, name: `ai.response, Gemini answer${suffix}`, build: event('ai.response', output) },
    ];
  });
}

/** All routes of Gemini; routes that accept two spellings of fields, with both. */
function geminiForms(): Form[] {
  return [
    { ...GENERATES, name: 'generateContent', kind: 'request', build: geminiRequest(IN_CAMEL_CASE) },
    { ...GENERATES, name: 'generateContent, snake_case', kind: 'request', build: geminiRequest(IN_SNAKE_CASE) },
    ...[IN_CAMEL_CASE, IN_SNAKE_CASE].map((spelling, at): Form => ({
      ...GEMINI,
      name: at === 0 ? 'countTokens' : 'countTokens, snake_case',
      kind: 'request',
      dialect: 'gemini.generate',
      path: `${GEMINI_MODEL}:countTokens`,
      build: geminiCount(spelling),
    })),
    {
      ...EMBEDS,
      name: 'embedContent',
      kind: 'request',
      path: `${GEMINI_MODEL}:embedContent`,
      build: geminiEmbedding(IN_CAMEL_CASE),
    },
    {
      ...EMBEDS,
      name: 'batchEmbedContents',
      kind: 'request',
      path: `${GEMINI_MODEL}:batchEmbedContents`,
      build: geminiEmbeddings(IN_SNAKE_CASE),
    },
    { ...GENERATES, name: 'generateContent', kind: 'answer', build: geminiAnswer(IN_CAMEL_CASE), stream: geminiStream },
    {
      ...GENERATES,
      name: 'generateContent, snake_case',
      kind: 'answer',
      build: geminiAnswer(IN_SNAKE_CASE),
      stream: geminiStream,
    },
    {
      ...GENERATES,
      name: 'streamGenerateContent, as a list',
      kind: 'answer',
      streamedPath: `${GEMINI_MODEL}:streamGenerateContent`,
      build: geminiAnswer(IN_CAMEL_CASE),
      stream: geminiList,
      streamsList: true,
    },
    {
      ...EMBEDS,
      name: 'embedContent',
      kind: 'answer',
      path: `${GEMINI_MODEL}:embedContent`,
      build: geminiVector,
    },
  ];
}

function otherRoute(p: Planter): Record<string, unknown> {
  return p.freeform('unknown field');
}

function messagesOf({ choices }: Record<string, unknown>): object[] {
  return (choices as { message: object }[]).map(({ message }) => message);
}

function promptPayload(p: Planter): object {
  return { prompt: p.text('prompt'), model: 'm', ...p.unknown('unknown field') };
}
