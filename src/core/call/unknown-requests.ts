import {
  isArray,
  isObject,
  memberOf,
  membersNamed,
  readingValue,
  stringOf,
  type JsonNode,
  type ObjectNode,
} from '../json/json-node.js';
import type { SegmentRole } from '../model/call.js';
import { isStop, type Steps } from '../steps/steps.js';
import { PAST_MEMBERS } from './block-readers.js';
import type { CallCollector, FieldReader, FieldReaders, Place } from './call-collector.js';
import { as, listOf, text } from './scalar-readers.js';
import { isCall, readCall, readResult } from './tool-readers.js';

/** Members with messages or items of a conversation. */
const TURNS = ['messages', 'additional_messages', 'items', 'turns', 'chat_history'];
/** Members with the user's words: of completions, and of Titan. */
const SPOKEN = ['prompt', 'inputText'];
const INSTRUCTIONS = ['system', 'instructions', 'systemInstruction', 'system_instruction', 'preamble'];
const RESULTS = ['tool_outputs', 'tool_results'];
/** Members with a whole request, or with several of them. */
const REQUESTS = ['requests', 'instances', 'params', 'body', 'request', 'thread'];
/** Members with the request of one line of a batch, in lower case. */
const REQUEST_OF_LINE: readonly string[] = ['body', 'params', 'request'];
/** Members, in lower case, that a body has only if a model reads it. */
const PROMPTS: readonly string[] = [
  ...[...TURNS, ...SPOKEN, ...RESULTS].map((key) => key.toLowerCase()),
  ...['message', 'contents', 'input', 'inputs', 'requests', 'instances', 'thread', 'document', 'documents'],
];

/** Whether the body of a request contains prompts, whatever its route: a model reads what is in it, files included. */
export function* findingPrompts(root: JsonNode): Steps<boolean> {
  if (isObject(root)) return holdsPrompts(root);
  for (const [index, item] of (isArray(root) ? root.items : []).entries()) {
    if (isObject(item) && holdsPrompts(item)) return true;
    if (isStop(index)) yield;
  }
  return false;
}

function holdsPrompts(node: ObjectNode): boolean {
  if (isMessage(node) || membersNamed(node, PROMPTS).length > 0) return true;
  return membersNamed(node, REQUEST_OF_LINE).some(({ value }) => isObject(value) && holdsPrompts(value));
}

/**
 * Reads a request whose route, and with it its format, is unknown. Every string and every name is read, as in any other unknown body. What
 * has the shape of a conversation also gets the roles of its authors, and its tool calls, tool results and offered tools are recognised.
 * Names and settings in a conversation are nobody's words.
 */
export const unknownRequest: FieldReader = (collector, node, place) => {
  if (isArray(node)) return collector.items(node, place, unknownRequest);
  if (!isObject(node)) return text(collector, node, place);
  return isMessage(node) ? turn(collector, node, place) : collector.openFields(node, place, REQUEST_FIELDS);
};

/** Whether an object is itself a message, as in a request that adds one to a conversation. */
function isMessage(node: ObjectNode): boolean {
  return stringOf(node, 'role') !== undefined && (memberOf(node, 'content') ?? memberOf(node, 'parts')) !== undefined;
}

/** Reads a message or an item of a conversation, or a list of them. */
const turn: FieldReader = (collector, node, place) => {
  if (isArray(node)) return collector.items(node, place, turn);
  return part(collector, node, { ...place, role: roleOf(node) ?? place.role });
};

/** Reads the content of a message, which has the role of the message: texts, parts of any provider, calls and results. */
const part: FieldReader = (collector, node, place) => {
  if (isArray(node)) return collector.items(node, place, part);
  if (!isObject(node)) return text(collector, node, place);
  if (isCall(node)) return readCall(collector, node, place, OUTPUT_FIELDS);
  if (isResult(node)) return readResult(collector, node, place, NO_FIELDS);
  const fields = FIELDS_SAID_BY.get(isReasoning(node) ? 'reasoning' : place.role) ?? NO_FIELDS;
  return collector.openFields(node, { ...place, role: 'other' }, fields);
};

const call: FieldReader = (collector, node, place) => readCall(collector, node, place, OUTPUT_FIELDS);
const result: FieldReader = (collector, node, place) =>
  isObject(node)
    ? readResult(collector, node, place, NO_FIELDS)
    : text(collector, node, { ...place, role: 'tool_result' });

const ROLES: ReadonlyMap<string, SegmentRole> = new Map<string, SegmentRole>([
  ['system', 'system'],
  ['developer', 'system'],
  ['user', 'user'],
  ['assistant', 'assistant'],
  ['model', 'assistant'],
  ['chatbot', 'assistant'],
]);

function roleOf(node: JsonNode): SegmentRole | undefined {
  const role = stringOf(node, 'role');
  return role === undefined ? undefined : (ROLES.get(role.toLowerCase()) ?? 'other');
}

function isReasoning(node: ObjectNode): boolean {
  return /thinking$|^reasoning/.test(stringOf(node, 'type') ?? '') || memberOf(node, 'thought') === true;
}

/** Types of results: of Anthropic's tools, of responses, and of Gemini's interactions. */
const RESULT_TYPE = /[_-]result$|_call_output$/;

function isResult(node: ObjectNode): boolean {
  const role = stringOf(node, 'role')?.toLowerCase();
  return role === 'tool' || role === 'function' || RESULT_TYPE.test(stringOf(node, 'type') ?? '');
}

const NO_FIELDS: FieldReaders = new Map();
/** Members of a call of the provider's own tools that contain its result. */
const OUTPUT_FIELDS: FieldReaders = new Map(
  ['output', 'outputs', 'result', 'results'].map((key) => [key, as('tool_result', text)] as const),
);

/** Members of messages and parts whose texts have the role of the message. */
const SAID = ['content', 'parts', 'text', 'refusal', 'source', 'data', 'title', 'context', 'name', 'filename'];
const REASONED = ['thinking', 'reasoning', 'reasoning_content', 'reasoning_details', 'summary'];

function fieldsSaidBy(role: SegmentRole): FieldReaders {
  return new Map<string, FieldReader>([
    ...PAST_MEMBERS,
    ...SAID.map((key) => [key, as(role, part)] as const),
    ...REASONED.map((key) => [key, as('reasoning', part)] as const),
    ['tool_calls', listOf(call)],
    ['toolCalls', listOf(call)],
  ]);
}

const FIELDS_SAID_BY: ReadonlyMap<SegmentRole, FieldReaders> = new Map(
  (['system', 'user', 'assistant', 'reasoning', 'other'] as const).map((role) => [role, fieldsSaidBy(role)] as const),
);

/** Reads a tool that a request offers, in the format of any provider. */
const tool: FieldReader = (collector, node, place) => {
  const at: Place = { ...place, role: 'tool_declaration' };
  return isObject(node) ? collector.begun(readTool(collector, node, at)) : text(collector, node, at);
};

/** Members of a tool that contain its name and schema: of chat completions, and of Bedrock. */
const INNER_TOOLS = ['function', 'custom', 'toolSpec'];
/** Members with several tools, whose schemas are not JSON Schema: of Gemini. */
const LISTS_OF_TOOLS = ['functionDeclarations', 'function_declarations'];

function* readTool(collector: CallCollector, node: ObjectNode, at: Place): Steps<void> {
  const { path } = at;
  yield* collector.rest(collector.freeform(node, at));
  const lists = LISTS_OF_TOOLS.map((key) => memberOf(node, key)).filter(isArray);
  for (const declared of lists.flatMap(({ items }) => items)) {
    const name = stringOf(declared, 'name');
    if (name !== undefined) collector.declaredTools.push({ name, path });
    yield* collector.rest(undefined);
  }
  if (lists.length > 0) return;
  const inners = INNER_TOOLS.map((key) => memberOf(node, key)).filter(isObject);
  for (const inner of inners.length === 0 ? [node] : inners) {
    const name = stringOf(inner, 'name') ?? stringOf(node, 'type');
    if (name === undefined) continue;
    const schema = schemaOf(inner);
    collector.declaredTools.push({ name, path, ...(isObject(schema) ? { schema: yield* readingValue(schema) } : {}) });
  }
}

function schemaOf(node: ObjectNode): JsonNode | undefined {
  return (
    memberOf(node, 'parameters') ?? memberOf(node, 'input_schema') ?? memberOf(memberOf(node, 'inputSchema'), 'json')
  );
}

/** Reads Bedrock's object with the list of tools. */
const toolConfig: FieldReader = (collector, node, place) =>
  isObject(node) ? collector.openFields(node, place, new Map([['tools', listOf(tool)]])) : text(collector, node, place);

const REQUEST_FIELDS: FieldReaders = new Map<string, FieldReader>([
  ...PAST_MEMBERS,
  ...TURNS.map((key) => [key, turn] as const),
  ['input', as('user', turn)],
  ['contents', as('user', turn)],
  ...SPOKEN.map((key) => [key, as('user', part)] as const),
  ...INSTRUCTIONS.map((key) => [key, as('system', part)] as const),
  ['tools', listOf(tool)],
  ['functions', listOf(tool)],
  ['toolConfig', toolConfig],
  ['tool_config', toolConfig],
  ...RESULTS.map((key) => [key, listOf(result)] as const),
  ...REQUESTS.map((key) => [key, unknownRequest] as const),
]);
