import { isArray, isObject, memberOf, stringOf, type JsonNode, type ObjectNode } from '../../json/json-node.js';
import type { ServiceTier } from '../../model/call.js';
import type { TextEdit } from '../../text/edit.js';
import type { EndSign, JsonRecord, ProviderDialect, RouteFacts } from '../provider.js';
import { answerCount, cappedMember } from '../shared-fields.js';
import { cannedContent } from './canned.js';
import { GEMINI_ANSWER_FIELDS, GEMINI_REQUEST_FIELDS, readingSchema } from './fields.js';
import { spelledPaths, spellings } from './spellings.js';
import { geminiTier } from './usage.js';

/** `…/models/{model}:{method}`, `…/tunedModels/{model}:{method}`, and Vertex's `…/publishers/google/models/{model}:{method}`. */
const METHOD = /\/([^/:]+):([a-z]+)$/i;
/** Answer formats of the `alt` parameter that Weir can read: https://cloud.google.com/apis/docs/system-parameters */
const FORMS: ReadonlySet<string> = new Set(['json', 'sse']);
const GENERATES = ['generatecontent', 'streamgeneratecontent', 'counttokens'];
const EMBEDS = ['embedcontent', 'batchembedcontents'];
/** Root members of requests and answers that no other provider has. */
const OF_GENERATING = [
  'contents',
  'candidates',
  ...spellings('generateContentRequest'),
  ...spellings('promptFeedback'),
];
const CONFIG = spellings('generationConfig');
const OUTPUT_LIMIT = spellings('maxOutputTokens');
/** Hosted tools, which the provider runs and whose results the model reads: https://ai.google.dev/api/caching#Tool */
const HOSTED = [
  ...['googleSearch', 'googleSearchRetrieval', 'enterpriseWebSearch', 'exaAiSearch', 'parallelAiSearch'],
  ...['urlContext', 'codeExecution', 'fileSearch', 'googleMaps', 'retrieval'],
];
const SEARCHES = ['googleSearch', 'googleSearchRetrieval'];
/** Assumed maximum of searches for a call that can search; searches beyond it are reported as an overrun. */
const ASSUMED_SEARCHES = 10;

const OF_GEMINI = {
  request: { fields: GEMINI_REQUEST_FIELDS, role: 'other', calls: 'past' },
  answer: { fields: GEMINI_ANSWER_FIELDS, role: 'assistant', calls: 'new' },
  modelMembers: spellings('modelVersion'),
  readingSchema,
  ownOutputTokens: undefined,
  outputLimits: spelledPaths('generationConfig', 'maxOutputTokens'),
  outputSchemas: [
    ...spelledPaths('generationConfig', 'responseJsonSchema'),
    ...spelledPaths('generationConfig', 'responseSchema'),
  ],
  refersToStored,
  previousAnswer: undefined,
  searches: (root) => (hosted(root, SEARCHES) ? ASSUMED_SEARCHES : 0),
  serviceTier: requestedTier,
  samplings: () => 1,
  answersLater: () => false,
  unguarded: piecewiseCalls,
} as const satisfies Partial<ProviderDialect>;

/** https://ai.google.dev/api/generate-content, https://ai.google.dev/api/tokens */
export const GEMINI_GENERATE: ProviderDialect = {
  ...OF_GEMINI,
  route: (_, written, query) => routeTo(GENERATES, written, query),
  recognises: (body) => OF_GENERATING.some((name) => name in body),
  requestOfTurns: (turns) => (turns.every(isContent) ? { contents: turns } : undefined),
  writes: 'text',
  answers: (root) =>
    Math.max(
      ...CONFIG.flatMap((config) => spellings('candidateCount').map((key) => answerCount(memberOf(root, config), key))),
    ),
  outputCap: capped,
  usage: 'always',
  isEnd: endsCandidates,
  canned: cannedContent,
  isListEntry: (item) => memberOf(item, 'candidates') !== undefined,
};

/** https://ai.google.dev/api/embeddings */
export const GEMINI_EMBED: ProviderDialect = {
  ...OF_GEMINI,
  route: (_, written, query) => routeTo(EMBEDS, written, query),
  recognises: isEmbedding,
  requestOfTurns: undefined,
  writes: 'nothing',
  answers: () => 1,
  outputCap: undefined,
  usage: 'never',
  isEnd: undefined,
  canned: undefined,
  isListEntry: undefined,
};

/** Whether an object is a turn of a conversation. */
function isContent(turn: unknown): boolean {
  return typeof turn === 'object' && turn !== null && 'parts' in turn;
}

/** Whether a body has one content to be embedded, or a list of requests with one content each. */
function isEmbedding({ content, requests }: JsonRecord): boolean {
  const all = Array.isArray(requests) ? (requests as readonly (JsonRecord | null)[]) : [{ content }];
  return all.length > 0 && all.every((each) => isContent(each?.['content']));
}

function routeTo(methods: readonly string[], written: string, query: string): RouteFacts | undefined {
  const [, model = '', method = ''] = METHOD.exec(written.replaceAll(/;[^/]*/g, '').replace(/\/$/, '')) ?? [];
  const name = method.toLowerCase();
  if (!methods.includes(name)) return undefined;
  const refused = unreadableForm(query);
  return {
    model,
    ...(name === 'counttokens' && { countsOnly: true }),
    ...(name === 'streamgeneratecontent' && { streams: true }),
    ...(refused !== undefined && { refused }),
  };
}

/** The reason for refusing an answer format: Weir reads only JSON and event streams. */
function unreadableForm(query: string): string | undefined {
  for (const parameter of query.replace(/^\?/, '').split(/[&;]/)) {
    const [name = '', value = ''] = parameter.split('=').map((part) => decodedPart(part).toLowerCase());
    const bare = name.replace(/^\$/, '');
    if (bare === 'callback') return 'must not name a callback: Weir reads answers only as JSON or events';
    if (bare === 'alt' && !FORMS.has(value)) return 'must use alt=json or alt=sse: Weir cannot read other formats';
  }
  return undefined;
}

function decodedPart(part: string): string {
  try {
    return decodeURIComponent(part.replaceAll('+', ' '));
  } catch {
    return part;
  }
}

/** Adds the limit to the request's settings, which may be missing. */
function capped(root: ObjectNode, tokens: number): TextEdit | undefined {
  const found = root.members.filter(({ key }) => CONFIG.includes(key.text));
  const [config] = found;
  const limit = `{"maxOutputTokens":${tokens}}`;
  if (config === undefined) {
    const last = root.members.at(-1);
    return last && { start: last.end, end: last.end, replacement: `,"generationConfig":${limit}` };
  }
  // With two settings it is undefined which one applies, and the provider refuses the request.
  if (found.length > 1) return undefined;
  const { value, start, end } = config;
  if (value === null || (isObject(value) && value.members.length === 0)) return { start, end, replacement: limit };
  return isObject(value) ? cappedMember(value, OUTPUT_LIMIT, 'maxOutputTokens', tokens) : undefined;
}

/** Whether a request uses a cached context, or hosted tools, whose results are not in the request. */
function refersToStored(root: JsonNode): boolean {
  return spellings('cachedContent').some((key) => (memberOf(root, key) ?? null) !== null) || hosted(root, HOSTED);
}

function hosted(root: JsonNode, names: readonly string[]): boolean {
  const tools = memberOf(root, 'tools');
  const keys = names.flatMap(spellings);
  return isArray(tools) && tools.items.some((tool) => keys.some((key) => memberOf(tool, key) !== undefined));
}

/** https://ai.google.dev/gemini-api/docs/priority-inference */
function requestedTier(root: JsonNode): ServiceTier | undefined {
  return spellings('serviceTier')
    .map((key) => geminiTier(stringOf(root, key)))
    .find((tier) => tier !== undefined);
}

/**
 * Refuses streamed arguments of function calls in Gemini's own format (`partialArgs`, each with a JSON path), which Vertex AI sends on
 * request: Weir has no reader that assembles them.
 */
function piecewiseCalls(root: JsonNode): { readonly path: string; readonly message: string } | undefined {
  const asks = spelledPaths('toolConfig', 'functionCallingConfig', 'streamFunctionCallArguments').some(
    (path) => (path.reduce<JsonNode | undefined>(memberOf, root) ?? false) !== false,
  );
  return asks
    ? {
        path: 'toolConfig.functionCallingConfig.streamFunctionCallArguments',
        message: 'must not be set: Weir cannot judge arguments streamed in this format',
      }
    : undefined;
}

/** Whether an entry ends the answer: it has a candidate's finish reason, or the reason for blocking the prompt. */
function endsCandidates({ root }: EndSign): boolean {
  const candidates = memberOf(root, 'candidates');
  const isFinished = isArray(candidates) && candidates.items.some((each) => finishOf(each) !== undefined);
  const feedback = spellings('promptFeedback').map((key) => memberOf(root, key));
  return (
    isFinished || feedback.some((each) => spellings('blockReason').some((key) => stringOf(each, key) !== undefined))
  );
}

function finishOf(candidate: JsonNode): string | undefined {
  return spellings('finishReason')
    .map((key) => stringOf(candidate, key))
    .find((reason) => reason !== undefined && reason !== '' && reason !== 'FINISH_REASON_UNSPECIFIED');
}
