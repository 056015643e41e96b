import { isArray, memberOf, numberOf, stringOf, type JsonNode } from '../../json/json-node.js';
import type { OtherUsage, Usage } from '../../model/call.js';
import { spellingsOfAll } from './spellings.js';

/** Computed once, since every provider's answers are searched for these members. */
const SPELLINGS = spellingsOfAll([
  ...(['usageMetadata', 'promptTokenCount', 'toolUsePromptTokenCount', 'thoughtsTokenCount'] as const),
  ...(['candidatesTokenCount', 'responseTokenCount', 'cachedContentTokenCount', 'tokenCount'] as const),
  ...(['promptTokensDetails', 'candidatesTokensDetails', 'groundingMetadata', 'webSearchQueries'] as const),
]);
type Spelt = keyof typeof SPELLINGS;

/**
 * Token counts from an answer's `usageMetadata`: https://ai.google.dev/api/generate-content#UsageMetadata. The prompt's count includes
 * cached input, but not input added by hosted tools; the candidates' count excludes thoughts, which are billed as output
 * (https://ai.google.dev/gemini-api/docs/thinking#pricing).
 *
 * @param answer the object with `usageMetadata`: an answer, or an entry of a stream
 */
export function geminiUsage(answer: JsonNode | undefined): Usage | undefined {
  const node = memberIn(answer, 'usageMetadata');
  if (node === undefined) return undefined;
  const prompt = sum(countIn(node, 'promptTokenCount'), countIn(node, 'toolUsePromptTokenCount'));
  const thoughts = countIn(node, 'thoughtsTokenCount');
  const written = countIn(node, 'candidatesTokenCount') ?? countIn(node, 'responseTokenCount');
  const completion = sum(written, thoughts);
  if (prompt === undefined && completion === undefined) return undefined;
  const cached = countIn(node, 'cachedContentTokenCount');
  const other = otherUsage(answer, node);
  return {
    ...(prompt === undefined ? {} : { promptTokens: prompt }),
    ...(completion === undefined ? {} : { completionTokens: completion }),
    ...(cached === undefined ? {} : { cacheReadTokens: cached }),
    ...(thoughts === undefined ? {} : { reasoningTokens: thoughts }),
    ...(other === undefined ? {} : { other }),
  };
}

/** Usage other than text: audio, searches (https://ai.google.dev/gemini-api/docs/google-search), generated images, executed code. */
function otherUsage(answer: JsonNode | undefined, node: JsonNode | undefined): OtherUsage | undefined {
  const input = modality(node, 'promptTokensDetails', 'AUDIO');
  const output = modality(node, 'candidatesTokensDetails', 'AUDIO');
  const searches = searchesIn(answer);
  const isUnknown = modality(node, 'candidatesTokensDetails', 'IMAGE') > 0;
  const other: OtherUsage = {
    ...(input > 0 && { audioInputTokens: input }),
    ...(output > 0 && { audioOutputTokens: output }),
    ...(searches > 0 && { webSearches: searches }),
    ...(isUnknown && { unknownFees: true as const }),
  };
  return Object.keys(other).length === 0 ? undefined : other;
}

function searchesIn(answer: JsonNode | undefined): number {
  const candidates = memberOf(answer, 'candidates');
  if (!isArray(candidates)) return 0;
  return candidates.items.reduce<number>((count, candidate) => {
    const queries = memberIn(memberIn(candidate, 'groundingMetadata'), 'webSearchQueries');
    return count + (isArray(queries) ? queries.items.length : 0);
  }, 0);
}

/** The tokens of one modality in a list of `{modality, tokenCount}`. */
function modality(node: JsonNode | undefined, list: Spelt, name: string): number {
  const details = memberIn(node, list);
  if (!isArray(details)) return 0;
  return details.items.reduce<number>(
    (count, each) => count + (stringOf(each, 'modality') === name ? (countIn(each, 'tokenCount') ?? 0) : 0),
    0,
  );
}

function sum(one: number | undefined, more: number | undefined): number | undefined {
  return one === undefined && more === undefined ? undefined : (one ?? 0) + (more ?? 0);
}

function memberIn(node: JsonNode | undefined, name: Spelt): JsonNode | undefined {
  for (const key of SPELLINGS[name]) {
    const member = memberOf(node, key);
    if (member !== undefined) return member;
  }
  return undefined;
}

function countIn(node: JsonNode | undefined, name: Spelt): number | undefined {
  for (const key of SPELLINGS[name]) {
    const count = numberOf(node, key);
    if (count !== undefined && Number.isSafeInteger(count) && count >= 0) return count;
  }
  return undefined;
}
