import { indexIn, isArray, isObject, isString, memberOf, stringOf, type ObjectNode } from '../json/json-node.js';
import type { SegmentRole } from '../model/call.js';
import type { CallCollector, FieldReader, FieldReaders, RemainingSteps, Place } from './call-collector.js';
import { itemPath } from './json-path.js';
import {
  as,
  fileBytes,
  listOf,
  opaque,
  plain,
  PLAIN_FIELDS,
  plainObject,
  text,
  tokenTexts,
  url,
} from './scalar-readers.js';
import { withTokenTexts } from './token-texts.js';
import { declaredTool, isCall, isNamedCall, readCall, readResult } from './tool-readers.js';
import { writtenAnswer } from './written-calls.js';

/** Reads a text, a list of texts and parts, or one part. */
export const content: FieldReader = (collector, node, place) => {
  if (isArray(node)) return collector.items(node, place, content);
  return isObject(node) ? readBlock(collector, node, place) : collector.freeform(node, place);
};

/** Reads a message, an item of a conversation or a part of a message of any provider, distinguished by `role` and `type`. */
function readBlock(collector: CallCollector, node: ObjectNode, place: Place): RemainingSteps {
  const type = stringOf(node, 'type') ?? '';
  const role = stringOf(node, 'role');
  if (isCall(node)) return readCall(collector, node, place, CALL_FIELDS);
  if (/tool_result$|_call_output$|^program_output$/.test(type) || role === 'tool' || role === 'function') {
    return readResult(collector, node, place, RESULT_FIELDS);
  }
  const fields = /^redacted_thinking$|encrypted$/.test(type) ? SEALED_FIELDS : BLOCK_FIELDS;
  const at = { ...place, role: roleOf(type, role, node) ?? place.role };
  return withTokenTexts(collector, node, at, ['logprobs'], () => collector.fields(node, at, fields));
}

function roleOf(type: string, role: string | undefined, node: ObjectNode): SegmentRole | undefined {
  if (/thinking$|^reasoning/.test(type) || memberOf(node, 'thought') === true) return 'reasoning';
  switch (role) {
    case 'system':
    case 'developer':
      return 'system';
    case 'user':
    case 'assistant':
      return role;
    case undefined:
      return undefined;
    default:
      return memberOf(node, 'content') === undefined ? undefined : 'other';
  }
}

const call: FieldReader = (collector, node, place) => readCall(collector, node, place, CALL_FIELDS);
const codeToRun: FieldReader = (collector, node, place) =>
  readCall(collector, node, place, CALL_FIELDS, 'code_execution');

const codeOfAgent: FieldReader = (collector, node, place) =>
  readCall(collector, node, place, CALL_FIELDS, 'code_interpreter');
/** Reads a tool call, or an object that contains tool calls under the same name, as in Gemini's live sessions. */
const namedCall: FieldReader = (collector, node, place) =>
  isObject(node) && !isNamedCall(node) && !isCall(node)
    ? collector.fields(node, place, CALL_MEMBERS)
    : call(collector, node, place);

/**
 * Reads a piece of a call, of which usually only the first contains the name. Like the items of a list, pieces of one call are named by
 * their index.
 */
const pieceOfCall: FieldReader = (collector, node, place) => {
  const whole = (): RemainingSteps => namedCall(collector, node, place);
  if (!isObject(node) || node.members.some(({ key }) => callMember(key.text) !== undefined)) return whole();
  const path = place.path.endsWith(']') ? place.path : itemPath(place.path, indexIn(node, 'index') ?? 0);
  return collector.pieceOfCall(() => readCall(collector, node, { ...place, path }, CALL_FIELDS, ''), whole);
};

/** Readers of members that are or contain tool calls, by name, in any object: of assistants, Gemini, Bedrock and its agents. */
export const CALL_MEMBERS: FieldReaders = new Map<string, FieldReader>([
  ['parts', content],
  ['tool_calls', listOf(call)],
  ['toolCalls', listOf(call)],
  ['function_call', listOf(call)],
  ['functionCall', listOf(call)],
  ['functionCalls', listOf(call)],
  ['toolUse', listOf(call)],
  ['tool_use', listOf(namedCall)],
  ['toolCall', listOf(namedCall)],
  ['tool_call', listOf(namedCall)],
  // Cohere's v1 API and LangChain.
  ['tool_call_delta', listOf(pieceOfCall)],
  ['tool_call_chunks', listOf(pieceOfCall)],
  ['executed_tools', listOf(call)],
  ['invalid_tool_calls', listOf(call)],
  ...['functionInvocationInput', 'apiInvocationInput', 'actionGroupInvocationInput'].map(
    (key) => [key, listOf(call)] as const,
  ),
  ['codeInterpreterInvocationInput', listOf(codeOfAgent)],
  ['executableCode', listOf(codeToRun)],
  ['executable_code', listOf(codeToRun)],
  // Groq: the answer that it refused because of the calls in it, as the model wrote it.
  ['failed_generation', writtenAnswer(namedCall)],
]);

const IN_ANY_SPELLING = new Map([...CALL_MEMBERS].map(([key, reader]) => [bareKey(key), reader]));

/** The reader of a member that is or contains tool calls; ignores the case of its name and underscores. */
export function callMember(key: string): FieldReader | undefined {
  return CALL_MEMBERS.get(key) ?? IN_ANY_SPELLING.get(bareKey(key));
}

function bareKey(key: string): string {
  return key.toLowerCase().replaceAll('_', '');
}

/** Readers of past tool calls and their results in a conversation, by member name: of Gemini and Bedrock. */
export const PAST_MEMBERS: FieldReaders = new Map<string, FieldReader>([
  ...['functionCall', 'function_call', 'toolUse', 'tool_use'].map((key) => [key, call] as const),
  ...['functionResponse', 'function_response', 'toolResult', 'tool_result'].map(
    (key): readonly [string, FieldReader] => [
      key,
      (collector, node, place) =>
        isObject(node) ? readResult(collector, node, place, RESULT_FIELDS) : collector.freeform(node, place),
    ],
  ),
]);

/** Reads an image, audio or another file: its URL and name are text, its bytes are not. */
const media: FieldReader = (collector, node, place) =>
  isObject(node) ? collector.fields(node, place, MEDIA_FIELDS) : url(collector, node, place);

/** Reads a document of Anthropic: text, base64, URL, file or blocks. */
const source: FieldReader = (collector, node, place) => {
  if (!isObject(node)) return collector.freeform(node, place);
  const isText = stringOf(node, 'type') === 'text';
  return collector.fields(node, place, isText ? TEXT_SOURCE_FIELDS : MEDIA_FIELDS);
};

/** Reads a file as a data URL, as OpenAI requires, or in plain base64, as others accept. */
const fileData: FieldReader = (collector, node, place) =>
  isString(node) && !/^[A-Za-z][A-Za-z0-9+.-]*:/.test(node.text)
    ? fileBytes(collector, node, place)
    : url(collector, node, place);

export const MEDIA_FIELDS: FieldReaders = new Map<string, FieldReader>([
  ...PLAIN_FIELDS,
  ['url', url],
  ['image_url', url],
  ['file_url', url],
  ['file_data', fileData],
  ['data', fileBytes],
  ['filename', text],
  ['content', content],
  ['transcript', text],
]);

export const TEXT_SOURCE_FIELDS: FieldReaders = new Map<string, FieldReader>([...PLAIN_FIELDS, ['data', text]]);

/**
 * Reads tools that an item of a conversation offers from there on: additional tools, those that a search found, and those of a server. In an
 * answer, they are no offers.
 */
const offeredTools: FieldReader = (collector, node, place) =>
  collector.calls === 'past' ? listOf(declaredTool)(collector, node, place) : collector.other(node, place);

/** Reads what a message adds to the tools; its definition is an offered tool. */
const addedTool: FieldReader = (collector, node, place) =>
  collector.calls === 'past' && isObject(node)
    ? collector.fields(node, place, ADDED_TOOL_FIELDS)
    : collector.other(node, place);

const ADDED_TOOL_FIELDS: FieldReaders = new Map<string, FieldReader>([...PLAIN_FIELDS, ['definition', offeredTools]]);

/** Readers of the fields of messages, items and parts. All other fields are read as free-form text. */
export const BLOCK_FIELDS: FieldReaders = new Map<string, FieldReader>([
  ...PLAIN_FIELDS,
  ['name', text],
  ['filename', text],
  ['content', content],
  ['text', content],
  ['title', text],
  ['context', text],
  ['refusal', text],
  ['thinking', as('reasoning', content)],
  ['reasoning', as('reasoning', content)],
  ['reasoning_content', as('reasoning', content)],
  ['reasoning_details', as('reasoning', content)],
  ['summary', as('reasoning', content)],
  ['signature', opaque],
  ['encrypted_content', opaque],
  ['data', fileBytes],
  ['result', fileBytes],
  ['image_url', media],
  ['file_url', url],
  ['file_data', fileData],
  ['input_audio', media],
  ['audio', media],
  ['file', media],
  ['source', source],
  ['cache_control', plainObject],
  ['logprobs', tokenTexts],
  ['tool_calls', listOf(call)],
  ['function_call', call],
  ['tools', offeredTools],
  ['tool', addedTool],
]);

/** Readers for reasoning that the provider encrypted; only the provider can decrypt it. */
const SEALED_FIELDS: FieldReaders = new Map<string, FieldReader>([...BLOCK_FIELDS, ['data', opaque]]);

export const RESULT_FIELDS: FieldReaders = new Map<string, FieldReader>([...BLOCK_FIELDS, ['output', content]]);

export const CALL_FIELDS: FieldReaders = new Map<string, FieldReader>([
  ['type', plain],
  ['id', plain],
  ['call_id', plain],
  ['status', plain],
  ['name', text],
  ['signature', opaque],
  ['thought_signature', opaque],
  ['result', fileBytes],
  ['cache_control', plainObject],
  ['output', as('tool_result', content)],
  ['outputs', as('tool_result', content)],
  ['results', as('tool_result', content)],
]);
