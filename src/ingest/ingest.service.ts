import { timingSafeEqual } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { Caller } from '../access/index.js';
import { CallEntrance, type Entered } from '../calls/index.js';
import type { JsonDocument } from '../core/index.js';
import { errorHeaders, forgottenAnswer, REQUEST_ID_HEADER, WeirError } from '../http/index.js';
import { PolicyStore } from '../policy-store/index.js';
import { EventIdInProgress, EventLog, InFlightEvents, StillInFlight, type StoredAnswer } from '../events/index.js';
import { EventProcessor, MONITOR_IGNORED, type IngestAnswer, type Processed } from './event-processor.js';
import { recallBody } from './remembered-answer.js';
import { fingerprintOf, submittedEventId } from './submission.js';

/** How long a duplicate waits for the first one before it is told to try again. */
const DUPLICATE_WAIT_MS = 2_000;

export interface SubmitInput {
  /** The key as presented, without the scheme. */
  readonly key: string | undefined;
  /** Reads the body; called only for a caller who may submit. */
  readonly readBody: () => JsonDocument;
  readonly traceId: string;
  /** From now on the request is known by this id. */
  readonly settleTraceId?: (id: string) => void;
  setHeader(name: string, value: string): void;
}

export interface SubmitResult {
  readonly answer: IngestAnswer;
  readonly eventId?: string;
  readonly replayed: boolean;
}

/**
 * The way of a submitted event: authenticate, limits, replay, standing, then the processor. Retries of an event are
 * answered here, whether the first one is in the log, in flight in this process, or in flight on another replica.
 */
@Injectable()
export class IngestService {
  private readonly inFlight = new InFlightEvents(DUPLICATE_WAIT_MS);

  constructor(
    @Inject(CallEntrance) private readonly entrance: CallEntrance,
    @Inject(EventLog) private readonly log: EventLog,
    @Inject(EventProcessor) private readonly processor: EventProcessor,
    @Inject(PolicyStore) private readonly policies: PolicyStore,
  ) {}

  /** @throws {WeirError} for every answer that is not a 200 or a guardrail's 400 */
  async submit(input: SubmitInput, onCaller: (caller: Caller) => void): Promise<SubmitResult> {
    const startedMs = performance.now();
    const { key, setHeader } = input;
    const entered = await this.entrance.enter({ door: 'rest', key, setHeader, onCaller });
    try {
      return await this.submitAs(entered, input, startedMs);
    } finally {
      entered.leave();
    }
  }

  private async submitAs(
    { caller, admission: context }: Entered,
    input: SubmitInput,
    startedMs: number,
  ): Promise<SubmitResult> {
    const doc = input.readBody();
    const fingerprint = fingerprintOf(doc);
    const eventId = submittedEventId(doc);
    const { traceId, settleTraceId } = input;
    const process = async (): Promise<Processed> => {
      const takeBack = await this.entrance.standing(context);
      const claimed = eventId === undefined ? {} : { eventId };
      try {
        const common = { context, doc, fingerprint, traceId, settleTraceId, startedMs };
        const processed = await this.processor.process({ ...common, ...claimed });
        if (processed.outcome === 'duplicate') takeBack();
        return processed;
      } catch (error) {
        takeBack();
        throw error;
      }
    };
    try {
      const processed = eventId === undefined ? await process() : await this.once(caller, eventId, process);
      if (processed.outcome === 'recorded') {
        return { answer: processed.answer, eventId: processed.eventId, replayed: false };
      }
      const answer = this.replay(processed.stored, doc, fingerprint, caller);
      return { answer, ...(eventId === undefined ? {} : { eventId }), replayed: true };
    } catch (error) {
      throw fromLog(error);
    }
  }

  /** Runs `process` unless the id is known or being worked on. */
  private async once(caller: Caller, eventId: string, process: () => Promise<Processed>): Promise<Processed> {
    const { appId, environment, accountId } = caller;
    const run = await this.inFlight.run(`${appId} ${environment} ${eventId}`, async (settle): Promise<Processed> => {
      const known = await this.log.remembered(appId, environment, eventId, accountId);
      const processed: Processed = known === null ? await process() : { outcome: 'duplicate', stored: known };
      settle(processed.stored);
      return processed;
    });
    return run.own ? run.result : { outcome: 'duplicate', stored: run.answer };
  }

  private replay(stored: StoredAnswer, doc: JsonDocument, fingerprint: Buffer, caller: Caller): IngestAnswer {
    if (!timingSafeEqual(stored.fingerprint, fingerprint)) {
      throw new WeirError('event_id_conflict', {
        details: [{ path: 'event_id', message: 'was used before, with another body' }],
      });
    }
    if (stored.body === '') throw forgottenAnswer('event_id');
    const body = recallBody(stored, doc);
    const headers = { 'idempotent-replayed': 'true', ...this.monitorHeader(doc, caller) };
    if (stored.status === 200) return { status: 200, headers, body };
    return { status: stored.status, headers: { ...headers, ...refusalHeaders(body) }, body };
  }

  private monitorHeader(doc: JsonDocument, { accountId, environment }: Caller): Record<string, string> {
    const { policy } = this.policies.active(accountId, environment);
    return asksToMonitor(doc) && policy.clientMonitorMode === 'ignore' ? MONITOR_IGNORED : {};
  }
}

/** `payload.monitor_mode` of a body that was accepted before. */
function asksToMonitor(doc: JsonDocument): boolean {
  const body = doc.value as { readonly payload?: { readonly monitor_mode?: unknown } };
  return body.payload?.monitor_mode === true;
}

/** The headers of the first answer; its trace id too, which must equal the one in the body. */
function refusalHeaders(body: string): Record<string, string> {
  const { error } = JSON.parse(body) as { error: { type: 'content_policy_violation'; trace_id: string } };
  return { ...errorHeaders(error.type), [REQUEST_ID_HEADER]: error.trace_id };
}

/** A duplicate that came too early is told to come back. */
function fromLog(error: unknown): unknown {
  const early = error instanceof StillInFlight || error instanceof EventIdInProgress;
  return early ? new WeirError('in_progress', { retryAfterSeconds: 1 }) : error;
}
