import { isObject, isString, memberOf, stringOf, type JsonDocument } from '../core/index.js';
import type { ProxyTarget } from './proxy-target.js';

/** https://platform.openai.com/docs/api-reference/threads: the id stands in the path of all that belongs to a thread. */
const THREAD = /\/threads\/(thread_[A-Za-z0-9_-]{1,200})(?:\/|$)/;

/**
 * The conversation that a provider itself keeps together: the `conversation` of a response, by its id
 * (https://platform.openai.com/docs/api-reference/responses/create), or the thread of an assistant. Of chained responses
 * (`previous_response_id`) nobody says in the request which conversation they belong to.
 */
export function conversationIdOf(
  { dialect, path }: Pick<ProxyTarget, 'dialect' | 'path'>,
  doc: JsonDocument | undefined,
): string | undefined {
  if (dialect !== 'openai.responses') return THREAD.exec(path.split('?', 1)[0]!)?.[1];
  const named = doc === undefined ? undefined : memberOf(doc.root, 'conversation');
  return isObject(named) ? stringOf(named, 'id') : isString(named) ? named.text : undefined;
}
