import { JsonSyntaxError } from '../json/json-parser.js';
import { parsingJson } from '../json/json-document.js';
import type { JsonValue, ToolCall } from '../model/call.js';
import { filtered, isStop, mapped, type Steps } from '../steps/steps.js';
import { allCallReadings } from './call-readings.js';

/**
 * Names of lists of calls in arguments: in OpenAI's `multi_tool_use.parallel`, and in the batch tools of Anthropic's cookbook and of
 * OpenCode.
 */
const LISTS: ReadonlySet<string> = new Set(['tooluses', 'invocations', 'toolcalls']);
const RECIPIENT = 'recipientname';
/** The name of a server's tool in the arguments of a dispatching tool, such as Cline's `use_mcp_tool`. */
const TOOL_NAME = 'toolname';
/** The server of such a tool. Beside it, the name of a tool is a call even without arguments. */
const SERVERS: ReadonlySet<string> = new Set([
  'servername',
  'server',
  'serverid',
  'serverlabel',
  'mcpserver',
  'mcpservername',
]);
const NAMES: ReadonlySet<string> = new Set([RECIPIENT, TOOL_NAME, 'name', 'tool']);
const ARGUMENTS: ReadonlySet<string> = new Set(['parameters', 'arguments', 'args', 'input']);

/** Matches a text that may be a list or an object in JSON. */
const BEGINS_JSON = /^\s*[[{]/;

/**
 * Whether a string in the arguments of a tool call, or its beginning, may be JSON of calls within the call, or of the arguments of one.
 * @param key the nearest object key
 */
export function mayBeCallsWithin(text: string, key: string | undefined): boolean {
  if (key === undefined || !BEGINS_JSON.test(text)) return false;
  const name = bareName(key);
  return LISTS.has(name) || ARGUMENTS.has(name);
}

type Member = readonly [name: string, value: JsonValue];

/**
 * Returns a tool call and the calls in its arguments, in steps: models write several calls as one, `multi_tool_use.parallel` with
 * `{tool_uses: [{recipient_name, parameters}]}`, and clients run each of them. The outer call may have any name. A call that is written in
 * several ways at once is returned in each form, because clients differ in which one they read.
 * @param names all names of the outer call
 */
export function* readingCallsWithin(call: ToolCall, names: readonly string[] = [call.name]): Steps<ToolCall[]> {
  const calls: ToolCall[] = [];
  yield* collectNamed(call, names, calls);
  return calls;
}

/** Collects a call under each of its names, and once the calls in its arguments, because they do not depend on its name. */
function* collectNamed(call: ToolCall, names: readonly string[], into: ToolCall[]): Steps<void> {
  for (const [index, name] of names.entries()) {
    into.push({ ...call, name });
    if (isStop(index)) yield;
  }
  const members = yield* membersOf(call.args);
  if (members.some(([name]) => name === TOOL_NAME)) yield* collectItem(call, members, into);
  for (const [name, value] of members) {
    const list = LISTS.has(name) ? yield* readingJsonIn(value) : undefined;
    if (!Array.isArray(list)) continue;
    for (const [index, item] of (list as readonly JsonValue[]).entries()) {
      yield* collectItem(call, yield* membersOf(yield* readingJsonIn(item)), into);
      if (isStop(index)) yield;
    }
  }
}

/** @param members the members of an object that may be a call */
function* collectItem(call: ToolCall, members: readonly Member[], into: ToolCall[]): Steps<void> {
  const named = yield* filtered(members, ([name, value]) => NAMES.has(name) && typeof value === 'string');
  if (named.length === 0) return;
  const names = [...new Set(named.map(([, value]) => value as string))];
  const given: (JsonValue | undefined)[] = [];
  for (const [index, [name, value]] of members.entries()) {
    if (ARGUMENTS.has(name)) given.push(yield* readingJsonIn(value));
    if (isStop(index)) yield;
  }
  if (given.length === 0 && callsByName(named, members)) given.push({});
  for (const [index, { args, names: own }] of allCallReadings(names, given).entries()) {
    yield* collectNamed({ ...call, args }, own, into);
    if (isStop(index)) yield;
  }
}

/** Whether these names are a call without arguments: the name of a recipient, or of a tool beside that of its server. */
function callsByName(named: readonly Member[], members: readonly Member[]): boolean {
  const has = (wanted: string): boolean => named.some(([name]) => name === wanted);
  return has(RECIPIENT) || (has(TOOL_NAME) && members.some(([name]) => SERVERS.has(name)));
}

/** The members, with names in lower case without underscores; different spellings of a name are all included. */
function* membersOf(value: JsonValue | undefined): Steps<readonly Member[]> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [];
  return yield* mapped(Object.entries(value), ([key, own]): Member => [bareName(key), own]);
}

function bareName(key: string): string {
  return key.toLowerCase().replaceAll('_', '');
}

/** Returns the value itself or, for a string that contains JSON, the parsed value; undefined for any other string. */
function* readingJsonIn(value: JsonValue): Steps<JsonValue | undefined> {
  if (typeof value !== 'string') return value;
  try {
    return yield* (yield* parsingJson(value, { nonFinite: true })).readingWhole();
  } catch (error) {
    if (error instanceof JsonSyntaxError) return undefined;
    throw error;
  }
}
