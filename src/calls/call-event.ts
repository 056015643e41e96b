/** The events of calls with a provider's own body, as they are stored. */
import { createHash } from 'node:crypto';
import type { DecisionAction, RedactionCount, StoredMarks, Usage, Violation } from '../core/index.js';
import { newEventId, type Hold, type NewEvent } from '../events/index.js';
import type { Judgement } from '../judgement/index.js';
import type { Claim } from './call-pipeline.js';
import { draftEvent } from './event-draft.js';
import { modelOf, type AdmittedCall, type ProxiedCall } from './proxied-call.js';

/** What an event says beside what its call says. */
export interface EventContent {
  readonly type: 'ai.request' | 'ai.response' | 'ai.error';
  readonly judgement?: Judgement;
  /** JSON text, masked; absent when nothing is to be kept. */
  readonly payload?: string;
  /** What is told beside it. */
  readonly marks?: StoredMarks;
  readonly decision?: DecisionAction;
  readonly reason?: string;
  readonly violations?: readonly Violation[];
  readonly redactions?: readonly RedactionCount[];
  readonly usage?: Usage;
  readonly upstreamStatus?: number;
  /** The model that answered, when the request named none. */
  readonly model?: string;
  /** The `ai.request` event that this one belongs to. */
  readonly parentId?: string;
  /** Milliseconds until the provider's answer was there. */
  readonly providerMs?: number;
  /** Milliseconds since the call came in. */
  readonly totalMs?: number;
  readonly weirMs: number;
}

/** The event as it would be stored. */
export function draftOf(call: ProxiedCall, content: EventContent): NewEvent {
  const receivedAt = content.type === 'ai.request' ? call.receivedAt : new Date();
  const id = newEventId(receivedAt);
  const { caller, policy } = call;
  const { type, judgement, violations = [], redactions = [] } = content;
  const keeps = policy.policy.content !== 'none';
  return draftEvent(
    {
      ...{ id, eventId: eventIdOf(call, type) ?? id, type, caller, source: call.door, policy, judgement },
      ...{ declaredEnvironment: caller.environment, violations, redactions, receivedAt },
      latencyMs: { weir: content.weirMs, total: content.totalMs, provider: content.providerMs },
    },
    {
      requestId: call.storedRequestId ?? call.requestId,
      parentId: content.parentId,
      sessionId: call.storedSessionId,
      provider: call.target.provider.id,
      model: call.storedModel ?? modelOf(call.request) ?? content.model,
      metadata: call.storedMetadata,
      payload: keeps ? content.payload : undefined,
      marks: keeps ? content.marks : undefined,
      decision: content.decision,
      reason: content.reason,
      usage: content.usage,
      upstreamStatus: content.upstreamStatus,
    },
  );
}

function eventIdOf(call: ProxiedCall, type: EventContent['type']): string | undefined {
  if (type === 'ai.request') return call.claim?.eventId;
  return call.door === 'calls' && 'id' in call ? endId((call as AdmittedCall).id) : undefined;
}

/** Under which id the end of a call is stored that may be told twice; no client can give such an id. */
export function endId(callId: string): string {
  return `end~${callId}`;
}

/** What ends with a call: what it holds, and, where clients tell ends, the id by which the log knows the first one. */
export function endingOf(
  { door, id, hold }: AdmittedCall,
  { eventId, violations }: NewEvent,
): { readonly hold: Hold; readonly claim?: Claim } {
  if (door !== 'calls') return { hold };
  const body = JSON.stringify({ call: id, event_id: eventId, violations });
  const fingerprint = createHash('sha256').update(endId(id)).digest();
  return { hold, claim: { fingerprint, answer: { status: 200, body } } };
}
