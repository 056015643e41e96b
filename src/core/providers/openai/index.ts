/**
 * The provider OpenAI, and services with the same API: routes, readers of bodies, usage, error frames. Adding a
 * provider is described in docs/guides/add-a-provider.md.
 */
import { readUsage } from '../../call/usage.js';
import type { FramePlace, Provider, StyledError } from '../provider.js';
import { isEndMark } from './end-mark.js';
import { LAST_OF_RESPONSE, OPENAI_STREAMS } from './streams.js';
import { SHARED_PROVIDER } from '../shared-fields.js';
import { errorTypeOf } from '../error-types.js';

export * from './dialects.js';

/** https://platform.openai.com/docs/guides/error-codes */
export const OPENAI: Provider = {
  ...SHARED_PROVIDER,
  name: 'OpenAI',
  telemetryName: 'openai',
  baseUrl: 'https://api.openai.com',
  clientWritesVersion: false,
  error: openaiError,
  errorFrame,
  requestIdHeader: undefined,
  keepAlive: () => ': keep-alive\n\n',
  headers: ['openai-*'],
  plainHeaders: [
    ['openai-organization', /^org-[A-Za-z0-9]{24}$/],
    ['openai-project', /^proj_[A-Za-z0-9]{24}$/],
  ],
  apiRoutes: [
    { path: '/v1/chat/completions', summary: 'Chat completions.' },
    { path: '/v1/completions', summary: 'Completions.' },
    { path: '/v1/responses', summary: 'Responses.' },
    { path: '/v1/responses/input_tokens', summary: 'Counts the tokens of a request for a response.' },
    { path: '/v1/responses/compact', summary: 'Summarises the conversation of a request for a response.' },
    { path: '/v1/embeddings', summary: 'Embeddings.' },
  ],
  isLast: ({ data, type, root }) => (root === undefined ? isEndMark(data) : LAST_OF_RESPONSE.has(type)),
  streams: OPENAI_STREAMS,
  usage: readUsage,
};

/** The routes of responses, also those of stored ones. */
const OF_RESPONSES = /\/responses(?:[/?;]|$)/i;

/**
 * An error in a stream; no `[DONE]` follows it. Each event of a response has a type and a number, without which clients that check the format
 * (the AI SDK) report an invalid event instead of the error: https://platform.openai.com/docs/api-reference/responses-streaming/error
 */
function errorFrame(error: StyledError, { path, number }: FramePlace): string {
  if (!OF_RESPONSES.test(path)) return `data: ${JSON.stringify(openaiError(error))}\n\n`;
  const event = { type: 'error', sequence_number: number, ...openaiError(error) };
  return `event: error\ndata: ${JSON.stringify(event)}\n\n`;
}

function openaiError(error: StyledError): object {
  const { type, message, param, weir } = error;
  return { error: { message, type: errorTypeOf(error), param, code: type, weir } };
}
