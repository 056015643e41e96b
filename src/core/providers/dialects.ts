import { isArray, type JsonNode } from '../json/json-node.js';
import type { Dialect } from '../model/call.js';
import { ANTHROPIC_MESSAGES } from './anthropic/index.js';
import { GEMINI_EMBED, GEMINI_GENERATE } from './gemini/index.js';
import { OPENAI_CHAT, OPENAI_COMPLETIONS, OPENAI_EMBEDDINGS, OPENAI_RESPONSES } from './openai/index.js';
import { GENERIC, WEIR_AI_ERROR, WEIR_AI_REQUEST, WEIR_AI_RESPONSE, WEIR_TOOL_CALL } from './own/index.js';
import type { JsonRecord, ProviderDialect, RouteFacts } from './provider.js';

/** Every kind of call with all its properties. A new one with a missing property does not compile. */
export const DIALECTS: Readonly<Record<Dialect, ProviderDialect>> = {
  'openai.chat': OPENAI_CHAT,
  'openai.completions': OPENAI_COMPLETIONS,
  'openai.responses': OPENAI_RESPONSES,
  'openai.embeddings': OPENAI_EMBEDDINGS,
  'anthropic.messages': ANTHROPIC_MESSAGES,
  'gemini.generate': GEMINI_GENERATE,
  'gemini.embed': GEMINI_EMBED,
  'weir.ai_request': WEIR_AI_REQUEST,
  'weir.ai_response': WEIR_AI_RESPONSE,
  'weir.ai_error': WEIR_AI_ERROR,
  'weir.tool_call': WEIR_TOOL_CALL,
  generic: GENERIC,
} satisfies Record<Dialect, ProviderDialect>;

const ENTRIES = Object.entries(DIALECTS) as readonly [Dialect, ProviderDialect][];

/** The properties of calls of this dialect. */
export function dialectFacts(dialect: Dialect): ProviderDialect {
  return DIALECTS[dialect];
}

/**
 * The dialect of POST requests to a path, regardless of the upstream: many upstreams serve routes of several providers.
 *
 * @param route the path as a lenient server would read it, in lower case, without prefixes of vendors
 * @param written the original path with percent escapes decoded
 * @param query as it was sent
 */
export function dialectOfRoute(
  route: string,
  written: string,
  query: string,
): (RouteFacts & { readonly dialect: Dialect }) | undefined {
  for (const [dialect, { route: factsOf }] of ENTRIES) {
    const facts = factsOf(route, written, query);
    if (facts !== undefined) return { dialect, ...facts };
  }
  return undefined;
}

/** The dialect of a request or answer with an unknown route, derived from its members; `generic` if no dialect matches. */
export function dialectOfBody(body: JsonRecord): Dialect {
  const found = ENTRIES.find(([, { recognises }]) => recognises(body));
  return found === undefined ? 'generic' : found[0];
}

/** Builds a request from the turns of a conversation, for the API whose format the turns have; undefined if no API has it. */
export function requestOfTurns(
  turns: readonly JsonRecord[],
): { readonly dialect: Dialect; readonly body: object } | undefined {
  for (const [dialect, { requestOfTurns: made }] of ENTRIES) {
    const body = turns.length === 0 ? undefined : made?.(turns);
    if (body !== undefined) return { dialect, body };
  }
  return undefined;
}

/** Whether JSON is a stream of any provider that was sent as one list. */
export function isStreamedList(root: JsonNode): boolean {
  return isArray(root) && root.items.some((item) => ENTRIES.some(([, { isListEntry }]) => isListEntry?.(item)));
}
