/** Reads and guards streamed answers as they arrive. Start with README.md, which contains the invariant and a diagram. */
import { PLAIN_FIELDS } from '../call/scalar-readers.js';
import { isArray, isObject, isString, type JsonNode, type ObjectMember, type ObjectNode } from '../json/json-node.js';

/** Names of identifiers and roles. Written twice with the same value, they have one meaning. */
const PLAIN: ReadonlySet<string> = new Set(PLAIN_FIELDS.map(([name]) => name));
/** Names of the numbers by which clients find the text that an event continues. */
const INDICES: ReadonlySet<string> = new Set([
  'index',
  'output_index',
  'content_index',
  'summary_index',
  'command_index',
  'contentBlockIndex',
]);

/**
 * The second of two members of an event's object that have the same name, and of which at least one may contain a text, or which are
 * different indices; undefined if there is none. Parsers differ in which of them they read, and clients join that one with the texts of other
 * events, also if it is empty. So such an object has several readings, of which each event may double the number.
 */
export function ambiguousMember({ members }: ObjectNode): ObjectMember | undefined {
  if (members.length < 2) return undefined;
  const known = new Map<string, JsonNode>();
  for (const member of members) {
    const { key, value } = member;
    const before = known.get(key.text);
    if (before === undefined) known.set(key.text, value);
    else if (INDICES.has(key.text) && before !== value) return member;
    else if ((mayHoldText(before) || mayHoldText(value)) && !(PLAIN.has(key.text) && isSame(before, value)))
      return member;
  }
  return undefined;
}

function mayHoldText(value: JsonNode): boolean {
  if (isString(value)) return value.text !== '';
  if (isArray(value)) return value.items.length > 0;
  return isObject(value) ? value.members.length > 0 : typeof value === 'object' && value !== null;
}

function isSame(one: JsonNode, other: JsonNode): boolean {
  return isString(one) && isString(other) && one.text === other.text;
}
