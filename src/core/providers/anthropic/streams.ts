import {
  PLAIN_EVENTS,
  scopeIds,
  scopePlace,
  TOLD_ONCE,
  UNKNOWN_TEXTS,
  type StreamFamily,
  type TextRules,
} from '../stream-family.js';

const OF_BLOCKS: TextRules = {
  continuing: /^(?:content_block|delta)\.(?:text|thinking|content|partial_json)$/,
  open: /^(?:content_block|delta)\.[^.[{]+$/,
};
const isOfBlock = (type: string): boolean => type.startsWith('content_block_');

/** Messages, block by block: https://docs.anthropic.com/en/docs/build-with-claude/streaming */
const MESSAGE_EVENTS: StreamFamily = {
  ...PLAIN_EVENTS,
  name: 'messages',
  claims: (type) => /^(?:content_block|message)[._]/.test(type),
  scopeOf: (event) => {
    const { type, root } = event;
    if (!isOfBlock(type)) return PLAIN_EVENTS.scopeOf(event);
    // A block's text begins in `content_block_start` and continues in `content_block_delta`.
    return { key: JSON.stringify(['content_block', ...scopeIds(root).slice(1)]), type, ...scopePlace(root) };
  },
  textsOf: (type) => {
    if (isOfBlock(type)) return OF_BLOCKS;
    return /^message_(?:start|delta|stop)$/.test(type) ? TOLD_ONCE : UNKNOWN_TEXTS;
  },
  answerPath: (scope, path) => {
    if (!isOfBlock(scope.type) || scope.index === undefined) return PLAIN_EVENTS.answerPath(scope, path);
    const inBlock = path.replace(/^(?:delta|content_block)\b/, '').replace('.partial_json', '.input');
    return `content[${scope.index}]${inBlock}`;
  },
  placeKey: ({ key, type }, path, own) => `${key}\n${isOfBlock(type) ? path : own}`,
  answerMembers: ['message'],
  endedBy: (type, _, root) => {
    if (root === undefined) return undefined;
    if (type === 'message_delta' || type === 'message_stop') return 'all';
    return type === 'content_block_stop' ? 'block' : undefined;
  },
  blockOf: (type) => (isOfBlock(type) ? 'content_block' : undefined),
  begins: (type) => type === 'content_block_start' || PLAIN_EVENTS.begins(type),
  continuesCall: (type, key) =>
    type === 'content_block_delta' ? key === 'partial_json' : PLAIN_EVENTS.continuesCall(type, key),
  callPath: (scope, path) =>
    isOfBlock(scope.type) && scope.index !== undefined ? `content[${scope.index}]` : PLAIN_EVENTS.callPath(scope, path),
  callPlace: /^content\[\d+\]/,
};

export const ANTHROPIC_STREAMS: readonly StreamFamily[] = [MESSAGE_EVENTS];
