import { isArray, memberOf, stringOf, type JsonNode } from '../../json/json-node.js';
import type { EndSign, JsonRecord, ProviderDialect, RouteFacts } from '../provider.js';
import { cannedChat, cannedCompletion, cannedResponse } from './canned.js';
import { askedAnswers, cappedMember, routeAt, SHARED_FACTS } from '../shared-fields.js';

/**
 * The default of completions, if a request contains no limit: https://platform.openai.com/docs/api-reference/completions/create
 */
const COMPLETIONS_OUTPUT_TOKENS = 16;

/**
 * OpenAI itself accepts `max_completion_tokens` for all of its models and `max_tokens` only for older ones; compatible providers
 * support `max_tokens`.
 */
export const OPENAI_CHAT: ProviderDialect = {
  ...SHARED_FACTS,
  route: routeAt('/chat/completions'),
  // Anthropic's requests also have `messages`, but with a separate system prompt.
  recognises: (body) => 'choices' in body || ('messages' in body && !('system' in body || 'anthropic_version' in body)),
  requestOfTurns: (turns) => (turns.every(isMessage) ? { messages: turns } : undefined),
  writes: 'text',
  outputCap: (root, tokens, isOwn) =>
    cappedMember(root, ['max_completion_tokens', 'max_tokens'], isOwn ? 'max_completion_tokens' : 'max_tokens', tokens),
  // https://platform.openai.com/docs/api-reference/chat/create#chat-create-stream_options
  usage: 'asked',
  isEnd: endsChoices,
  canned: cannedChat,
};

export const OPENAI_COMPLETIONS: ProviderDialect = {
  ...SHARED_FACTS,
  route: routeAt('/completions'),
  // Answers contain `choices`, so they are recognised and read as answers of chat completions.
  recognises: (body) => 'prompt' in body && !('input' in body),
  requestOfTurns: undefined,
  writes: 'text',
  answers: (root) => askedAnswers(root) * promptCount(root),
  ownOutputTokens: COMPLETIONS_OUTPUT_TOKENS,
  outputCap: (root, tokens) => cappedMember(root, ['max_tokens'], 'max_tokens', tokens),
  usage: 'asked',
  isEnd: endsChoices,
  canned: cannedCompletion,
};

export const OPENAI_RESPONSES: ProviderDialect = {
  ...SHARED_FACTS,
  route: responsesRoute,
  recognises: (body) => 'input' in body || 'output' in body,
  // https://platform.openai.com/docs/api-reference/responses/create#responses-create-previous_response_id
  previousAnswer: 'previous_response_id',
  requestOfTurns: undefined,
  writes: 'text',
  outputCap: (root, tokens) => cappedMember(root, ['max_output_tokens'], 'max_output_tokens', tokens),
  usage: 'always',
  isEnd: () => false,
  canned: cannedResponse,
};

export const OPENAI_EMBEDDINGS: ProviderDialect = {
  ...SHARED_FACTS,
  route: routeAt('/embeddings'),
  // Requests look like those of the Responses API, so they are recognised and read as such requests.
  recognises: () => false,
  requestOfTurns: undefined,
  writes: 'nothing',
  outputCap: undefined,
  usage: 'always',
  isEnd: undefined,
  canned: undefined,
};

/** https://platform.openai.com/docs/api-reference/responses/create, with `/input-tokens` and `/compact` for its other routes. */
function responsesRoute(route: string): RouteFacts | undefined {
  if (route === '/responses/input_tokens') return { countsOnly: true };
  if (route === '/responses/compact') return { compacts: true };
  return route === '/responses' ? {} : undefined;
}

/** Whether a choice has a finish reason, which ends the answer, since some vendors send no `[DONE]`. */
function endsChoices({ root }: EndSign): boolean {
  const choices = memberOf(root, 'choices');
  return isArray(choices) && choices.items.some((choice) => (stringOf(choice, 'finish_reason') ?? '') !== '');
}

/** The number of prompts in a request; each prompt of a list gets its own answer. */
function promptCount(root: JsonNode): number {
  const prompt = memberOf(root, 'prompt');
  const ofTokens = isArray(prompt) && prompt.items.every((item) => typeof item === 'number');
  return isArray(prompt) && !ofTokens ? Math.max(1, prompt.items.length) : 1;
}

/** Whether a turn is a chat message; items of other APIs have a type. */
function isMessage(turn: JsonRecord): boolean {
  return typeof turn['role'] === 'string' && ('content' in turn || 'tool_calls' in turn) && !('type' in turn);
}
