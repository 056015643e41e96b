/** Earlier turns of a conversation, and the steps of a session. Blocked turns are removed or replaced here. */
import type { JsonDocument } from '../json/json-document.js';
import { isArray, isObject, memberOf, stringOf, type JsonNode } from '../json/json-node.js';
import { PROVIDERS } from '../providers/providers.js';
import type { TextEdit } from '../text/edit.js';

/** The turns of a conversation: where each starts, and how turns are removed from a request. Nothing is judged here. */

/** For each name of the list that a provider uses, a test of whether an item is a user's message. */
const LISTS: Readonly<Record<string, (item: JsonNode) => boolean>> = Object.fromEntries(
  Object.values(PROVIDERS).flatMap(({ conversations }) => Object.entries(conversations)),
);

/** The messages (or items) of a request, in order. */
export interface Conversation {
  /** The key of the list, with which paths of its texts begin, as in `messages[0]`. */
  readonly list: string;
  readonly items: readonly ConversationItem[];
}

export interface ConversationItem {
  readonly role?: string;
  /** True for a user's message, which starts a turn; the turn extends to the next user's message. */
  readonly startsTurn: boolean;
}

/**
 * The conversation of a request of any provider (`messages`, `input`, `contents`), or of an `ai.request` event.
 * @returns undefined for a request without a conversation: a prompt, embeddings
 */
export function conversationOf(doc: JsonDocument): Conversation | undefined {
  const found = listOf(doc);
  return found && { list: found.list, items: found.items.map((item) => itemOf(item, LISTS[found.list]!)) };
}

/**
 * Edits that remove items from the conversation in the document's text, each with the comma and white space after it. All other
 * characters are kept.
 * @param dropped indices of items; the last item cannot be removed
 */
export function removalsOf(doc: JsonDocument, dropped: readonly number[]): TextEdit[] {
  const found = listOf(doc);
  if (found === undefined) return [];
  const starts = itemStarts(doc.text, found.start);
  return [...dropped]
    .sort((a, b) => a - b)
    .map((item) => {
      const [start, end] = [starts[item], starts[item + 1]];
      if (start === undefined || end === undefined)
        throw new RangeError('only items before the last one can be removed');
      return { start, end, replacement: '' };
    });
}

/** Event bodies hold the call under `payload`; no provider's request has a list there. */
function listOf(
  doc: JsonDocument,
): { readonly list: Conversation['list']; readonly items: readonly JsonNode[]; readonly start: number } | undefined {
  for (const root of [doc.root, memberOf(doc.root, 'payload')]) {
    for (const list of Object.keys(LISTS)) {
      const members = isObject(root) ? root.members.filter(({ key }) => key.text === list) : [];
      const [member] = members;
      // With a repeated key it is undefined which list a reader uses.
      if (members.length === 1 && isArray(member?.value))
        return { list, items: member.value.items, start: member.start };
    }
  }
  return undefined;
}

function itemOf(node: JsonNode, startsTurn: (item: JsonNode) => boolean): ConversationItem {
  const role = stringOf(node, 'role');
  return { ...(role === undefined ? {} : { role }), startsTurn: startsTurn(node) };
}

/** The offsets at which the items of a list start. The text is valid JSON, and `open` is the offset of the list's bracket. */
function itemStarts(text: string, open: number): number[] {
  const starts: number[] = [];
  let depth = 0;
  let expectsItem = false;
  for (let at = open; at < text.length; at++) {
    const char = text[at]!;
    if (depth === 1 && expectsItem && !/[ \t\r\n\]]/.test(char)) {
      starts.push(at);
      expectsItem = false;
    }
    if (char === '"') at = endOfString(text, at);
    else if (char === '[' || char === '{') {
      depth++;
      if (depth === 1) expectsItem = true;
    } else if (char === ']' || char === '}') {
      depth--;
      if (depth === 0) return starts;
    } else if (char === ',' && depth === 1) expectsItem = true;
  }
  return starts;
}

function endOfString(text: string, quote: number): number {
  let at = quote + 1;
  while (text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at;
}
