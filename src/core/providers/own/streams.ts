import { numberOf, stringOf, type JsonNode } from '../../json/json-node.js';
import { PLAIN_EVENTS, TOLD_ONCE, UNKNOWN_TEXTS, type StreamFamily } from '../stream-family.js';

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
  return root === undefined ? undefined : numberOf(root, 'contentBlockIndex');
}

/** Events of unknown vendors, and generic events of all vendors: any text may be continued. */
export const OTHER_EVENTS: StreamFamily = {
  ...PLAIN_EVENTS,
  name: 'unknown events',
  claims: () => true,
  textsOf: (type) => (type === 'ping' || type === 'error' ? TOLD_ONCE : UNKNOWN_TEXTS),
};
