import { memberOf, numberOf, type JsonNode } from '../json/json-node.js';
import type { Usage } from '../model/call.js';
import { iterationsOf } from './iterations.js';
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
type Counts = Readonly<Record<TokenCount, number | undefined>>;

/**
 * Token counts from the `usage` object of an answer in any known shape, and other billed usage; undefined if there are no token counts.
 *
 * @param answer the object that contains `usage`
 */
export function readUsage(answer: JsonNode | undefined): Usage | undefined {
  const node = memberOf(answer, 'usage');
  const usage = withIterations(withReasoning(countsOf(node), count(node, 'total_tokens')), node);
  const known = Object.entries(usage).filter(([, tokens]) => tokens !== undefined);
  if (known.length === 0) return undefined;
  const other = readOtherUsage(answer);
  return { ...(Object.fromEntries(known) as Usage), ...(other === undefined ? {} : { other }) };
}

/**
 * OpenAI chat: `prompt_tokens` includes cached tokens. OpenAI responses: the same as `input_tokens`. Anthropic: `input_tokens` excludes
 * cache reads and writes, so they are added; `cache_creation` contains the lifetime of the writes
 * (https://docs.claude.com/en/docs/build-with-claude/prompt-caching#1-hour-cache-duration). Weir's own: as documented for
 * `ai.response`.
 */
function countsOf(node: JsonNode | undefined): Counts {
  const cacheReads = count(node, 'cache_read_input_tokens');
  const cacheWrites = count(node, 'cache_creation_input_tokens');
  const input = count(node, 'input_tokens');
  const promptDetails = memberOf(node, 'prompt_tokens_details') ?? memberOf(node, 'input_tokens_details');
  const completionDetails = memberOf(node, 'completion_tokens_details') ?? memberOf(node, 'output_tokens_details');
  const prompt =
    count(node, 'prompt_tokens') ?? (input === undefined ? undefined : input + (cacheReads ?? 0) + (cacheWrites ?? 0));
  return {
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
}

/**
 * Output that is counted only in the total: xAI and other services with OpenAI's API report reasoning beside `completion_tokens`, or not at
 * all (https://docs.x.ai/docs/key-information/consumption-and-rate-limits). Everything in the total that is not input is output.
 */
function withReasoning(counts: Counts, total: number | undefined): Counts {
  const { promptTokens, completionTokens = 0, cacheReadTokens = 0, cacheWriteTokens = 0 } = counts;
  if (promptTokens === undefined || total === undefined) return counts;
  const output = total - Math.max(promptTokens, cacheReadTokens + cacheWriteTokens);
  return output > completionTokens ? { ...counts, completionTokens: output } : counts;
}

/** The sums over all samplings of the call, if the answer lists them. */
function withIterations(counts: Counts, node: JsonNode | undefined): Counts {
  const { entries } = iterationsOf(node);
  if (entries.length === 0) return counts;
  const each = entries.map(countsOf);
  const summed = TOKEN_COUNTS.map((key) => [key, sumOf(each, key, counts[key])] as const);
  return Object.fromEntries(summed) as Counts;
}

function sumOf(each: readonly Counts[], key: TokenCount, own: number | undefined): number | undefined {
  const known = each.map((counts) => counts[key]).filter((tokens) => tokens !== undefined);
  const sum = known.reduce((tokens, more) => tokens + more, 0);
  return known.length === 0 ? own : Math.max(sum, own ?? 0);
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
