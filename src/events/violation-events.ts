import type { Violation } from '../core/index.js';
import type { NewEvent } from './event.js';

/**
 * The `policy.violation` events that are stored with the event that caused them: one per violation, including flagged and monitored ones.
 *
 * @param newId makes a UUIDv7 for each
 */
export function violationEvents(source: NewEvent, violations: readonly Violation[], newId: () => string): NewEvent[] {
  return violations.map((violation) => {
    const id = newId();
    return {
      id,
      eventId: id,
      type: 'policy.violation',
      accountId: source.accountId,
      appId: source.appId,
      keyId: source.keyId,
      environment: source.environment,
      declaredEnvironment: source.declaredEnvironment,
      source: source.source,
      ...(source.requestId === undefined ? {} : { requestId: source.requestId }),
      parentId: source.id,
      ...(source.sessionId === undefined ? {} : { sessionId: source.sessionId }),
      ...(source.provider === undefined ? {} : { provider: source.provider }),
      ...(source.model === undefined ? {} : { model: source.model }),
      ...(source.metadata === undefined ? {} : { metadata: source.metadata }),
      payload: JSON.stringify(violation),
      capture: source.capture,
      violations: [violation],
      redactions: [],
      ...(source.policyId === undefined ? {} : { policyId: source.policyId }),
      ...(source.policyDigest === undefined ? {} : { policyDigest: source.policyDigest }),
      ...(source.policyVersion === undefined ? {} : { policyVersion: source.policyVersion }),
      detectors: [],
      receivedAt: source.receivedAt,
    };
  });
}
