import { parseJson } from '../json/json-document.js';
import { JsonSyntaxError } from '../json/json-parser.js';
import type { JsonValue, ToolCall } from '../model/call.js';

/** Lists of calls in arguments: of OpenAI's `multi_tool_use.parallel`, and of the batch tool of Anthropic's cookbook. */
const LISTS: ReadonlySet<string> = new Set(['tooluses', 'invocations']);
const RECIPIENT = 'recipientname';
const NAMES: readonly string[] = [RECIPIENT, 'toolname', 'name'];
const ARGUMENTS: readonly string[] = ['parameters', 'arguments', 'args', 'input'];

type Members = ReadonlyMap<string, JsonValue>;

/**
 * A tool call and the calls that its arguments are made of: models write several calls as one, `multi_tool_use.parallel`
 * with `{tool_uses: [{recipient_name, parameters}]}`, and clients run each of them. Whatever the call around them is named.
 */
export function* withCallsWithin(call: ToolCall): Generator<ToolCall, void> {
  yield call;
  for (const [key, value] of membersOf(call.args)) {
    const list = LISTS.has(key) ? valueOf(value) : undefined;
    for (const item of Array.isArray(list) ? (list as readonly JsonValue[]) : []) {
      const inner = callOf(valueOf(item));
      if (inner !== undefined) yield* withCallsWithin({ ...call, ...inner });
    }
  }
}

function callOf(item: JsonValue | undefined): Pick<ToolCall, 'name' | 'args'> | undefined {
  const members = membersOf(item);
  const names = NAMES.filter((key) => typeof members.get(key) === 'string');
  const given = ARGUMENTS.find((key) => members.has(key));
  const [key] = names;
  if (key === undefined || (given === undefined && key !== RECIPIENT)) return undefined;
  return { name: members.get(key) as string, args: given === undefined ? {} : valueOf(members.get(given)!) };
}

/** By their names without case and underscores. */
function membersOf(value: JsonValue | undefined): Members {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return new Map();
  return new Map(Object.entries(value).map(([key, own]) => [key.toLowerCase().replaceAll('_', ''), own]));
}

/** A value, or what it holds as JSON in a string; undefined for a string that holds none. */
function valueOf(value: JsonValue): JsonValue | undefined {
  if (typeof value !== 'string') return value;
  try {
    return parseJson(value).value;
  } catch (error) {
    if (error instanceof JsonSyntaxError) return undefined;
    throw error;
  }
}
