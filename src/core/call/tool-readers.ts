import {
  isArray,
  isObject,
  isString,
  memberOf,
  membersNamed,
  readingValue,
  stringOf,
  stringsOf,
  type JsonNode,
  type ObjectNode,
  type TextNode,
} from '../json/json-node.js';
import type { JsonValue } from '../model/call.js';
import type {
  ArgumentsOrigin,
  CallCollector,
  FieldReader,
  FieldReaders,
  RemainingSteps,
  Place,
} from './call-collector.js';
import { filtered, joinedLists, isStop, type Steps } from '../steps/steps.js';
import { callReadings } from './call-readings.js';
import { listOf, plain, plainObject, text } from './scalar-readers.js';
import { withTokenTexts } from './token-texts.js';

/** The member of a call with the log probabilities of its tokens. */
const LOGPROBS: readonly string[] = ['logprobs'];

/**
 * Reads a tool call of any shape: `{id, function: {name, arguments}}` (chat), `{name, arguments}` (function_call items and the old
 * `function_call`), `{name, input}` (Anthropic, custom tools), or a provider's own call such as `local_shell_call`, whose name is then
 * its type.
 * @param readers the readers of all fields except name and arguments
 * @param nameless the name of a call that contains none
 */
export function readCall(
  collector: CallCollector,
  node: JsonNode,
  place: Place,
  readers: FieldReaders,
  nameless?: string,
): RemainingSteps {
  const at: Place = { ...place, role: 'tool_call' };
  if (isObject(node)) {
    const read = (): RemainingSteps => collector.begun(readCallObject(collector, node, at, readers, nameless));
    return withTokenTexts(collector, node, at, LOGPROBS, read);
  }
  if (isString(node)) return collector.begun(readCallString(collector, node, at, readers, nameless));
  return collector.freeform(node, at);
}

/** Reads calls in a string that contains JSON: one call, a list of calls, or a value that contains calls. */
function* readCallString(
  collector: CallCollector,
  node: TextNode,
  at: Place,
  readers: FieldReaders,
  nameless: string | undefined,
): Steps<void> {
  const inner = yield* collector.nestedJson(node);
  const each: FieldReader = (_, item, place) => readCall(collector, item, place, readers, nameless);
  if (inner === undefined) yield* collector.rest(collector.freeform(node, at));
  else if (isArray(inner)) yield* collector.rest(collector.items(inner, at, each));
  else if (isObject(inner) && namesIn(inner).length > 0) yield* readCallObject(collector, inner, at, readers, nameless);
  else yield* collector.rest(collector.other(inner, at));
}

function* readCallObject(
  collector: CallCollector,
  node: ObjectNode,
  at: Place,
  readers: FieldReaders,
  nameless: string | undefined,
): Steps<void> {
  const args: (JsonValue | undefined)[] = [];
  const readArgs: FieldReader = (_, value, argsPlace) =>
    collector.begun(
      (function* () {
        args.push(yield* collector.toolArguments(value, argsPlace));
      })(),
    );
  const withArgs = (object: ObjectNode): FieldReaders => {
    // `ownArguments` reads the other parameters of the call itself, which may be a list of names and values.
    const isRead = (value: JsonNode): boolean => isString(value) || (object !== node && isObject(value));
    const parameters = membersNamed(object, ['parameters']).filter(({ value }) => isRead(value));
    const byKey = parameters.map(({ key }) => [key.text, readArgs] as const);
    return new Map([...readers, ...asSpelled(object, NAMES_OF_ARGUMENTS, readArgs), ...byKey]);
  };
  const nested = yield* nestedInners(collector, node);
  const readInner: FieldReader = (_, value, innerPlace) => {
    const inner = isString(value) ? nested.get(value) : value;
    if (!isObject(inner)) return collector.freeform(value, innerPlace);
    const read = (): RemainingSteps => collector.fields(inner, innerPlace, withArgs(inner));
    return withTokenTexts(collector, inner, innerPlace, LOGPROBS, read);
  };
  const segments = yield* collector.gather(() =>
    collector.fields(node, at, new Map([...withArgs(node), ...asSpelled(node, INNER, readInner)])),
  );
  const id = IDS.map((key) => stringOf(node, key)).find((each) => each !== undefined);
  const identity = { ...(id === undefined ? {} : { id }), path: at.path, segments };
  let origin: ArgumentsOrigin = 'member';
  if (args.length === 0) {
    const own = yield* ownArguments(node);
    args.push(own);
    origin = originOf(node, own);
  }
  const nestedNames = [...nested.values()].flatMap((inner) => stringsOf(inner, 'name'));
  const names = namesOf(node, nestedNames, nameless);
  const [name = ''] = names;
  // The calls in the arguments do not depend on the names, so they are collected once for all names.
  for (const { args: value, names: own } of callReadings(names, args))
    yield* collector.addingToolCall({ ...identity, name, args: value }, origin, own);
}

/** The origin of arguments that are not from a member for arguments. */
function originOf(node: ObjectNode, own: JsonValue): ArgumentsOrigin {
  if (memberOf(node, 'parameters') !== undefined) return 'member';
  const hasOthers = Object.keys(own as object).some((key) => !NOT_OWN.has(key.toLowerCase()));
  return hasOthers || !isNamedCall(node) ? 'own' : 'none';
}

const NAMES_OF_ARGUMENTS = [
  'arguments',
  'input',
  'args',
  'tool_input',
  'toolinput',
  'tool_args',
  'toolargs',
  'tool_arguments',
];
/** Members of a call that may contain its name and arguments. */
const INNER = ['function', 'custom'];
const IDS = ['call_id', 'id', 'toolUseId', 'toolCallId', 'tool_call_id', 'actionExecutionId'];

/** Parses the strings of a call that contain an object as JSON in which a client could look for the name. */
function* nestedInners(collector: CallCollector, node: ObjectNode): Steps<ReadonlyMap<JsonNode, ObjectNode>> {
  const nested = new Map<JsonNode, ObjectNode>();
  for (const { value } of membersNamed(node, INNER)) {
    if (!isString(value)) continue;
    const inner = yield* collector.nestedJson(value);
    if (isObject(inner)) nested.set(value, inner);
  }
  return nested;
}

/**
 * Members that contain only names of tools: Vercel's gateway, agents of LangChain, AG-UI; Bedrock's agents; Semantic Kernel,
 * CopilotKit.
 */
const NAMES_OF_TOOLS = [
  ...['toolname', 'tool_name', 'toolcallname', 'tool', 'function', 'function_name', 'functionname'],
  ...['actionname', 'action_name'],
];
/** Members that contain the name of a call: common ones; of Gemini's own tools; of Bedrock's agents, whose action is a path. */
const NAMES = ['name', ...NAMES_OF_TOOLS, 'tooltype', 'apipath'];
const IS_NAME: ReadonlySet<string> = new Set(NAMES);
/** Members of a call that are neither its arguments nor its result, in lower case. */
const NOT_OWN: ReadonlySet<string> = new Set([
  ...NAMES,
  ...IDS.map((key) => key.toLowerCase()),
  'parentmessageid',
  'messageid',
  'timestamp',
]);

/** Whether a member of a call with this name contains the name of the tool. */
export function isNameMember(key: string): boolean {
  return IS_NAME.has(key.toLowerCase());
}

/** Members of a call in a stream that contain its arguments or pieces of them, in lower case. */
export const ARGUMENTS_IN_STREAMS: ReadonlySet<string> = new Set([
  ...NAMES_OF_ARGUMENTS,
  'parameters',
  'partial_json',
  'delta',
  'inputtextdelta',
]);

function namesIn(node: ObjectNode): readonly string[] {
  const inners = innersOf(node).filter((inner) => inner !== node);
  const own = NAMES.flatMap((key) => stringsOf(node, key)).filter((name) => !name.trimStart().startsWith('{'));
  return [...inners.flatMap((inner) => stringsOf(inner, 'name')), ...own];
}

/** Every name that a client could read, including duplicate keys and keys in another case; the type if there is none. */
function namesOf(node: ObjectNode, nested: readonly string[], nameless: string | undefined): readonly string[] {
  const known = [...new Set([...nested, ...namesIn(node)])];
  return known.length === 0 ? [nameless ?? nameFromType(node)] : known;
}

/** Whether an object names the tool that it calls; an object without a name may contain calls. */
export function isNamedCall(node: ObjectNode): boolean {
  return namesIn(node).length > 0;
}

/** Assigns a reader to fields with these names, written in upper or lower case as in the object. */
function asSpelled(
  node: ObjectNode,
  names: readonly string[],
  reader: FieldReader,
): (readonly [string, FieldReader])[] {
  return membersNamed(node, names).map(({ key: { text } }) => [text, reader] as const);
}

const RESULT_IDS = ['tool_call_id', 'tool_use_id', 'call_id', 'toolUseId', 'id'];

/** Reads the result of a tool: a message of role `tool`, a `tool_result` block, a `…_call_output` item. */
export function readResult(
  collector: CallCollector,
  node: ObjectNode,
  place: Place,
  readers: FieldReaders,
): RemainingSteps {
  return collector.begun(readResultObject(collector, node, { ...place, role: 'tool_result' }, readers));
}

function* readResultObject(collector: CallCollector, node: ObjectNode, at: Place, readers: FieldReaders): Steps<void> {
  const segments = yield* collector.gather(() => collector.fields(node, at, readers));
  const callId = RESULT_IDS.map((key) => stringOf(node, key)).find((id) => id !== undefined);
  const name = stringOf(node, 'name') ?? (callId === undefined ? undefined : collector.pastNames.get(callId));
  collector.pastToolResults.push({
    ...(callId === undefined ? {} : { callId }),
    ...(name === undefined ? {} : { name }),
    path: at.path,
    segments,
  });
}

/** Reads a tool that a request offers: every name, description and schema in it is text that the model reads. */
export const declaredTool: FieldReader = (collector, node, place) => {
  const at: Place = { ...place, role: 'tool_declaration' };
  if (!isObject(node)) return collector.freeform(node, at);
  return collector.begun(readTool(collector, node, at));
};

function* readTool(collector: CallCollector, node: ObjectNode, at: Place): Steps<void> {
  yield* collector.rest(collector.fields(node, at, TOOL_FIELDS));
  const inners = innersOf(node);
  const named = inners.filter((inner) => stringOf(inner, 'name') !== undefined);
  for (const inner of named.length > 0 ? named : inners.slice(-1)) {
    const name = stringOf(inner, 'name') ?? stringOf(node, 'type');
    if (name === undefined) return;
    const schema = memberOf(inner, 'parameters') ?? memberOf(inner, 'input_schema');
    collector.declaredTools.push({
      name,
      path: at.path,
      ...(isObject(schema) ? { schema: yield* readingValue(schema) } : {}),
    });
  }
}

const CALL_TYPE = /tool_use$|_call$|_approval_request$|^tool-call$/;
/**
 * The type of a program that calls tools, and the tool that runs it:
 * https://developers.openai.com/api/docs/guides/tools-programmatic-tool-calling
 */
const PROGRAM = 'program';
const RUNS_PROGRAMS = 'programmatic_tool_calling';
/** Members that contain the type of a call: the common one, and that of Pydantic AI. */
const TYPES = ['type', 'part_kind'];

/**
 * Whether an object is a tool call: by its type, by `{function: {name, …}}` as in chat's `tool_calls`, or by a name and arguments. The
 * case of these keys is ignored, as clients in Go do.
 */
export function isCall(node: ObjectNode): boolean {
  if (!hasMarkOfCall(node)) return false;
  if (TYPES.some((key) => stringsOf(node, key).some((type) => CALL_TYPE.test(type)))) return true;
  if (isProgram(node)) return true;
  const named = innersOf(node).filter((inner) => inner !== node && stringsOf(inner, 'name').length > 0);
  if (named.length > 0) return !named.every(isOffer);
  if (NAMES_OF_TOOLS.some((key) => stringsOf(node, key).length > 0) && holdsMember(node, ARGUMENTS_OF_TOOLS))
    return true;
  if (typeOfPart(node) !== undefined) return true;
  return namesIn(node).length > 0 && holdsArguments(node);
}

function isProgram(node: ObjectNode): boolean {
  return stringOf(node, 'type') === PROGRAM && stringOf(node, 'code') !== undefined;
}

/** Members that are next to the name of a tool in calls, but not in offered tools or results. */
const ARGUMENTS_OF_TOOLS: readonly string[] = [...NAMES_OF_ARGUMENTS, 'parameters', 'toolcallid', 'actionexecutionid'];

/** Every object that `isCall` accepts has one of these members, in any case. */
const MARKS_OF_CALLS: readonly string[] = [...new Set([...TYPES, ...INNER, ...ARGUMENTS_OF_TOOLS])];
const IS_MARK: ReadonlySet<string> = new Set(MARKS_OF_CALLS);

/** A quick check before the slower ones: it runs for every object of every event, and most objects have none of these members. */
function hasMarkOfCall({ members, index }: ObjectNode): boolean {
  if (index !== undefined) return index.named(MARKS_OF_CALLS).length > 0;
  return members.some(({ key: { text } }) => IS_MARK.has(text) || IS_MARK.has(text.toLowerCase()));
}

function holdsMember({ members }: ObjectNode, names: readonly string[]): boolean {
  return members.some(({ key: { text } }) => names.includes(text.toLowerCase()));
}

/** The name of a tool in the type of a message's part, as in Vercel's AI SDK: `tool-run_shell`. */
function typeOfPart(node: ObjectNode): string | undefined {
  const isPart = ['toolCallId', 'state', 'input'].every((key) => memberOf(node, key) !== undefined);
  return isPart ? /^tool-(.+)$/.exec(stringOf(node, 'type') ?? '')?.[1] : undefined;
}

/** Whether an object is an offered tool, which an answer repeats, as in runs of assistants. */
function isOffer(inner: JsonNode): boolean {
  return memberOf(inner, 'parameters') !== undefined && !holdsArguments(inner);
}

/** Whether a node is a list of strings: arguments in pieces, as CopilotKit sends them. */
function isListOfTexts(node: JsonNode): boolean {
  return isArray(node) && node.items.length > 0 && node.items.every(isString);
}

function holdsArguments(node: JsonNode): boolean {
  if (!isObject(node)) return false;
  return (
    membersNamed(node, ['arguments']).some(({ value }) => isString(value) || isObject(value) || isListOfTexts(value)) ||
    membersNamed(node, ['args']).some(({ value }) => isObject(value))
  );
}

/** All inner objects in which a client could look for the name; the node itself if there are none. */
function innersOf(node: ObjectNode): readonly ObjectNode[] {
  const inners = membersNamed(node, INNER).flatMap(({ value }) => (isObject(value) ? [value] : []));
  return inners.length === 0 ? [node] : inners;
}

function nameFromType(node: ObjectNode): string {
  if (isProgram(node)) return RUNS_PROGRAMS;
  return typeOfPart(node) ?? (stringOf(node, 'type') ?? '').replace(/_(?:call|approval_request)$/, '');
}

const NOT_ARGUMENTS: ReadonlySet<string> = new Set([
  'id',
  'type',
  'status',
  'call_id',
  'toolUseId',
  'thoughtSignature',
  'name',
  'index',
  'function',
  'custom',
  'result',
  'results',
  'output',
  'outputs',
]);

/**
 * Arguments under other names: Cohere's `parameters`, the lists of Bedrock's agents, and members of a provider's own call that are
 * neither identifiers nor results, such as `action` or `code`.
 */
function* ownArguments(node: ObjectNode): Steps<JsonValue> {
  const parameters = memberOf(node, 'parameters');
  if (isObject(parameters)) return yield* readingValue(parameters);
  const lists = [parameters, ...bodyParameters(node)].flatMap((each) => (isArray(each) ? [each.items] : []));
  const listed = joinedLists(lists);
  if (listed.length === 0) {
    const own = yield* filtered(node.members, ({ key }) => !NOT_ARGUMENTS.has(key.text));
    return yield* readingValue({ kind: 'object', members: own });
  }
  const named: (readonly [string, JsonValue])[] = [];
  for (const item of listed) {
    named.push([stringOf(item, 'name') ?? '', yield* readingValue(memberOf(item, 'value') ?? null)]);
    if (isStop(named.length)) yield;
  }
  return Object.fromEntries(named);
}

/** `requestBody.content.{media type}.properties` of Bedrock's agents. */
function bodyParameters(node: ObjectNode): (JsonNode | undefined)[] {
  const contents = memberOf(memberOf(node, 'requestBody'), 'content');
  if (!isObject(contents)) return [];
  return contents.members.map(({ value }) => memberOf(value, 'properties') ?? value);
}

export const TOOL_FIELDS: FieldReaders = new Map<string, FieldReader>([
  ['type', plain],
  ['cache_control', plainObject],
  ['name', text],
  ['description', text],
  // Of OpenAI's namespaces, which group tools.
  ['tools', listOf(declaredTool)],
  [
    'function',
    (collector, node, place) =>
      isObject(node) ? collector.fields(node, place, TOOL_FIELDS) : collector.freeform(node, place),
  ],
]);
