import { isObject, stringOf, type JsonNode, type ObjectMember, type ObjectNode } from '../json/json-node.js';
import { OTHER_EVENTS } from '../providers/own/streams.js';
import type { StreamFamily } from '../providers/stream-family.js';
import { familyOf } from '../providers/streams.js';

/** Names of members that contain the texts of answers, or that tell clients which texts they join. */
const DOCUMENTED = [
  ...['choices', 'candidates', 'delta', 'message', 'content', 'parts', 'content_block'],
  ...['item', 'part', 'response', 'output'],
  ...['text', 'refusal', 'reasoning', 'reasoning_content', 'thinking', 'partial_json', 'transcript'],
  ...['type', 'event_type', 'index', 'output_index', 'content_index', 'summary_index', 'command_index', 'item_id'],
  ...['contentBlockIndex', 'finish_reason', 'stop_reason'],
  ...['toolCallId', 'tool_call_id', 'actionExecutionId', 'messageId', 'inputTextDelta'],
];
const SPELLINGS: ReadonlyMap<string, string> = new Map(DOCUMENTED.map((name) => [folded(name), name]));
/** Names that are in lower case already. */
const IN_LOWER_CASE = /^[a-z0-9_.-]*$/;
/** Paths of the objects that contain such members, and no arguments, results or other data of anybody's own format. */
const IN_ANSWER =
  /^(?:(?:^|\.)(?:(?:choices|candidates|output|content|parts|summary)(?:\[\d+\])?|delta|message|content_block|item|part|response))*$/;

/**
 * The first member of an object in an answer whose name is a documented name in other letters, such as `Delta`. Clients in Go read it like the
 * documented name, and join its text with others; clients in other languages do not.
 * @param path the path of the object in its event
 */
export function misspelledMember(path: string, { members }: ObjectNode): ObjectMember | undefined {
  const found = members.find(({ key: { text } }) => documentedName(text) !== undefined);
  return found !== undefined && IN_ANSWER.test(path) ? found : undefined;
}

/** Whether an event belongs to a documented family, at least for clients that read names in any case. */
export function isDocumentedInAnyCase(family: StreamFamily, eventName: string, root: JsonNode): boolean {
  if (family !== OTHER_EVENTS) return true;
  if (!isObject(root) || misspelledMember('', root) === undefined) return false;
  const members = root.members.map((member) => {
    const text = documentedName(member.key.text);
    return text === undefined ? member : { ...member, key: { ...member.key, text } };
  });
  const read: ObjectNode = { kind: 'object', members };
  return familyOf(stringOf(read, 'type') ?? eventName, read) !== OTHER_EVENTS;
}

/** The documented name that a name in other letters stands for. */
function documentedName(name: string): string | undefined {
  const documented = SPELLINGS.get(IN_LOWER_CASE.test(name) ? name : folded(name));
  return documented === name ? undefined : documented;
}

/** A name as clients in Go compare it: the case is ignored, and `ſ` and the sign of Kelvin are letters like `s` and `k`. */
function folded(name: string): string {
  return name.toUpperCase().toLowerCase();
}
