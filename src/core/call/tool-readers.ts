import { isObject, memberOf, stringOf, toValue, type JsonNode, type ObjectNode } from '../json/json-node.js';
import type { JsonValue } from './call.js';
import type { CallCollector, FieldReader, FieldReaders, Place } from './call-collector.js';
import { plain, plainObject, text } from './scalar-readers.js';

/**
 * A tool call of any shape: `{id, function: {name, arguments}}` (chat), `{name, arguments}` (function_call items and
 * the old `function_call`), `{name, input}` (Anthropic, custom tools), or a provider's own call such as
 * `local_shell_call`, whose name is then its type.
 * @param readers for the fields beside name and arguments
 */
export function readCall(collector: CallCollector, node: JsonNode, place: Place, readers: FieldReaders): void {
  const at: Place = { ...place, role: 'tool_call' };
  if (!isObject(node)) return collector.freeform(node, at);
  const args: (JsonValue | undefined)[] = [];
  const readArgs: FieldReader = (_, value, argsPlace) => {
    args.push(collector.toolArguments(value, argsPlace));
  };
  const withArgs: FieldReaders = new Map([...readers, ['arguments', readArgs], ['input', readArgs]]);
  const readInner: FieldReader = (_, value, innerPlace) => {
    if (isObject(value)) collector.fields(value, innerPlace, withArgs);
    else collector.freeform(value, innerPlace);
  };
  const segments = collector.gather(() =>
    collector.fields(node, at, new Map([...withArgs, ['function', readInner], ['custom', readInner]])),
  );
  const id = stringOf(node, 'call_id') ?? stringOf(node, 'id');
  collector.addToolCall({
    ...(id === undefined ? {} : { id }),
    name: stringOf(innerOf(node), 'name') ?? nameFromType(node),
    args: args.length === 0 ? ownArguments(node) : args.at(-1),
    path: place.path,
    segments,
  });
}

/** What a tool answered: a message of role `tool`, a `tool_result` block, a `…_call_output` item. */
export function readResult(collector: CallCollector, node: ObjectNode, place: Place, readers: FieldReaders): void {
  const at: Place = { ...place, role: 'tool_result' };
  const segments = collector.gather(() => collector.fields(node, at, readers));
  const callId = stringOf(node, 'tool_call_id') ?? stringOf(node, 'tool_use_id') ?? stringOf(node, 'call_id');
  const call = callId === undefined ? undefined : collector.pastToolCalls.find(({ id }) => id === callId);
  const name = stringOf(node, 'name') ?? call?.name;
  collector.pastToolResults.push({
    ...(callId === undefined ? {} : { callId }),
    ...(name === undefined ? {} : { name }),
    path: place.path,
    segments,
  });
}

/** A tool that a request offers: every name, description and schema in it is text that the model reads. */
export const declaredTool: FieldReader = (collector, node, place) => {
  const at: Place = { ...place, role: 'tool_declaration' };
  if (!isObject(node)) return collector.freeform(node, at);
  collector.fields(node, at, TOOL_FIELDS);
  const inner = innerOf(node);
  const name = stringOf(inner, 'name') ?? stringOf(node, 'type');
  if (name === undefined) return;
  const schema = memberOf(inner, 'parameters') ?? memberOf(inner, 'input_schema');
  collector.declaredTools.push({
    name,
    path: place.path,
    ...(isObject(schema) ? { schema: toValue(schema) } : {}),
  });
};

/** Whether a part without a telling type is a call after all: `{function: {name, …}}`, as in chat's `tool_calls`. */
export function holdsCall(node: ObjectNode): boolean {
  const inner = innerOf(node);
  return inner !== node && stringOf(inner, 'name') !== undefined;
}

function innerOf(node: ObjectNode): JsonNode {
  for (const key of ['function', 'custom']) {
    const inner = memberOf(node, key);
    if (isObject(inner)) return inner;
  }
  return node;
}

function nameFromType(node: ObjectNode): string {
  return (stringOf(node, 'type') ?? '').replace(/_(?:call|approval_request)$/, '');
}

const NOT_ARGUMENTS: ReadonlySet<string> = new Set([
  'id',
  'type',
  'status',
  'call_id',
  'name',
  'index',
  'function',
  'custom',
  'result',
  'results',
  'output',
  'outputs',
]);

/** Arguments of a provider's own call, such as `action` or `code`: what is neither an identifier nor a result. */
function ownArguments(node: ObjectNode): JsonValue {
  return toValue({ kind: 'object', members: node.members.filter(({ key }) => !NOT_ARGUMENTS.has(key.text)) });
}

export const TOOL_FIELDS: FieldReaders = new Map<string, FieldReader>([
  ['type', plain],
  ['cache_control', plainObject],
  ['name', text],
  ['description', text],
  [
    'function',
    (collector, node, place) => {
      if (isObject(node)) collector.fields(node, place, TOOL_FIELDS);
      else collector.freeform(node, place);
    },
  ],
]);
