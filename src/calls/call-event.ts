/** Steps of calls with a provider's own body, and the content of their events. */
import { hash } from 'node:crypto';
import type { CallStep, EventContent } from './call-pipeline.js';
import { modelOf, spendingCall, type AdmittedCall, type ProxiedCall } from './proxied-call.js';

/** What every event of such a call says. @param model that answered, when the request named none */
export function namesOf(
  call: ProxiedCall,
  model?: string,
): Pick<EventContent, 'requestId' | 'sessionId' | 'provider' | 'model' | 'metadata' | 'traceId'> {
  const requestId = call.storedRequestId ?? call.requestId;
  return {
    requestId,
    // An end that a client tells comes by a request of its own.
    traceId: call.door === 'proxy' ? requestId : undefined,
    sessionId: call.storedSessionId,
    provider: call.target.provider.id,
    model: call.storedModel ?? modelOf(call.request) ?? model,
    metadata: call.storedMetadata,
  };
}

/** Under which id the end of a call is stored that may be told twice; no client can give such an id. */
export function endId(callId: string): string {
  return `end~${callId}`;
}

/** What ends with a call: what it holds, and, where clients tell ends, the id by which the log knows the first one. */
export function endingOf(call: AdmittedCall): Pick<CallStep, 'money' | 'hold' | 'eventId' | 'claim'> {
  const { door, id, hold } = call;
  const money = spendingCall(call);
  if (door !== 'calls') return { money, hold };
  return {
    ...{ money, hold, eventId: endId(id) },
    claim: {
      fingerprint: hash('sha256', endId(id), 'buffer'),
      passed: ({ event: { eventId, violations } }) => ({
        status: 200,
        body: JSON.stringify({ call: id, event_id: eventId, violations }),
      }),
    },
  };
}
