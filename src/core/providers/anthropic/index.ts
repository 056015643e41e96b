/**
 * The provider Anthropic: routes, readers of bodies, usage, error frames. Adding a provider is described in
 * docs/guides/add-a-provider.md.
 */
import { readUsage } from '../../call/usage.js';
import { errorTypeOf } from '../error-types.js';
import type { JsonRecord, Provider, ProviderDialect, RouteFacts, StyledError } from '../provider.js';
import { cannedMessage } from './canned.js';
import { ANTHROPIC_STREAMS } from './streams.js';
import { cappedMember, SHARED_FACTS, SHARED_PROVIDER } from '../shared-fields.js';

/** https://docs.anthropic.com/en/api/messages, https://docs.anthropic.com/en/api/messages-count-tokens */
export const ANTHROPIC_MESSAGES: ProviderDialect = {
  ...SHARED_FACTS,
  route: messagesRoute,
  recognises: isMessages,
  requestOfTurns: undefined,
  writes: 'text',
  outputCap: (root, tokens) => cappedMember(root, ['max_tokens'], 'max_tokens', tokens),
  usage: 'always',
  isEnd: () => false,
  canned: cannedMessage,
};

/** https://docs.anthropic.com/en/api/errors */
export const ANTHROPIC: Provider = {
  ...SHARED_PROVIDER,
  name: 'Anthropic',
  telemetryName: 'anthropic',
  baseUrl: 'https://api.anthropic.com',
  clientWritesVersion: true,
  error: anthropicError,
  errorFrame: (error) => `event: error\ndata: ${JSON.stringify(anthropicError(error))}\n\n`,
  requestIdHeader: 'request-id',
  keepAlive: () => 'event: ping\ndata: {"type": "ping"}\n\n',
  headers: ['anthropic-*'],
  plainHeaders: [],
  apiRoutes: [
    { path: '/v1/messages', summary: 'Messages.' },
    { path: '/v1/messages/count_tokens', summary: 'Counts the tokens of messages.' },
  ],
  // https://docs.anthropic.com/en/docs/build-with-claude/streaming
  isLast: ({ type }) => type === 'message_stop',
  streams: ANTHROPIC_STREAMS,
  usage: readUsage,
};

function messagesRoute(route: string): RouteFacts | undefined {
  if (route === '/messages/count_tokens') return { countsOnly: true };
  return route === '/messages' ? {} : undefined;
}

/** Whether a body is a request with a system prompt next to the messages, or an answer. */
function isMessages(body: JsonRecord): boolean {
  const isRequest = 'messages' in body && ('anthropic_version' in body || 'system' in body);
  return isRequest || (body['type'] === 'message' && 'content' in body);
}

function anthropicError(error: StyledError): object {
  const { message, requestId, weir } = error;
  return { type: 'error', error: { type: errorTypeOf(error), message, weir }, request_id: requestId };
}
