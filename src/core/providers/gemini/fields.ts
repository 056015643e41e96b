import { CALL_MEMBERS, PAST_MEMBERS } from '../../call/block-readers.js';
import type { CallCollector, FieldReader, FieldReaders, Place } from '../../call/call-collector.js';
import { ANSWER_FIELDS, REQUEST_FIELDS } from '../../call/root-readers.js';
import {
  as,
  fileBytes,
  listOf,
  messageRole,
  opaque,
  plain,
  plainObject,
  text,
  tokenTexts,
  url,
} from '../../call/scalar-readers.js';
import { itemPath, memberPath } from '../../call/json-path.js';
import { withTokenTexts } from '../../call/token-texts.js';
import {
  isArray,
  isObject,
  memberOf,
  readingValue,
  stringOf,
  type JsonNode,
  type ObjectNode,
} from '../../json/json-node.js';
import type { JsonValue, SegmentRole } from '../../model/call.js';
import { isStop, type Steps } from '../../steps/steps.js';
import { spelled, spellings } from './spellings.js';

/**
 * Gemini's requests and answers, field by field: https://ai.google.dev/api/generate-content, https://ai.google.dev/api/caching#Content,
 * https://ai.google.dev/api/embeddings, https://ai.google.dev/api/tokens. Fields that are not named here are read as free-form text.
 */

/** `{mimeType, data | fileUri, displayName?}`: the bytes are a file, the URI and the name are texts. */
const blob: FieldReader = (collector, node, place) =>
  isObject(node) ? collector.fields(node, place, BLOB_FIELDS) : collector.freeform(node, place);

const BLOB_FIELDS: FieldReaders = new Map<string, FieldReader>([
  ...spelled('mimeType', plain),
  ...spelled('fileUri', url),
  ...spelled('displayName', text),
  ['data', fileBytes],
]);

/** Result of executed code: `{outcome, output}`. */
const executionResult: FieldReader = (collector, node, place) =>
  isObject(node)
    ? collector.fields(node, { ...place, role: 'tool_result' }, EXECUTION_RESULT_FIELDS)
    : collector.freeform(node, { ...place, role: 'tool_result' });

const EXECUTION_RESULT_FIELDS: FieldReaders = new Map<string, FieldReader>([
  ['outcome', plain],
  ['output', text],
]);

/** https://ai.google.dev/api/caching#Part */
const PART_FIELDS: FieldReaders = new Map<string, FieldReader>([
  ['text', text],
  ...spelled('functionCall', CALL_MEMBERS.get('functionCall')!),
  ...spelled('executableCode', CALL_MEMBERS.get('executableCode')!),
  ...spelled('functionResponse', PAST_MEMBERS.get('functionResponse')!),
  ...spelled('inlineData', blob),
  ...spelled('fileData', blob),
  ...spelled('codeExecutionResult', executionResult),
  ...spelled('thoughtSignature', opaque),
  ...spelled('videoMetadata', plainObject),
]);

const part: FieldReader = (collector, node, place) => {
  if (!isObject(node)) return collector.freeform(node, place);
  const isThought = memberOf(node, 'thought') === true;
  return collector.fields(node, isThought ? { ...place, role: 'reasoning' } : place, PART_FIELDS);
};

/** `{role, parts}`, or a text, which the clients' types also allow. */
const content: FieldReader = (collector, node, place) => {
  if (!isObject(node)) return collector.other(node, place);
  return collector.fields(node, { ...place, role: roleOf(node) ?? place.role }, CONTENT_FIELDS);
};

const CONTENT_FIELDS: FieldReaders = new Map<string, FieldReader>([
  ['role', messageRole],
  ['parts', listOf(part)],
]);

const ROLES: Readonly<Record<string, SegmentRole>> = {
  user: 'user',
  model: 'assistant',
  system: 'system',
  function: 'tool_result',
  tool: 'tool_result',
};

function roleOf(node: JsonNode): SegmentRole | undefined {
  const role = stringOf(node, 'role') ?? '';
  return Object.hasOwn(ROLES, role) ? ROLES[role] : undefined;
}

/** `{functionDeclarations: […]}`, or a hosted tool, named by its member: `{googleSearch: {}}`. */
const tool: FieldReader = (collector, node, place) => {
  const at: Place = { ...place, role: 'tool_declaration' };
  return isObject(node) ? collector.begun(readTool(collector, node, at)) : collector.freeform(node, at);
};

function* readTool(collector: CallCollector, node: ObjectNode, at: Place): Steps<void> {
  yield* collector.rest(collector.fields(node, at, TOOL_FIELDS));
  for (const [position, { key, value }] of node.members.entries()) {
    const path = memberPath(at.path, key.text, position);
    yield* collector.rest(undefined);
    if (!DECLARATIONS.includes(key.text)) {
      if (isObject(value)) collector.declaredTools.push({ name: key.text, path });
    } else if (isArray(value)) {
      for (const [index, item] of value.items.entries())
        yield* collector.rest(declaring(collector, item, itemPath(path, index)));
    }
  }
}

const DECLARATIONS = spellings('functionDeclarations');
/** https://ai.google.dev/api/caching#FunctionDeclaration */
const DECLARATION_FIELDS: FieldReaders = new Map<string, FieldReader>([
  ['name', text],
  ['description', text],
]);
const declaration: FieldReader = (collector, node, place) =>
  isObject(node) ? collector.fields(node, place, DECLARATION_FIELDS) : collector.freeform(node, place);
const TOOL_FIELDS: FieldReaders = new Map<string, FieldReader>(spelled('functionDeclarations', listOf(declaration)));

function* declaring(collector: CallCollector, node: JsonNode, path: string): Steps<void> {
  const name = stringOf(node, 'name');
  if (name === undefined) return;
  const written = [...spellings('parametersJsonSchema'), 'parameters'].map((key) => memberOf(node, key)).find(isObject);
  collector.declaredTools.push({
    name,
    path,
    ...(written === undefined ? {} : { schema: yield* readingSchema(yield* readingValue(written)) }),
  });
}

/**
 * Converts Gemini's schemas to JSON Schema: they write types in capitals, with a separate `nullable`
 * (https://ai.google.dev/api/caching#Schema).
 */
export function* readingSchema(value: JsonValue): Steps<JsonValue> {
  if (Array.isArray(value)) {
    const items: JsonValue[] = [];
    for (const item of value as readonly JsonValue[]) {
      items.push(yield* readingSchema(item));
      if (isStop(items.length)) yield;
    }
    return items;
  }
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value as Readonly<Record<string, JsonValue>>);
  const isNullable = entries.some(([key, each]) => key === 'nullable' && each === true);
  const read: [string, JsonValue][] = [];
  for (const [index, [key, each]] of entries.entries()) {
    if (isStop(index)) yield;
    if (key === 'nullable' && typeof each === 'boolean') continue;
    const isType = key === 'type' && typeof each === 'string';
    read.push([key, isType ? typeOf(each, isNullable) : yield* readingSchema(each)]);
  }
  return Object.fromEntries(read);
}

function typeOf(written: string, isNullable: boolean): JsonValue {
  const type = written.toLowerCase();
  return isNullable ? [type, 'null'] : type;
}

/** The conversation so far: its tool calls are past ones and are not judged again. */
const history: FieldReader = (collector, node, place) =>
  collector.ofPast(() => listOf(content)(collector, node, place));

/** A nested request, as in `batchEmbedContents` and `countTokens`. */
const request: FieldReader = (collector, node, place) =>
  isObject(node) ? collector.fields(node, place, GEMINI_REQUEST_FIELDS) : collector.freeform(node, place);

/** https://ai.google.dev/api/generate-content#generationconfig */
const config: FieldReader = (collector, node, place) =>
  isObject(node) ? collector.fields(node, place, CONFIG_FIELDS) : collector.freeform(node, place);

const CONFIG_FIELDS: FieldReaders = new Map<string, FieldReader>([
  ...spelled('stopSequences', text),
  ...spelled('responseMimeType', plain),
  ...spelled('responseModalities', listOf(plain)),
  ...spelled('thinkingConfig', plainObject),
]);

export const GEMINI_REQUEST_FIELDS: FieldReaders = new Map<string, FieldReader>([
  ...REQUEST_FIELDS,
  ['contents', as('user', history)],
  ['content', as('user', history)],
  ...spelled('systemInstruction', as('system', history)),
  ['tools', listOf(tool)],
  ...spelled('generateContentRequest', request),
  ['requests', listOf(request)],
  ...spelled('generationConfig', config),
  ...spelled('safetySettings', listOf(plainObject)),
  ...spelled('taskType', plain),
]);

/** https://ai.google.dev/api/generate-content#candidate */
const CANDIDATE_FIELDS: FieldReaders = new Map<string, FieldReader>([
  ['content', content],
  ...spelled('finishReason', plain),
  ...spelled('finishMessage', text),
  ...spelled('safetyRatings', listOf(plainObject)),
  // See `withTokenTexts`.
  ...spelled('logprobsResult', tokenTexts),
]);

const LOGPROBS = spellings('logprobsResult').map((name) => name.toLowerCase());

const candidate: FieldReader = (collector, node, place) => {
  if (!isObject(node)) return collector.other(node, place);
  const at: Place = { ...place, role: 'assistant' };
  return withTokenTexts(collector, node, at, LOGPROBS, () => collector.fields(node, at, CANDIDATE_FIELDS));
};

/** Root members of answers and stream entries that only Gemini uses. */
export const GEMINI_OWN_ANSWER_FIELDS: FieldReaders = new Map<string, FieldReader>([
  ['candidates', listOf(candidate)],
  ...spelled('usageMetadata', plainObject),
  ...spelled('modelVersion', plain),
  ...spelled('responseId', plain),
  ...spelled('createTime', plain),
]);

export const GEMINI_ANSWER_FIELDS: FieldReaders = new Map([...ANSWER_FIELDS, ...GEMINI_OWN_ANSWER_FIELDS]);

/** All tables of fields for Gemini's bodies. */
export const GEMINI_FIELD_TABLES: readonly FieldReaders[] = [
  BLOB_FIELDS,
  EXECUTION_RESULT_FIELDS,
  PART_FIELDS,
  CONTENT_FIELDS,
  DECLARATION_FIELDS,
  TOOL_FIELDS,
  CONFIG_FIELDS,
  GEMINI_REQUEST_FIELDS,
  CANDIDATE_FIELDS,
  GEMINI_OWN_ANSWER_FIELDS,
  GEMINI_ANSWER_FIELDS,
];

/** Whether a content consists of tool results, which belong to the turn with the calls. */
export function isToolAnswer(node: JsonNode): boolean {
  const role = stringOf(node, 'role');
  const parts = memberOf(node, 'parts');
  const holds = (each: JsonNode): boolean =>
    spellings('functionResponse').some((key) => memberOf(each, key) !== undefined);
  return role === 'function' || role === 'tool' || (isArray(parts) && parts.items.some(holds));
}

/** Whether an object is a part with an image, `{inlineData: {mimeType: 'image/…', data}}`. */
export function isPicture(node: ObjectNode): boolean {
  return mediaTypeOf(node)?.startsWith('image/') === true;
}

/** Whether a part does not show the size of its input: it refers to a file by its URI, or contains pages in base64. */
export function namesFile(node: ObjectNode): boolean {
  if (spellings('fileUri').some((key) => stringOf(node, key) !== undefined)) return true;
  return /^(?:application|video)\//.test(mediaTypeOf(node) ?? '');
}

function mediaTypeOf(node: ObjectNode): string | undefined {
  if (memberOf(node, 'data') === undefined) return undefined;
  return spellings('mimeType')
    .map((key) => stringOf(node, key)?.toLowerCase())
    .find((type) => type !== undefined);
}
