import { isArray, memberOf, stringOf, type JsonNode } from '../../json/json-node.js';
import type { EndSign, ProviderDialect } from '../provider.js';
import {
  askedAnswers,
  cappedMember,
  routeAt,
  SHARED_ANSWER,
  SHARED_OUTPUT_LIMITS,
  SHARED_OUTPUT_SCHEMAS,
  SHARED_REQUEST,
} from '../shared-fields.js';

/** What ends a stream of chat completions and completions. */
export const END_MARK = '[DONE]';
/** Of completions, when a request names none: https://platform.openai.com/docs/api-reference/completions/create */
const COMPLETIONS_OUTPUT_TOKENS = 16;
/** https://platform.openai.com/docs/api-reference/responses-streaming */
const LAST_OF_RESPONSE: ReadonlySet<string> = new Set([
  'response.completed',
  'response.incomplete',
  'response.failed',
  'error',
]);

const OF_OPENAI = {
  request: SHARED_REQUEST,
  answer: SHARED_ANSWER,
  answers: askedAnswers,
  ownOutputTokens: undefined,
  outputLimits: SHARED_OUTPUT_LIMITS,
  outputSchemas: SHARED_OUTPUT_SCHEMAS,
} as const;

/**
 * OpenAI itself takes `max_completion_tokens` for all of its models and `max_tokens` only for older ones; other providers
 * that speak its language know `max_tokens`.
 */
export const OPENAI_CHAT: ProviderDialect = {
  ...OF_OPENAI,
  route: routeAt('/chat/completions'),
  writes: 'text',
  outputCap: (root, tokens, isOwn) =>
    cappedMember(root, ['max_completion_tokens', 'max_tokens'], isOwn ? 'max_completion_tokens' : 'max_tokens', tokens),
  // https://platform.openai.com/docs/api-reference/chat/create#chat-create-stream_options
  usage: 'asked',
  isEnd: endsChoices,
};

export const OPENAI_COMPLETIONS: ProviderDialect = {
  ...OF_OPENAI,
  route: routeAt('/completions'),
  writes: 'text',
  answers: (root) => askedAnswers(root) * promptCount(root),
  ownOutputTokens: COMPLETIONS_OUTPUT_TOKENS,
  outputCap: (root, tokens) => cappedMember(root, ['max_tokens'], 'max_tokens', tokens),
  usage: 'asked',
  isEnd: endsChoices,
};

export const OPENAI_RESPONSES: ProviderDialect = {
  ...OF_OPENAI,
  route: routeAt('/responses'),
  writes: 'text',
  outputCap: (root, tokens) => cappedMember(root, ['max_output_tokens'], 'max_output_tokens', tokens),
  usage: 'always',
  isEnd: (sign) => LAST_OF_RESPONSE.has(sign.type) || endsAny(sign),
};

export const OPENAI_EMBEDDINGS: ProviderDialect = {
  ...OF_OPENAI,
  route: routeAt('/embeddings'),
  writes: 'nothing',
  outputCap: undefined,
  usage: 'always',
  isEnd: undefined,
};

/** `[DONE]`, the reason that a choice is finished for, or an error. */
function endsChoices(sign: EndSign): boolean {
  return LAST_OF_RESPONSE.has(sign.type) || endsAny(sign) || hasFinishedChoice(sign.root);
}

function endsAny({ root, data }: EndSign): boolean {
  return root === undefined ? data === END_MARK : memberOf(root, 'error') !== undefined;
}

function hasFinishedChoice(root: JsonNode | undefined): boolean {
  const choices = memberOf(root, 'choices');
  return isArray(choices) && choices.items.some((choice) => (stringOf(choice, 'finish_reason') ?? '') !== '');
}

/** Each prompt of a list is answered. */
function promptCount(root: JsonNode): number {
  const prompt = memberOf(root, 'prompt');
  const ofTokens = isArray(prompt) && prompt.items.every((item) => typeof item === 'number');
  return isArray(prompt) && !ofTokens ? Math.max(1, prompt.items.length) : 1;
}
