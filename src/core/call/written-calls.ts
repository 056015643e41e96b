import { parsingJson, type JsonDocument } from '../json/json-document.js';
import { isArray, isObject, isString, membersNamed, type ObjectNode, type TextNode } from '../json/json-node.js';
import { JsonSyntaxError } from '../json/json-parser.js';
import type { ToolCall } from '../model/call.js';
import { append, type Steps } from '../steps/steps.js';
import {
  CallCollector,
  type ArgumentsOrigin,
  type FieldReader,
  type Place,
  type RemainingSteps,
} from './call-collector.js';
import { isCall, isNamedCall } from './tool-readers.js';

/** A tool call in a text, without the calls within it; with each of its names it is a separate call. */
type WrittenCall = Pick<ToolCall, 'id' | 'args'> & { readonly names: readonly string[] };

/** Half-open range of an object in a text. */
interface ObjectRange {
  readonly start: number;
  readonly end: number;
}

/**
 * The name of a call in front of its arguments, as models write it: `<function=NAME>{…}</function>`, `<invoke name="NAME">`,
 * `<|tool_call_begin|>functions.NAME:0`, `to=functions.NAME`. Models often leave out the bracket after the name.
 */
const NAMED =
  /(?:<function=|<invoke\s{1,4}name=|<\|tool_call_begin\|>|\bto=(?=functions\.))\s{0,4}["']?([^\s"'<>(){}|:]{1,200})["']?[>(]?\s{0,8}/g;
/** The name of a call, and the member for its arguments, in JSON that cannot be parsed. */
const NAME_IN_JSON = /"(?:name|tool|tool_name|function|function_name)"\s{0,8}:\s{0,8}"([^"\\\n]{1,200})"/g;
const ARGUMENTS_IN_JSON = /"(?:arguments|parameters|args|input)"\s{0,8}:/;
/** Members that only a call has next to a name. */
const ARGUMENTS = ['arguments', 'parameters', 'args', 'input'];
/** The number of characters that are searched within a few milliseconds. */
const UNITS_AT_ONCE = 65_536;

/**
 * Returns a reader of a text that a model wrote and its provider refused because of the tool calls in it. Agents parse these calls, so they
 * are read as tool calls, in the forms in which models write them: JSON of one call or of several, `<function=NAME>{…}</function>`,
 * `<tool_call>{…}</tool_call>`, and other text around them.
 * @param readInner reads an object that is a call or contains calls
 */
export function writtenAnswer(readInner: FieldReader): FieldReader {
  return (collector, node, place) => {
    const at: Place = { ...place, role: 'assistant' };
    if (isString(node)) return collector.begun(readText(collector, node, at, readInner));
    return valueReader(readInner)(collector, node, { path: at.path, role: at.role });
  };
}

function valueReader(readInner: FieldReader): FieldReader {
  const read: FieldReader = (collector, node, place) => {
    if (isArray(node)) return collector.items(node, place, read);
    return isObject(node) && isWrittenCall(node) ? readInner(collector, node, place) : collector.other(node, place);
  };
  return read;
}

function* readText(collector: CallCollector, node: TextNode, at: Place, readInner: FieldReader): Steps<void> {
  const json = yield* collector.nestedJson(node);
  if (json !== undefined) {
    // Without the key, which would lead back to this reader.
    yield* collector.rest(valueReader(readInner)(collector, json, { path: at.path, role: at.role }));
    return;
  }
  const calls = collector.calls === 'new' ? yield* findingCalls(node.text, readInner) : [];
  const place: Place = calls.length === 0 ? at : { ...at, role: 'tool_call' };
  const segments = yield* collector.gather((): RemainingSteps => collector.freeform(node, place));
  for (const { names, ...call } of calls)
    yield* collector.addingToolCall({ ...call, name: names[0] ?? '', path: at.path, segments }, 'member', names);
}

/** Whether an object is a call. Unlike elsewhere, `parameters` are arguments: no model offers tools. */
function isWrittenCall(node: ObjectNode): boolean {
  return isCall(node) || (isNamedCall(node) && membersNamed(node, ARGUMENTS).length > 0);
}

/** Finds the calls in a text, in steps. @throws JsonSyntaxError for JSON over a limit, because another reader may accept it */
function* findingCalls(text: string, readInner: FieldReader): Steps<WrittenCall[]> {
  const { ranges, isOpen } = yield* findingObjects(text);
  const named = [...text.matchAll(NAMED)].map(({ index, 0: mark, 1: name = '' }) => {
    return { name, at: index + mark.length };
  });
  const starts = new Set(named.map(({ at }) => at));
  const calls: WrittenCall[] = [];
  const objects = new Map<number, JsonDocument>();
  const others: string[] = [];
  let before = 0;
  for (const { start, end } of ranges) {
    const doc = yield* parsingOrNot(text.slice(start, end));
    if (doc === undefined) continue;
    objects.set(start, doc);
    others.push(text.slice(before, start));
    before = end;
    if (!starts.has(start)) append(calls, yield* callsIn(doc, readInner));
    yield;
  }
  for (const { name, at } of named) {
    const args = objects.get(at);
    calls.push({ names: [name], args: args === undefined ? undefined : yield* args.readingWhole() });
  }
  const isBroken = isOpen || objects.size < ranges.length;
  if (isBroken) append(calls, brokenCalls([...others, text.slice(before)].join('\n')));
  return calls;
}

/** The calls in JSON that cannot be parsed: their names. */
function brokenCalls(text: string): WrittenCall[] {
  if (!ARGUMENTS_IN_JSON.test(text)) return [];
  return [...text.matchAll(NAME_IN_JSON)].map(([, name = '']) => ({ names: [name], args: undefined }));
}

/** Collects calls only: the reader of the whole answer adds the calls within them. */
class WrittenCalls extends CallCollector {
  readonly written: WrittenCall[] = [];

  override *addingToolCall(
    { id, name, args }: ToolCall,
    _origin?: ArgumentsOrigin,
    names: readonly string[] = [name],
  ): Steps<void> {
    this.written.push({ ...(id === undefined ? {} : { id }), names, args });
    yield;
  }
}

function* callsIn(doc: JsonDocument, readInner: FieldReader): Steps<readonly WrittenCall[]> {
  const { root } = doc;
  if (!isObject(root) || (isNamedCall(root) && !isWrittenCall(root))) return [];
  const collector = new WrittenCalls(doc, 'new');
  yield* collector.reading(readInner(collector, root, { path: '$', role: 'tool_call' }));
  return collector.written;
}

/** Finds the largest ranges between two matching braces, each character once. `isOpen`: a brace has no end. */
function* findingObjects(text: string): Steps<{ readonly ranges: readonly ObjectRange[]; readonly isOpen: boolean }> {
  const open: number[] = [];
  const ranges: ObjectRange[] = [];
  let isInString = false;
  for (let at = 0, stop = UNITS_AT_ONCE; at < text.length; at++) {
    if (at >= stop) {
      stop = at + UNITS_AT_ONCE;
      yield;
    }
    const char = text[at];
    if (isInString) {
      if (char === '\\') at++;
      // No string of JSON continues in the next line.
      else isInString = char !== '"' && char !== '\n';
    } else if (char === '"') isInString = open.length > 0;
    else if (char === '{') open.push(at);
    else if (char === '}') {
      const start = open.pop();
      if (start === undefined) continue;
      while ((ranges.at(-1)?.start ?? -1) > start) ranges.pop();
      ranges.push({ start, end: at + 1 });
    }
  }
  return { ranges, isOpen: open.length > 0 };
}

function* parsingOrNot(text: string): Steps<JsonDocument | undefined> {
  try {
    return yield* parsingJson(text, { nonFinite: true });
  } catch (error) {
    if (error instanceof JsonSyntaxError && !error.overLimit) return undefined;
    throw error;
  }
}
