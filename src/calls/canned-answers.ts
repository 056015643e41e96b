import { randomUUID } from 'node:crypto';
import { dialectFacts, type CannedAnswer } from '../core/index.js';
import { isEventStream } from './answer-texts.js';
import { modelOf, type ProxiedCall } from './proxied-call.js';

/**
 * A rule's canned answer in the format of the call's provider.
 * @param came the media type of the provider's own answer, if there is one
 * @returns undefined if the answer to the call is not text, as with embeddings, token counts and compactions, or has an unknown format:
 * then the refusal is an error
 */
export function cannedAnswerTo(call: ProxiedCall, text: string, came?: string): CannedAnswer | undefined {
  const { target, request, doc, receivedAt } = call;
  if (doc === undefined || target.facts.countsOnly === true || target.facts.compacts === true) return undefined;
  const [, ...query] = target.path.split('?');
  return dialectFacts(target.dialect).canned?.({
    text,
    id: randomUUID().replaceAll('-', ''),
    model: call.storedModel ?? modelOf(request) ?? '',
    createdSeconds: Math.floor(receivedAt.getTime() / 1000),
    streams: request.stream || isEventStream(came),
    request: doc.root,
    query: query.length === 0 ? '' : `?${query.join('?')}`,
  });
}
