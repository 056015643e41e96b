import { indexIn, isObject, memberOf, stringOf, type JsonNode } from '../../json/json-node.js';
import {
  COMPLETE_TEXTS,
  namingOf,
  PLAIN_EVENTS,
  scopeIds,
  writingOf,
  type StreamFamily,
  type TextRules,
} from '../stream-family.js';

const OF_BLOCKS: TextRules = {
  continuing: /^(?:content_block|delta)\.(?:text|thinking|content|partial_json)$/,
  open: /^(?:content_block\.[^.[{]+$|delta\.(?!citation\b))/,
};
const isOfBlock = (type: string): boolean => type.startsWith('content_block_');

/** Whether an event has a documented type, and the members that are documented for it. */
function isMessageEvent(type: string, root: JsonNode | undefined): boolean {
  switch (type) {
    case 'message_start':
      return root === undefined || isObject(memberOf(root, 'message'));
    case 'message_delta':
      return root === undefined || stringOf(memberOf(root, 'delta'), 'stop_reason') !== undefined;
    case 'content_block_start':
      return root === undefined || isObject(memberOf(root, 'content_block'));
    case 'content_block_delta':
      return root === undefined || isObject(memberOf(root, 'delta'));
    default:
      return type === 'message_stop' || type === 'content_block_stop';
  }
}

/** Messages, block by block: https://docs.anthropic.com/en/docs/build-with-claude/streaming */
const MESSAGE_EVENTS: StreamFamily = {
  ...PLAIN_EVENTS,
  name: 'messages',
  claims: isMessageEvent,
  scopeOf: (event) => {
    const { type, root } = event;
    if (!isOfBlock(type)) return PLAIN_EVENTS.scopeOf(event);
    // A block's text begins in `content_block_start` and continues in `content_block_delta`. Clients find the block by its index alone.
    const index = indexIn(root, 'index');
    const id = index ?? stringOf(root, 'index') ?? '';
    return { key: JSON.stringify(['content_block', id]), type, ...(index === undefined ? {} : { index }) };
  },
  fixedIn: (event, { key }) => {
    if (!isOfBlock(event.type)) return [];
    // A client of another vendor could find the block by its index and these members.
    const others = JSON.stringify(scopeIds(event.root).slice(2));
    return [namingOf('messages', event), writingOf('messages', [event.root], ['index']), [key, others]];
  },
  textsOf: (type) => (isOfBlock(type) ? OF_BLOCKS : COMPLETE_TEXTS),
  answerPath: (scope, path) => {
    if (!isOfBlock(scope.type) || scope.index === undefined) return PLAIN_EVENTS.answerPath(scope, path);
    const inBlock = path.replace(/^(?:delta|content_block)\b/, '').replace('.partial_json', '.input');
    return `content[${scope.index}]${inBlock}`;
  },
  placeKey: ({ key, type }, path, own) => `${key}\n${isOfBlock(type) ? path : own}`,
  answerMembers: ['message'],
  endedBy: (type, _, root) => {
    if (root === undefined) return undefined;
    if (type === 'message_stop' || (type === 'message_delta' && isMessageEvent(type, root))) return 'all';
    return type === 'content_block_stop' ? 'block' : undefined;
  },
  blockOf: (type) => (isOfBlock(type) ? 'content_block' : undefined),
  begins: (type) => type === 'content_block_start' || PLAIN_EVENTS.begins(type),
  restarts: (type) => (type === 'content_block_start' ? 'block' : type === 'message_start' ? 'all' : undefined),
  continuesCall: (type, key) =>
    type === 'content_block_delta' ? key === 'partial_json' : PLAIN_EVENTS.continuesCall(type, key),
  callPath: (scope, path) =>
    isOfBlock(scope.type) && scope.index !== undefined ? `content[${scope.index}]` : PLAIN_EVENTS.callPath(scope, path),
  callPlace: /^content\[\d+\]/,
};

export const ANTHROPIC_STREAMS: readonly StreamFamily[] = [MESSAGE_EVENTS];
