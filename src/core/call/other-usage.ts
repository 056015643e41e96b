import { isArray, memberOf, numberOf, stringOf, type JsonNode } from '../json/json-node.js';
import { SERVICE_TIERS, type OtherUsage, type ServiceTier } from '../model/call.js';

/** The names of the standard tier, which has published prices, at OpenAI and Azure, Anthropic, and Groq. */
const STANDARD_TIERS = ['default', 'standard', 'standard_only', 'auto', 'on_demand'];
/** Items of a response whose fee is neither in its usage nor in a price list. */
const UNKNOWN_FEES = ['code_interpreter_call', 'image_generation_call'];

/**
 * Reads the billed usage of an answer other than plain tokens.
 *
 * Tiers: `service_tier` of OpenAI's answers and of Anthropic's `usage`. Audio and images: `*_tokens_details`. Tools: Anthropic's
 * `usage.server_tool_use`, the items of OpenAI's responses (https://platform.openai.com/docs/pricing#built-in-tools: of web search
 * calls, only searches have a fee).
 *
 * @param answer the object that contains `usage`: an answer, or the part of a stream's event with the usage
 * @returns undefined if there is no such usage
 */
export function readOtherUsage(answer: JsonNode | undefined): OtherUsage | undefined {
  const usage = memberOf(answer, 'usage');
  const input = memberOf(usage, 'prompt_tokens_details') ?? memberOf(usage, 'input_tokens_details');
  const output = memberOf(usage, 'completion_tokens_details') ?? memberOf(usage, 'output_tokens_details');
  const tools = memberOf(usage, 'server_tool_use');
  const outputs = memberOf(answer, 'output');
  const items = isArray(outputs) ? outputs.items : [];
  const ofType = (type: string): readonly JsonNode[] => items.filter((item) => stringOf(item, 'type') === type);
  const searches = ofType('web_search_call').filter((item) => {
    const action = stringOf(memberOf(item, 'action'), 'type');
    return action === undefined || action === 'search';
  });
  const unknown = positive(output, 'image_tokens') ?? positive(tools, 'code_execution_requests');
  const hasUnknown = unknown !== undefined || UNKNOWN_FEES.some((type) => ofType(type).length > 0);
  return withoutAbsent({
    serviceTier: serviceTierOf(answer) ?? serviceTierOf(usage),
    audioInputTokens: positive(input, 'audio_tokens'),
    audioOutputTokens: positive(output, 'audio_tokens'),
    webSearches: positive(tools, 'web_search_requests') ?? (searches.length || undefined),
    fileSearches: ofType('file_search_call').length || undefined,
    unknownFees: hasUnknown ? true : undefined,
  });
}

/**
 * The tier that a request asks for, or that an answer reports.
 *
 * @returns undefined for the standard tier, and if none is named
 */
export function serviceTierOf(node: JsonNode | undefined): ServiceTier | undefined {
  const named = stringOf(node, 'service_tier');
  if (named === undefined || STANDARD_TIERS.includes(named)) return undefined;
  return SERVICE_TIERS.find((tier) => tier === named) ?? 'other';
}

/** Merges the earlier and later usage of a stream: the larger counts and the latest tier. */
export function mergeOtherUsage(
  earlier: OtherUsage | undefined,
  later: OtherUsage | undefined,
): OtherUsage | undefined {
  if (earlier === undefined || later === undefined) return earlier ?? later;
  const larger = (part: 'audioInputTokens' | 'audioOutputTokens' | 'webSearches' | 'fileSearches') =>
    Math.max(earlier[part] ?? 0, later[part] ?? 0) || undefined;
  return withoutAbsent({
    serviceTier: later.serviceTier ?? earlier.serviceTier,
    audioInputTokens: larger('audioInputTokens'),
    audioOutputTokens: larger('audioOutputTokens'),
    webSearches: larger('webSearches'),
    fileSearches: larger('fileSearches'),
    unknownFees: later.unknownFees ?? earlier.unknownFees,
  });
}

function withoutAbsent(other: Readonly<Record<keyof OtherUsage, unknown>>): OtherUsage | undefined {
  const known = Object.entries(other).filter(([, value]) => value !== undefined);
  return known.length === 0 ? undefined : Object.fromEntries(known);
}

function positive(node: JsonNode | undefined, key: string): number | undefined {
  const value = numberOf(node, key);
  return value !== undefined && Number.isSafeInteger(value) && value > 0 ? value : undefined;
}
