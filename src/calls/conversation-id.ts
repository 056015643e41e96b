import { isObject, isString, memberOf, stringOf, type DecodedCall, type JsonDocument } from '../core/index.js';
import type { ProxyTarget } from './proxy-target.js';

/** https://platform.openai.com/docs/api-reference/threads: the id is in the path of all routes of a thread. */
const THREAD = /\/threads\/(thread_[A-Za-z0-9_-]{1,200})(?:\/|$)/;

/** https://docs.aws.amazon.com/bedrock/latest/APIReference/API_agent-runtime_InvokeAgent.html: the path has the session's id. */
const AGENT_SESSION = /\/agents\/[^/]+\/agentAliases\/[^/]+\/sessions\/([A-Za-z0-9._:-]{2,100})\/text$/;
/** https://docs.aws.amazon.com/bedrock/latest/APIReference/API_agent-runtime_RetrieveAndGenerate.html */
const RETRIEVE_AND_GENERATE = /\/retrieveAndGenerate(?:Stream)?$/;

/** https://platform.openai.com/docs/api-reference/responses/get: the route of a response that was created before. */
const RESPONSE = /\/responses\/(resp_[A-Za-z0-9_-]{1,200})(?:\/|$)/;

/**
 * The id of a conversation that the provider itself stores: the `conversation` of a response
 * (https://platform.openai.com/docs/api-reference/responses/create), the thread of an assistant, or the session of Bedrock's
 * agents and of its answers from documents. The conversation of chained responses is found by the answer that they name: see
 * `earlierAnswerOf`.
 */
export function conversationIdOf(
  { dialect, path }: Pick<ProxyTarget, 'dialect' | 'path'>,
  doc: JsonDocument | undefined,
): string | undefined {
  const [route = ''] = path.split('?', 1);
  if (dialect !== 'openai.responses') {
    if (RETRIEVE_AND_GENERATE.test(route)) return doc === undefined ? undefined : stringOf(doc.root, 'sessionId');
    return (THREAD.exec(route) ?? AGENT_SESSION.exec(route))?.[1];
  }
  const named = doc === undefined ? undefined : memberOf(doc.root, 'conversation');
  return isObject(named) ? stringOf(named, 'id') : isString(named) ? named.text : undefined;
}

/** The id of the stored answer that a request continues (`previous_response_id`) or fetches. */
export function earlierAnswerOf(
  { path }: Pick<ProxyTarget, 'path'>,
  { previousAnswer }: Pick<DecodedCall, 'previousAnswer'>,
): string | undefined {
  const [route = ''] = path.split('?', 1);
  return previousAnswer ?? RESPONSE.exec(route)?.[1];
}
