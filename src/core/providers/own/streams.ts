import { indexIn, memberOf, stringOf, type JsonNode } from '../../json/json-node.js';
import { PLAIN_EVENTS, COMPLETE_TEXTS, UNKNOWN_TEXTS, type StreamFamily } from '../stream-family.js';

/**
 * Events that contain the name of a tool call and a piece of its arguments, as in Mistral's conversations:
 * https://docs.mistral.ai/agents/function_calling
 */
export const CALL_DELTAS: StreamFamily = {
  ...PLAIN_EVENTS,
  name: 'pieces of calls',
  claims: (type) => /call\.delta$/.test(type),
  scopeOf: (event) => {
    const scope = PLAIN_EVENTS.scopeOf(event);
    const ids = ['tool_call_id', 'id'].map((key) => stringOf(event.root, key) ?? '');
    return { ...scope, key: JSON.stringify([scope.key, ...ids]) };
  },
  textsOf: () => ({ continuing: /^arguments$/, open: /(?:)/ }),
  isPieceOfCall: () => true,
};

const AGENT_CALL =
  /^(?:TOOL_CALL_(?:START|ARGS|CHUNK|END)|ActionExecution(?:Start|Args|End)|tool-input-(?:start|delta|end))$/;
const WHOLE_AGENT_CALL = /^tool-input-(?:available|error)$/;
const END_OF_AGENT_CALL = /^(?:TOOL_CALL_END|ActionExecutionEnd|tool-input-(?:end|available|error))$/;
/** Parts of the AI SDK have only `id`, its messages `toolCallId`. */
const IDS_OF_AGENT_CALLS = ['toolCallId', 'tool_call_id', 'actionExecutionId', 'id'];
const ID_OF_AGENT_CALL = new RegExp(`^(?:${IDS_OF_AGENT_CALLS.join('|')})$`);

/**
 * Tool calls of agents, whose name and arguments are in separate events with the id of the call: CopilotKit, AG-UI
 * (https://docs.ag-ui.com/concepts/events) and the AI SDK (https://ai-sdk.dev/docs/ai-sdk-ui/stream-protocol)
 */
export const AGENT_CALLS: StreamFamily = {
  ...PLAIN_EVENTS,
  name: 'calls of agents',
  claims: (type) => AGENT_CALL.test(type),
  scopeOf: ({ type, root }) => {
    const id = IDS_OF_AGENT_CALLS.map((key) => stringOf(root, key)).find((each) => each !== undefined);
    return { key: JSON.stringify(['call', id ?? '']), type, ...(id === undefined ? {} : { index: id }) };
  },
  textsOf: () => ({ continuing: /^(?:delta|args|inputTextDelta)$/, open: /(?:)/ }),
  pieceKindOf: (_, path) => (ID_OF_AGENT_CALL.test(path) ? 'repeat' : undefined),
  endedBy: (type) => (END_OF_AGENT_CALL.test(type) ? 'block' : undefined),
  blockOf: () => 'call',
  isPieceOfCall: (type) => !END_OF_AGENT_CALL.test(type),
};

/** Tool calls in messages of the AI SDK that one event contains completely. Such an event also ends the pieces of its call. */
export const WHOLE_AGENT_CALLS: StreamFamily = {
  ...AGENT_CALLS,
  name: 'whole calls of agents',
  claims: (type) => WHOLE_AGENT_CALL.test(type),
  textsOf: () => COMPLETE_TEXTS,
  pieceKindOf: () => undefined,
  whole: /(?:)/,
  callPath: (_, path) => path,
  isPieceOfCall: () => false,
};

/** Type of the event that ends an answer of Bedrock's `ConverseStream`. */
export const LAST_OF_CONVERSE = 'messageStop';

/** Blocks of Bedrock's `ConverseStream`: https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStream.html */
export const CONVERSE: StreamFamily = {
  ...PLAIN_EVENTS,
  name: 'Converse',
  hasTypes: false,
  claims: (_, root) => blockOf(root) !== undefined,
  scopeOf: ({ name, type, root }) => {
    const index = blockOf(root);
    return { key: JSON.stringify(['converse', name, index ?? '']), type, ...(index === undefined ? {} : { index }) };
  },
  textsOf: () => ({
    continuing: /^delta\.(?:text|toolUse\.input|reasoningContent\.(?:text|signature))$/,
    open: /^delta\b/,
  }),
  callPath: (_, path) => path,
  endedBy: (type) => (type === 'contentBlockStop' ? 'block' : type === LAST_OF_CONVERSE ? 'all' : undefined),
  blockOf: () => 'block of Converse',
};

function blockOf(root: JsonNode | undefined): number | undefined {
  return root === undefined ? undefined : indexIn(root, 'contentBlockIndex');
}

/** Events of unknown vendors, and generic events of all vendors: any text may be continued. */
export const OTHER_EVENTS: StreamFamily = {
  ...PLAIN_EVENTS,
  name: 'unknown events',
  claims: () => true,
  textsOf: (type) => (type === 'ping' || type === 'error' ? COMPLETE_TEXTS : UNKNOWN_TEXTS),
  mayContinueCalls: true,
};

/** The member of the last event of Cohere's chat that repeats the whole text. */
const COHERE_TEXT = 'response.text';

/** Texts of Cohere's older chat, which its last event repeats: https://docs.cohere.com/v1/docs/streaming */
export const COHERE_CHAT: StreamFamily = {
  ...OTHER_EVENTS,
  name: 'chat of Cohere',
  claims: (_, root) =>
    typeof memberOf(root, 'is_finished') === 'boolean' &&
    /^(?:text-generation|stream-end)$/.test(stringOf(root, 'event_type') ?? ''),
  pieceKindOf: (_, path, isOfTool) => (path === COHERE_TEXT && !isOfTool ? 'repeat' : undefined),
  // As an event stream, each event also has its type as its name.
  placeKey: (scope, path, own) =>
    own === COHERE_TEXT
      ? `${scope.key.replace(/^\["stream-end"/, '["text-generation"')}\ntext`
      : PLAIN_EVENTS.placeKey(scope, path, own),
};

const AGENT_TEXT = /^(?:(?:TEXT|REASONING)_MESSAGE_(?:CONTENT|CHUNK)|TextMessageContent|(?:text|reasoning)-delta)$/;
const TEXTS_OF_AGENTS = ['delta', 'content', 'text'];

/**
 * Texts of agents, with an id each: AG-UI, CopilotKit and the AI SDK. Their clients join the texts of one id, and other clients join all of
 * them.
 */
export const AGENT_TEXTS: StreamFamily = {
  ...OTHER_EVENTS,
  name: 'texts of agents',
  claims: (type) => AGENT_TEXT.test(type),
  partsOf: (root) => {
    const kind = stringOf(root, 'messageId') ?? stringOf(root, 'id');
    const path = TEXTS_OF_AGENTS.find((key) => stringOf(root, key) !== undefined);
    // Chunks of AG-UI without an id continue the text before them.
    return kind === undefined || path === undefined ? [] : [{ list: stringOf(root, 'type') ?? '', path, kind }];
  },
};
