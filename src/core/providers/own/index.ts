/** Weir's own format of calls, used by events over REST. It is read with the same tables as the providers' formats. */
import { text } from '../../call/scalar-readers.js';
import type { ProviderDialect } from '../provider.js';
import { SHARED_ANSWER, SHARED_FACTS, SHARED_REQUEST } from '../shared-fields.js';

/** The properties of Weir's own events and of unknown routes: they have no route of a provider, and no limits are added to them. */
const OF_NO_PROVIDER = {
  ...SHARED_FACTS,
  route: () => undefined,
  recognises: () => false,
  requestOfTurns: undefined,
  outputCap: undefined,
  writes: 'unknown',
  usage: 'always',
  isEnd: undefined,
  canned: undefined,
} as const;

/** An event's meaning follows from its type: reading it as a request or as an answer yields the same result. */
export const WEIR_AI_REQUEST: ProviderDialect = { ...OF_NO_PROVIDER, request: SHARED_REQUEST, answer: SHARED_REQUEST };
export const WEIR_AI_RESPONSE: ProviderDialect = { ...OF_NO_PROVIDER, request: SHARED_ANSWER, answer: SHARED_ANSWER };
const ERROR = { fields: new Map([['error', text]]), role: 'error', calls: 'past' } as const;
export const WEIR_AI_ERROR: ProviderDialect = { ...OF_NO_PROVIDER, request: ERROR, answer: ERROR };
const TOOL_CALL = { fields: undefined, role: 'tool_call', calls: 'new' } as const;
export const WEIR_TOOL_CALL: ProviderDialect = { ...OF_NO_PROVIDER, request: TOOL_CALL, answer: TOOL_CALL };

/** Answers of any route can contain tool calls: background responses, stored completions, other vendors' routes. */
export const GENERIC: ProviderDialect = {
  ...OF_NO_PROVIDER,
  request: { fields: undefined, role: 'other', calls: 'past' },
  answer: SHARED_ANSWER,
};
