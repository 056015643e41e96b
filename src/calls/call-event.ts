/** Steps of calls with a provider's own body, and the content of their events. */
import { hash } from 'node:crypto';
import type { CallStep, EventContent } from './call-pipeline.js';
import { modelOf, spendingCall, type AdmittedCall, type ProxiedCall } from './proxied-call.js';

/** The fields that every event of such a call has. @param model the model that answered, when the request named none */
export function namesOf(
  call: ProxiedCall,
  model?: string,
): Pick<EventContent, 'requestId' | 'sessionId' | 'provider' | 'model' | 'metadata' | 'traceId'> {
  const requestId = call.storedRequestId ?? call.requestId;
  return {
    requestId,
    // The end of a call that a client reports arrives in a separate request, so it has another trace.
    traceId: call.surface === 'proxy' ? requestId : undefined,
    sessionId: call.storedSessionId,
    provider: call.target.provider.id,
    model: call.storedModel ?? modelOf(call.request) ?? model,
    metadata: call.storedMetadata,
  };
}

/** The id of the event for a call's end, which a client may report twice; no client can choose such an id. */
export function endId(callId: string): string {
  return `end~${callId}`;
}

/**
 * The state that is settled with a call's end: its reservation, and, where clients report ends, the id that is the same for
 * each report, so that only the first one is stored.
 */
export function endingOf(call: AdmittedCall): Pick<CallStep, 'money' | 'hold' | 'eventId' | 'claim'> {
  const { surface, id, hold } = call;
  const money = spendingCall(call);
  if (surface !== 'calls') return { money, hold };
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
