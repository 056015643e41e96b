import { isArray, memberOf, numberOf, stringOf, type JsonNode } from '../json/json-node.js';
import { SERVICE_TIERS, type OtherUsage, type ServiceTier } from '../model/call.js';
import { iterationsOf } from './iterations.js';

/** The names of the standard tier, which has published prices, at OpenAI and Azure, Anthropic, Groq, and Google. */
const STANDARD_TIERS = ['default', 'standard', 'standard_only', 'auto', 'on_demand', 'unspecified'];
/** Other names of a tier: OpenAI accepts both, and answers with the second (https://developers.openai.com/api/docs/guides/fast-mode). */
const SAME_TIERS = new Map<string, ServiceTier>([['fast', 'priority']]);
/** Inference anywhere, which has published prices; `not_available` is reported for models without a choice. */
const ANY_REGION = ['global', 'not_available'];
/** Items of a response whose fee is neither in its usage nor in a price list. */
const UNKNOWN_FEES = ['code_interpreter_call', 'image_generation_call'];

/**
 * Reads the billed usage of an answer other than plain tokens.
 *
 * Tiers: `service_tier` of OpenAI's answers, and the members of Anthropic's `usage` that `serviceTierOf` reads. Audio and images:
 * `*_tokens_details`. Tools: Anthropic's `usage.server_tool_use`, the items of OpenAI's responses
 * (https://platform.openai.com/docs/pricing#built-in-tools: of web search calls, only searches have a fee). Other models: Anthropic's
 * `usage.iterations`.
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
  const hasUnknown =
    unknown !== undefined || iterationsOf(usage).ofOthers || UNKNOWN_FEES.some((type) => ofType(type).length > 0);
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
 * The tier that a request asks for, or that an answer reports: `service_tier`, and Anthropic's `speed` and `inference_geo`, whose prices are
 * multiples of the standard ones (https://platform.claude.com/docs/en/about-claude/pricing).
 *
 * @returns undefined for the standard tier, and if none is named; `other` for several at once, whose prices are multiplied
 */
export function serviceTierOf(node: JsonNode | undefined): ServiceTier | undefined {
  const [tier, ...more] = [
    tierNamed(stringOf(node, 'service_tier')),
    modeNamed(stringOf(node, 'speed'), 'fast', STANDARD_TIERS),
    modeNamed(stringOf(node, 'inference_geo'), 'us', ANY_REGION),
  ].filter((named) => named !== undefined);
  return more.length > 0 ? 'other' : tier;
}

/** @returns undefined for a name of the standard tier */
export function tierNamed(name: string | undefined): ServiceTier | undefined {
  const named = name?.toLowerCase() ?? '';
  if (named === '' || STANDARD_TIERS.includes(named)) return undefined;
  return SAME_TIERS.get(named) ?? SERVICE_TIERS.find((tier) => tier === named) ?? 'other';
}

function modeNamed(name: string | undefined, known: ServiceTier, standard: readonly string[]): ServiceTier | undefined {
  const named = name?.toLowerCase() ?? '';
  if (named === '' || standard.includes(named)) return undefined;
  return named === known ? known : 'other';
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
