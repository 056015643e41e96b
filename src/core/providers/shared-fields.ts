import { isArray, isObject, memberOf, numberOf, stringOf, type JsonNode, type ObjectNode } from '../json/json-node.js';
import type { TextEdit } from '../text/edit.js';
import { FIELD_TABLES } from '../call/field-tables.js';
import { serviceTierOf } from '../call/other-usage.js';
import { ANSWER_FIELDS, REQUEST_FIELDS } from '../call/root-readers.js';
import type { Provider, ProviderDialect, RootReading, RouteFacts } from './provider.js';

/**
 * Requests and answers of OpenAI's and Anthropic's routes, and of Weir's own events, are read with the same tables: vendors accept the
 * fields of one on the routes of the other, and reading fields that a route does not have is harmless.
 */
export const SHARED_REQUEST: RootReading = { fields: REQUEST_FIELDS, role: 'other', calls: 'past' };
export const SHARED_ANSWER: RootReading = { fields: ANSWER_FIELDS, role: 'assistant', calls: 'new' };

/** Paths of the members that limit a request's output, under each name that vendors use. */
const SHARED_OUTPUT_LIMITS = [['max_tokens'], ['max_completion_tokens'], ['max_output_tokens']] as const;

/**
 * Paths of the JSON Schema for an answer's text: `response_format` (chat completions), `text.format` (responses),
 * `output_config.format` and `output_format` (messages).
 */
const SHARED_OUTPUT_SCHEMAS = [
  ['response_format', 'json_schema', 'schema'],
  ['text', 'format', 'schema'],
  ['output_config', 'format', 'schema'],
  ['output_format', 'schema'],
] as const;

/** Fields that refer to texts stored at the provider. */
const STORED_INPUT = ['previous_response_id', 'conversation', 'mcp_servers', 'container'];
/** Hosted tools: the provider runs them, and the model reads their results. */
const HOSTED_TOOL = /^(?:web_search|web_fetch|file_search|code_interpreter|code_execution|mcp|computer)/;
const SEARCH_TOOL = /^(?:web_search|file_search)/;
/** Assumed maximum of searches for a call that sets no limit; searches beyond it are reported as an overrun. */
const ASSUMED_SEARCHES = 10;

function refersToStored(root: JsonNode): boolean {
  const named = STORED_INPUT.some((key) => (memberOf(root, key) ?? null) !== null);
  const tools = memberOf(root, 'tools');
  const hosted = isArray(tools) && tools.items.some((tool) => HOSTED_TOOL.test(stringOf(tool, 'type') ?? ''));
  return named || hosted || isObject(memberOf(root, 'prompt')) || memberOf(root, 'web_search_options') !== undefined;
}

/** Whether a chat completion searches without reporting it in its answer: on request, or because its model always does. */
export function searchesAlways(root: JsonNode): boolean {
  return (
    memberOf(root, 'web_search_options') !== undefined || /-search-(?:preview|api)/.test(stringOf(root, 'model') ?? '')
  );
}

/** The maximum number of searches: Anthropic's limit is `max_uses`, OpenAI's is `max_tool_calls`. */
function mostSearches(root: JsonNode): number {
  const tools = memberOf(root, 'tools');
  const searching = isArray(tools) ? tools.items.filter((tool) => SEARCH_TOOL.test(stringOf(tool, 'type') ?? '')) : [];
  if (searching.length === 0) return searchesAlways(root) ? 1 : 0;
  const each = searching.reduce<number>((sum, tool) => sum + (limitOf(tool, 'max_uses') ?? ASSUMED_SEARCHES), 0);
  return limitOf(root, 'max_tool_calls') ?? each;
}

/**
 * Two if the provider may summarise the conversation before it answers: the summary is a sampling of its own
 * (https://platform.claude.com/docs/en/build-with-claude/compaction-threshold).
 */
function mostSamplings(root: JsonNode): number {
  const management = memberOf(root, 'context_management');
  // A list of its own at OpenAI.
  const edits = isArray(management) ? management : memberOf(management, 'edits');
  const compacts = isArray(edits) && edits.items.some((edit) => (stringOf(edit, 'type') ?? '').startsWith('compact'));
  return compacts ? 2 : 1;
}

/** OpenAI's `background`, and `deferred` of xAI: the answer is retrieved later. */
function answersLater(root: JsonNode): boolean {
  return memberOf(root, 'background') === true || memberOf(root, 'deferred') === true;
}

function limitOf(node: JsonNode, key: string): number | undefined {
  const limit = numberOf(node, key);
  return limit !== undefined && Number.isSafeInteger(limit) && limit >= 0 ? Math.min(limit, 10_000) : undefined;
}

/** Properties shared by OpenAI's and Anthropic's routes, Weir's own events and unknown routes. */
export const SHARED_FACTS = {
  request: SHARED_REQUEST,
  answer: SHARED_ANSWER,
  answers: askedAnswers,
  ownOutputTokens: undefined,
  outputLimits: SHARED_OUTPUT_LIMITS,
  outputSchemas: SHARED_OUTPUT_SCHEMAS,
  modelMembers: ['model'],
  readingSchema: undefined,
  refersToStored,
  previousAnswer: undefined,
  searches: mostSearches,
  serviceTier: serviceTierOf,
  samplings: mostSamplings,
  answersLater,
  unguarded: undefined,
  isListEntry: undefined,
} as const satisfies Partial<ProviderDialect>;

/** Properties shared by OpenAI and Anthropic. */
export const SHARED_PROVIDER = {
  modelMembers: ['model'],
  fieldTables: FIELD_TABLES,
  usageMembers: ['usage'],
  credentialParameters: [],
  streamFields: new Map(),
  conversations: { messages: startsTurn, input: startsTurn },
  isPicture,
  namesFile,
} as const satisfies Partial<Provider>;

/** Whether an item starts a turn. Anthropic's tool results are user messages, but belong to the turn in which the tool was called. */
function startsTurn(item: JsonNode): boolean {
  const content = memberOf(item, 'content');
  const holdsResult =
    isArray(content) && content.items.some((part) => /tool_result$/.test(stringOf(part, 'type') ?? ''));
  return stringOf(item, 'role') === 'user' && !holdsResult;
}

/** Whether an object is a block with an image: by URL, or as base64 with its media type. */
function isPicture(node: ObjectNode): boolean {
  const type = stringOf(node, 'type');
  const media = memberOf(node, 'source');
  if (type === 'image') return isObject(media) || memberOf(node, 'data') !== undefined;
  return (type === 'image_url' || type === 'input_image') && memberOf(node, 'file_id') === undefined;
}

function namesFile(node: ObjectNode): boolean {
  const type = stringOf(node, 'type');
  const id = stringOf(node, 'file_id') !== undefined || stringOf(node, 'file_url') !== undefined;
  return id || (type === 'url' && stringOf(node, 'url') !== undefined);
}

/** Matches routes that imply no other properties. */
export function routeAt(...routes: readonly string[]): (route: string) => RouteFacts | undefined {
  return (route) => (routes.includes(route) ? {} : undefined);
}

/** Number of answers requested by `n` and `best_of`. */
export function askedAnswers(root: JsonNode): number {
  return Math.max(answerCount(root, 'n'), answerCount(root, 'best_of'));
}

/** A requested number of answers, at most 1,000; 1 if it is missing or invalid. */
export function answerCount(root: JsonNode | undefined, key: string): number {
  const count = numberOf(root, key);
  return count !== undefined && Number.isSafeInteger(count) && count > 1 ? Math.min(count, 1_000) : 1;
}

/**
 * The edit that adds a limit to an object as its last member.
 *
 * @param names names of the member; if one exists with the value null, that null is replaced
 * @param name the name for a new member
 */
export function cappedMember(
  { members }: ObjectNode,
  names: readonly string[],
  name: string,
  tokens: number,
): TextEdit | undefined {
  const known = members.filter(({ key }) => names.includes(key.text));
  const empty = known.findLast(({ value }) => value === null);
  if (empty !== undefined) return { start: empty.start, end: empty.end, replacement: String(tokens) };
  // An invalid limit is left for the provider to refuse. An object without members names no model and is refused in any case.
  const last = members.at(-1);
  if (known.length > 0 || last === undefined) return undefined;
  return { start: last.end, end: last.end, replacement: `,${JSON.stringify(name)}:${tokens}` };
}
