import { isArray, isObject, isString, memberOf, stringOf, type ObjectNode, type TextNode } from '../json/json-node.js';
import type { Steps } from '../steps/steps.js';
import { CALL_MEMBERS, callMember, content } from './block-readers.js';
import type { CallCollector, FieldReader, FieldReaders, RemainingSteps, Place } from './call-collector.js';
import { ANSWER_FIELDS, holdsAnswers } from './root-readers.js';
import { PLAIN_FIELDS } from './scalar-readers.js';
import { withTokenTexts } from './token-texts.js';
import { isCall } from './tool-readers.js';

/** Members of an answer that repeat its request: offered tools and sample calls in them are not calls. */
const REPEATED: ReadonlySet<string> = new Set([
  'tools',
  'functions',
  'parameters',
  'input_schema',
  'schema',
  'json_schema',
  'metadata',
  'instructions',
  'prompt',
  'system_instruction',
  'systemInstruction',
  'system_instructions',
]);
/** Matches JSON in a string in which a client could find a tool call; escapes may hide the names. */
const MAY_HOLD_CALLS =
  /^[ \t\r\n]*[[{][^]*(?:"(?:tool|function|call|name|args|arguments|input|executable|action|code|api)|\\u)/i;
const INNER_FIELDS: FieldReaders = new Map<string, FieldReader>([...PLAIN_FIELDS, ...CALL_MEMBERS]);

/**
 * Reads fields of an answer that no table names, by their shape, at any position. This finds tool calls in batch results, in runs and
 * their steps, in lists of stored answers, and in any other wrapper of an answer. Every string is still read as text.
 */
export const unnamed: FieldReader = (collector, node, place) => {
  if (isArray(node)) return collector.items(node, place, unnamed);
  const byName = callMember(place.key ?? '');
  if ((isObject(node) || isString(node)) && byName !== undefined) return byName(collector, node, place);
  if (REPEATED.has(place.key ?? '')) return collector.freeform(node, place);
  if (isString(node) && MAY_HOLD_CALLS.test(node.text)) return collector.begun(readJsonText(collector, node, place));
  if (!isObject(node)) return collector.freeform(node, place);
  if (isCall(node) || isMessage(node)) return content(collector, node, place);
  return readObject(collector, node, place);
};

/** Reads an answer as JSON in a string, the way some gateways forward bodies without parsing them. */
function* readJsonText(collector: CallCollector, node: TextNode, place: Place): Steps<void> {
  const inner = yield* collector.nestedJson(node);
  yield* collector.rest(
    inner === undefined
      ? collector.freeform(node, place)
      : unnamed(collector, inner, { path: place.path, role: place.role }),
  );
}

function readObject(collector: CallCollector, node: ObjectNode, place: Place): RemainingSteps {
  if (!holdsAnswers(node))
    return withTokenTexts(collector, node, place, ['logprobs'], () => collector.fields(node, place, INNER_FIELDS));
  const at: Place = { ...place, role: 'assistant' };
  return withTokenTexts(collector, node, at, ['logprobs'], () => collector.fields(node, at, ANSWER_FIELDS));
}

function isMessage(node: ObjectNode): boolean {
  if (stringOf(node, 'role') === undefined) return false;
  return ['content', 'parts', 'tool_calls'].some((key) => memberOf(node, key) !== undefined);
}
