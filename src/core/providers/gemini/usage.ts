import { isArray, isString, memberOf, numberOf, stringOf, type JsonNode } from '../../json/json-node.js';
import { tierNamed } from '../../call/other-usage.js';
import type { OtherUsage, ServiceTier, Usage } from '../../model/call.js';
import { spellingsOfAll } from './spellings.js';

/** Computed once, since every provider's answers are searched for these members. */
const SPELLINGS = spellingsOfAll([
  ...(['usageMetadata', 'promptTokenCount', 'toolUsePromptTokenCount', 'thoughtsTokenCount'] as const),
  ...(['candidatesTokenCount', 'responseTokenCount', 'cachedContentTokenCount', 'tokenCount'] as const),
  ...(['promptTokensDetails', 'candidatesTokensDetails', 'groundingMetadata', 'webSearchQueries'] as const),
  ...(['groundingChunks', 'googleMapsWidgetContextToken', 'retrievalQueries', 'imageSearchQueries'] as const),
  ...(['serviceTier', 'trafficType'] as const),
]);
type Spelt = keyof typeof SPELLINGS;

/** Vertex AI's types of traffic. Provisioned throughput is bought in advance, like the tier `scale` elsewhere. */
const TRAFFIC = new Map<string, ServiceTier | undefined>([
  ['traffic_type_unspecified', undefined],
  ['on_demand', undefined],
  ['on_demand_priority', 'priority'],
  ['on_demand_flex', 'flex'],
  ['provisioned_throughput', 'scale'],
]);

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

/**
 * The tier with this name in a request or an answer: `priority`, earlier `SERVICE_TIER_PRIORITY`, in any case.
 *
 * @returns undefined for the standard tier
 */
export function geminiTier(name: string | undefined): ServiceTier | undefined {
  return tierNamed(name?.toLowerCase().replace(/^service_tier_/, ''));
}

/** The tier that served the answer: `serviceTier` of the Gemini API, `trafficType` of Vertex AI. */
function servedTier(node: JsonNode | undefined): ServiceTier | undefined {
  const tier = geminiTier(textIn(node, 'serviceTier'));
  const traffic = textIn(node, 'trafficType')?.toLowerCase();
  if (tier !== undefined || traffic === undefined) return tier;
  return TRAFFIC.has(traffic) ? TRAFFIC.get(traffic) : 'other';
}

/** Usage other than text: audio, searches (https://ai.google.dev/gemini-api/docs/google-search), generated images, executed code. */
function otherUsage(answer: JsonNode | undefined, node: JsonNode | undefined): OtherUsage | undefined {
  const serviceTier = servedTier(node);
  const input = modality(node, 'promptTokensDetails', 'AUDIO');
  const output = modality(node, 'candidatesTokensDetails', 'AUDIO');
  const groundings = groundingsOf(answer);
  const searches = groundings.reduce<number>((count, each) => count + lengthIn(each, 'webSearchQueries'), 0);
  const isUnknown = modality(node, 'candidatesTokensDetails', 'IMAGE') > 0 || groundings.some(hasOtherFee);
  const other: OtherUsage = {
    ...(serviceTier !== undefined && { serviceTier }),
    ...(input > 0 && { audioInputTokens: input }),
    ...(output > 0 && { audioOutputTokens: output }),
    ...(searches > 0 && { webSearches: searches }),
    ...(isUnknown && { unknownFees: true as const }),
  };
  return Object.keys(other).length === 0 ? undefined : other;
}

/** The sources of each candidate's text. */
function groundingsOf(answer: JsonNode | undefined): JsonNode[] {
  const candidates = memberOf(answer, 'candidates');
  if (!isArray(candidates)) return [];
  return candidates.items.flatMap((candidate) => memberIn(candidate, 'groundingMetadata') ?? []);
}

/**
 * Whether a text has sources with a fee that is in no price list: Google Maps (https://ai.google.dev/gemini-api/docs/maps-grounding), images
 * found by a search, and the operator's own data in Vertex AI Search.
 */
function hasOtherFee(grounding: JsonNode): boolean {
  const chunks = memberIn(grounding, 'groundingChunks');
  const fromMaps = isArray(chunks) && chunks.items.some((chunk) => memberOf(chunk, 'maps') !== undefined);
  const ofMaps = (textIn(grounding, 'googleMapsWidgetContextToken') ?? '') !== '';
  return fromMaps || ofMaps || lengthIn(grounding, 'retrievalQueries') + lengthIn(grounding, 'imageSearchQueries') > 0;
}

function lengthIn(node: JsonNode, name: Spelt): number {
  const list = memberIn(node, name);
  return isArray(list) ? list.items.length : 0;
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

function textIn(node: JsonNode | undefined, name: Spelt): string | undefined {
  const member = memberIn(node, name);
  return isString(member) ? member.text : undefined;
}

function countIn(node: JsonNode | undefined, name: Spelt): number | undefined {
  for (const key of SPELLINGS[name]) {
    const count = numberOf(node, key);
    if (count !== undefined && Number.isSafeInteger(count) && count >= 0) return count;
  }
  return undefined;
}
