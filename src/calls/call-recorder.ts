import { createHash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { DecisionAction, LedgerStep, RedactionCount, StoredMarks, Usage, Violation } from '../core/index.js';
import {
  detectorRecords,
  EventIdInProgress,
  EventLog,
  EventLogOverloaded,
  EventLogUnavailable,
  exceptedIn,
  newEventId,
  SPENDING,
  violationEvents,
  type NewEvent,
  type RememberedAnswer,
  type Spending,
} from '../events/index.js';
import { WeirError } from '../http/index.js';
import type { Judgement } from '../judgement/index.js';
import { modelOf, spendingCall, type AdmittedCall, type ProxiedCall } from './proxied-call.js';
import { StoredBefore } from './stored-before.js';

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

/** What is committed together with an event. */
interface AppendParts {
  readonly ledger?: readonly LedgerStep[];
  readonly others?: readonly NewEvent[];
  /** Where it may come again. */
  readonly claim?: { readonly fingerprint: Buffer; readonly answer: RememberedAnswer };
}

/** Puts the events of calls into the log. */
@Injectable()
export class CallRecorder {
  constructor(
    @Inject(EventLog) private readonly log: EventLog,
    @Inject(SPENDING) private readonly spending: Spending,
  ) {}

  private eventId(call: ProxiedCall, type: EventContent['type']): string | undefined {
    if (type === 'ai.request') return call.claim?.eventId;
    return call.door === 'calls' && 'id' in call ? endId((call as AdmittedCall).id) : undefined;
  }

  /** The event as it would be stored. */
  draft(call: ProxiedCall, content: EventContent): NewEvent {
    const receivedAt = content.type === 'ai.request' ? call.receivedAt : new Date();
    const id = newEventId(receivedAt);
    const { caller, policy, judgement } = { ...call, judgement: content.judgement };
    const model = call.storedModel ?? modelOf(call.request) ?? content.model;
    return {
      id,
      eventId: this.eventId(call, content.type) ?? id,
      type: content.type,
      accountId: caller.accountId,
      appId: caller.appId,
      keyId: caller.keyId,
      environment: caller.environment,
      declaredEnvironment: caller.environment,
      source: call.door,
      requestId: call.storedRequestId ?? call.requestId,
      ...given({
        parentId: content.parentId,
        sessionId: call.storedSessionId,
        model,
        metadata: call.storedMetadata,
        ...(policy.policy.content === 'none' ? {} : { payload: content.payload, marks: content.marks }),
        decision: content.decision,
        reason: content.reason,
        usage: content.usage,
        upstreamStatus: content.upstreamStatus,
        facts: judgement?.snapshot,
      }),
      provider: call.target.provider.id,
      capture: policy.policy.content,
      violations: content.violations ?? [],
      ...exceptedIn(judgement),
      redactions: content.redactions ?? [],
      latencyMs: {
        weir: content.weirMs,
        ...given({ total: content.totalMs, provider: content.providerMs }),
      },
      policyId: policy.policy.id,
      policyDigest: policy.digest,
      policyVersion: policy.version,
      detectors: judgement === undefined ? [] : detectorRecords(policy, judgement),
      receivedAt,
    };
  }

  /**
   * Stores the event that ends a call, with what it cost.
   * @throws WeirError `unavailable` when the log does not take it
   */
  async appendEnd(call: AdmittedCall, event: NewEvent): Promise<void> {
    const ended = await this.spending.ended(spendingCall(call), event, call.hold);
    const { ledger } = ended;
    await this.append(ended.event, call.door === 'calls' ? { ledger, claim: endClaim(call, ended.event) } : { ledger });
  }

  /**
   * Stores an event with its violations, and resolves after the commit.
   * @throws WeirError `unavailable` when the log does not take it: then the call must not go on; StoredBefore
   */
  async append(event: NewEvent, { ledger = [], others = [], claim }: AppendParts = {}): Promise<void> {
    const violations = violationEvents(event, event.violations, () => newEventId(event.receivedAt));
    // An id that is our own and new is nobody's to retry under: no answer is remembered.
    const idempotency = claim ?? { fingerprint: fingerprintOf(event.id) };
    try {
      const children = [...violations, ...others];
      const appended = await this.log.append({ event, children, ledger, idempotency });
      if (appended.outcome === 'duplicate') throw new StoredBefore(appended.stored);
      if (appended.reservation === 'lost') {
        throw new WeirError('unavailable', { retryAfterSeconds: 1 });
      }
    } catch (cause) {
      if (cause instanceof WeirError || cause instanceof StoredBefore) throw cause;
      const known =
        cause instanceof EventLogUnavailable ||
        cause instanceof EventLogOverloaded ||
        cause instanceof EventIdInProgress;
      throw known
        ? new WeirError('unavailable', { cause, retryAfterSeconds: cause.retryAfterSeconds })
        : new WeirError('internal_error', { cause });
    }
  }
}

/** Under which id the end of a call is stored that may be told twice; no client can give such an id. */
export function endId(callId: string): string {
  return `end~${callId}`;
}

/** The end of a call is stored once, whoever tells it: the first one counts. */
function endClaim({ id }: AdmittedCall, event: NewEvent): Required<AppendParts>['claim'] {
  const { eventId, violations } = event;
  const body = JSON.stringify({ call: id, event_id: eventId, violations });
  return { fingerprint: fingerprintOf(endId(id)), answer: { status: 200, body } };
}

function fingerprintOf(id: string): Buffer {
  return createHash('sha256').update(id).digest();
}

type Given<T> = { [Key in keyof T]?: Exclude<T[Key], undefined> };

function given<T extends object>(fields: T): Given<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Given<T>;
}
