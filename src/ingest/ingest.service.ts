import { hash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { Caller } from '../access/index.js';
import { CallEntrance, CallReplays, type Entered } from '../calls/index.js';
import { stringOf, writingCanonical, type JsonDocument, type Steps } from '../core/index.js';
import { errorHeaders, pooledRandom, REQUEST_ID_HEADER } from '../http/index.js';
import { runCooperatively } from '../judgement/index.js';
import type { WaitingClient } from '../limits/index.js';
import { PolicyStore } from '../policy-store/index.js';
import type { StoredAnswer } from '../events/index.js';
import { EventProcessor, MONITOR_IGNORED, processingOnce } from './event-processor.js';
import { recallingBody, type IngestAnswer } from './remembered-answer.js';

export interface SubmitInput {
  /** The client that waits for the answer. */
  readonly client: WaitingClient;
  /** The key as presented, without the scheme. */
  readonly key: string | undefined;
  /** Reads the body; called only for a caller who may submit. */
  readonly readBody: () => Promise<JsonDocument> | JsonDocument;
  readonly traceId: string;
  /** Sets the id of the request for its answer and log lines. */
  readonly settleTraceId?: (id: string) => void;
  setHeader(name: string, value: string): void;
}

export interface SubmitResult {
  readonly answer: IngestAnswer;
  readonly eventId?: string;
  readonly replayed: boolean;
}

/** Processes a submitted event: authentication, limits, replay, subscription, then the processor. */
@Injectable()
export class IngestService {
  constructor(
    @Inject(CallEntrance) private readonly entrance: CallEntrance,
    @Inject(CallReplays) private readonly replays: CallReplays,
    @Inject(EventProcessor) private readonly processor: EventProcessor,
    @Inject(PolicyStore) private readonly policies: PolicyStore,
  ) {}

  /** @throws {WeirError} for every answer that is not a 200 or a guardrail's 400 */
  async submit(input: SubmitInput, onCaller: (caller: Caller) => void): Promise<SubmitResult> {
    const startedMs = performance.now();
    const { key, client, setHeader } = input;
    const entered = await this.entrance.enter({ surface: 'rest', client, key, setHeader, onCaller });
    try {
      return await this.submitAs(entered, input, startedMs);
    } finally {
      entered.leave();
    }
  }

  /**
   * Submits an event whose caller was already admitted.
   * @param startedMs monotonic time in milliseconds at which the event had arrived
   * @throws {WeirError} as `submit`
   */
  async submitAs(
    { caller, admission: context }: Entered,
    input: SubmitInput,
    startedMs: number,
  ): Promise<SubmitResult> {
    const doc = await input.readBody();
    const eventId = submittedEventId(doc);
    const fingerprint = eventId === undefined ? noFingerprint() : await runCooperatively(fingerprinting(doc));
    const { traceId, settleTraceId } = input;
    const work = processingOnce(this.processor, () => this.entrance.checkSubscription(context), {
      ...{ context, doc, fingerprint, traceId, settleTraceId, startedMs },
      ...(eventId === undefined ? {} : { eventId }),
    });
    const once = await this.replays.once({ caller, eventId }, work).catch(async (error: unknown) => {
      await this.entrance.turnedAway(context, error);
      throw error;
    });
    if (!once.replayed) return { answer: once.result.answer, eventId: once.result.eventId, replayed: false };
    const answer = await this.replay(once.stored, doc, fingerprint, caller);
    return { answer, ...(eventId === undefined ? {} : { eventId }), replayed: true };
  }

  private async replay(
    stored: StoredAnswer,
    doc: JsonDocument,
    fingerprint: Buffer,
    caller: Caller,
  ): Promise<IngestAnswer> {
    this.replays.check(stored, { fingerprint, path: 'event_id', usedBefore: 'with another body' });
    const body = await runCooperatively(recallingBody(stored, doc));
    const headers = { 'idempotent-replayed': 'true', ...this.monitorHeader(doc, caller) };
    if (stored.status === 200) return { status: 200, headers, body };
    return { status: stored.status, headers: { ...headers, ...refusalHeaders(body) }, body };
  }

  private monitorHeader(doc: JsonDocument, { accountId, environment }: Caller): Record<string, string> {
    const { policy } = this.policies.active(accountId, environment);
    return asksToMonitor(doc) && policy.clientMonitorMode === 'ignore' ? MONITOR_IGNORED : {};
  }
}

const SHA256_BYTES = 32;

/** The format of an event id; any other is refused when the body is validated. */
const EVENT_ID = /^[A-Za-z0-9_.:-]{1,128}$/;

/** The idempotency key of a body that is not validated yet. */
function submittedEventId(doc: JsonDocument): string | undefined {
  const id = stringOf(doc.root, 'event_id');
  return id !== undefined && EVENT_ID.test(id) ? id : undefined;
}

/** The fingerprint of a body without an event id: no retry has an equal one, because it names the event's id. */
function noFingerprint(): Buffer {
  return Buffer.from(pooledRandom(SHA256_BYTES));
}

/** SHA-256 of the canonical JSON, in steps: equal exactly for equal JSON, regardless of its formatting. */
export function* fingerprinting(doc: JsonDocument): Steps<Buffer> {
  return hash('sha256', yield* writingCanonical(doc.root), 'buffer');
}

/** `payload.monitor_mode` of a body that was accepted before. */
function asksToMonitor(doc: JsonDocument): boolean {
  const body = doc.value as { readonly payload?: { readonly monitor_mode?: unknown } };
  return body.payload?.monitor_mode === true;
}

/** The headers of the first answer, including its trace id, which must equal the one in the body. */
function refusalHeaders(body: string): Record<string, string> {
  const { error } = JSON.parse(body) as { error: { type: 'content_policy_violation'; trace_id: string } };
  return { ...errorHeaders(error.type), [REQUEST_ID_HEADER]: error.trace_id };
}
