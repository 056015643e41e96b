import { memberOf, numberOf, type JsonNode } from '../json/json-node.js';
import type { Usage } from '../model/call.js';
import { mergeOtherUsage, readOtherUsage } from './other-usage.js';

const TOKEN_COUNTS = [
  'promptTokens',
  'completionTokens',
  'cacheReadTokens',
  'cacheWriteTokens',
  'cacheWrite1hTokens',
  'reasoningTokens',
] as const satisfies readonly (keyof Usage)[];
type TokenCount = (typeof TOKEN_COUNTS)[number];

/**
 * Token counts from the `usage` object of an answer in any known shape, and other billed usage; undefined if there are no token counts.
 *
 * OpenAI chat: `prompt_tokens` includes cached tokens. OpenAI responses: the same as `input_tokens`. Anthropic: `input_tokens` excludes
 * cache reads and writes, so they are added; `cache_creation` contains the lifetime of the writes
 * (https://docs.claude.com/en/docs/build-with-claude/prompt-caching#1-hour-cache-duration). Weir's own: as documented for
 * `ai.response`.
 *
 * @param answer the object that contains `usage`
 */
export function readUsage(answer: JsonNode | undefined): Usage | undefined {
  const node = memberOf(answer, 'usage');
  const cacheReads = count(node, 'cache_read_input_tokens');
  const cacheWrites = count(node, 'cache_creation_input_tokens');
  const input = count(node, 'input_tokens');
  const promptDetails = memberOf(node, 'prompt_tokens_details') ?? memberOf(node, 'input_tokens_details');
  const completionDetails = memberOf(node, 'completion_tokens_details') ?? memberOf(node, 'output_tokens_details');
  const prompt =
    count(node, 'prompt_tokens') ?? (input === undefined ? undefined : input + (cacheReads ?? 0) + (cacheWrites ?? 0));
  const usage = {
    promptTokens: prompt,
    completionTokens: count(node, 'completion_tokens') ?? count(node, 'output_tokens'),
    cacheReadTokens: count(node, 'cache_read_tokens') ?? cacheReads ?? count(promptDetails, 'cached_tokens'),
    cacheWriteTokens: count(node, 'cache_write_tokens') ?? cacheWrites ?? count(promptDetails, 'cache_write_tokens'),
    cacheWrite1hTokens:
      count(node, 'cache_write_1h_tokens') ?? count(memberOf(node, 'cache_creation'), 'ephemeral_1h_input_tokens'),
    reasoningTokens:
      count(node, 'reasoning_tokens') ??
      count(completionDetails, 'reasoning_tokens') ??
      count(completionDetails, 'thinking_tokens'),
  };
  const known = Object.entries(usage).filter(([, tokens]) => tokens !== undefined);
  if (known.length === 0) return undefined;
  const other = readOtherUsage(answer);
  return { ...(Object.fromEntries(known) as Usage), ...(other === undefined ? {} : { other }) };
}

/**
 * Merges the usage that a stream has reported. Counts only grow, so the larger of each is used: Anthropic reports the input in
 * `message_start` and the output in `message_delta`, other providers report everything at the end.
 */
export function mergeUsage(earlier: Usage | undefined, later: Usage | undefined): Usage | undefined {
  if (earlier === undefined || later === undefined) return earlier ?? later;
  const merged: Partial<Record<TokenCount, number>> = {};
  for (const key of TOKEN_COUNTS) {
    const counts = [earlier[key], later[key]].filter((tokens) => tokens !== undefined);
    if (counts.length > 0) merged[key] = Math.max(...counts);
  }
  const other = mergeOtherUsage(earlier.other, later.other);
  return { ...merged, ...(other === undefined ? {} : { other }) };
}

/** Reads a token count; undefined unless it is a non-negative integer. */
function count(node: JsonNode | undefined, key: string): number | undefined {
  const value = numberOf(node, key);
  return value !== undefined && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}
