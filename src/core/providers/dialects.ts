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

/** What is known about calls of this kind. */
export function dialectFacts(dialect: Dialect): ProviderDialect {
  return DIALECTS[dialect];
}

/**
 * The dialect of calls by POST to a path, whoever serves it: many serve the routes of several providers.
 *
 * @param route what a lenient server would take the path for, in lower case, without what vendors put before a route
 * @param written the same path with its escapes undone
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

/** The dialect of a request or answer of which nobody says where it was sent; `generic` for what is none that is known. */
export function dialectOfBody(body: JsonRecord): Dialect {
  const found = ENTRIES.find(([, { recognises }]) => recognises(body));
  return found === undefined ? 'generic' : found[0];
}

/** A conversation as a request of the API whose turns it has. */
export function requestOfTurns(
  turns: readonly JsonRecord[],
): { readonly dialect: Dialect; readonly body: object } | undefined {
  for (const [dialect, { requestOfTurns: made }] of ENTRIES) {
    const body = turns.length === 0 ? undefined : made?.(turns);
    if (body !== undefined) return { dialect, body };
  }
  return undefined;
}

/** Whether JSON is a stream that came as one list, whichever provider's. */
export function isStreamedList(root: JsonNode): boolean {
  return isArray(root) && root.items.some((item) => ENTRIES.some(([, { isListEntry }]) => isListEntry?.(item)));
}
