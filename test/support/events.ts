import { createHash, randomUUID } from 'node:crypto';
import type { AppendRequest, NewEvent } from '../../src/events/event.js';
import { newEventId } from '../../src/events/event-id.js';

/** The account of test events, unless a test sets another one. */
export const ACCOUNT_ID = '0b5c1f0e-5a52-4f0e-9d3c-2f6a1f6f0001';
export const APP_ID = '0b5c1f0e-5a52-4f0e-9d3c-2f6a1f6f0002';

/** An allowed `ai.request` event; `changes` overwrite its fields. */
export function newEvent(changes: Partial<NewEvent> = {}): NewEvent {
  const receivedAt = changes.receivedAt ?? new Date();
  const id = changes.id ?? newEventId(receivedAt);
  return {
    id,
    eventId: id,
    type: 'ai.request',
    accountId: ACCOUNT_ID,
    appId: APP_ID,
    keyId: 'AbCdEfGhIjKl',
    environment: 'production',
    declaredEnvironment: 'production',
    source: 'rest',
    requestId: 'req-1',
    provider: 'openai',
    model: 'gpt-4o',
    metadata: '{"user_id":"u_1"}',
    payload: '{"messages":[{"role":"user","content":"Hello"}]}',
    capture: 'redacted',
    decision: 'allow',
    violations: [],
    redactions: [],
    detectors: [{ key: 'pii', plugin: 'pii', version: '1.0.0', revision: 1, status: 'scanned' }],
    facts: '{"pii.count":0}',
    policyId: 'production',
    policyDigest: 'd'.repeat(64),
    policyVersion: '1',
    receivedAt,
    ...changes,
  };
}

/** A request to store `event` with its answer for replays. */
export function appendRequest(event: NewEvent, children: readonly NewEvent[] = []): AppendRequest {
  return {
    event,
    children,
    idempotency: {
      fingerprint: createHash('sha256')
        .update(`${event.eventId}${event.payload ?? ''}`)
        .digest(),
      answer: { status: 200, body: JSON.stringify({ event_id: event.eventId, decision: 'allow', n: event.id }) },
    },
  };
}

/** A `policy.violation` event caused by `source`. */
export function violationEvent(source: NewEvent, rule: string): NewEvent {
  return newEvent({
    type: 'policy.violation',
    parentId: source.id,
    environment: source.environment,
    appId: source.appId,
    payload: '{}',
    violations: [
      {
        rule,
        policy: 'production',
        category: 'pii',
        severity: 'high',
        action: 'block',
        enforced: true,
        message: 'No.',
      },
    ],
  });
}

/** An unused event id of a client. */
export function freshEventId(): string {
  return `evt_${randomUUID()}`;
}
