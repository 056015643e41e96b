import { Inject, Injectable } from '@nestjs/common';
import type { Caller } from '../../access/index.js';
import { APP_CONFIG, type AppConfig } from '../../config/index.js';
import { embeddedContents, withBeside, withFilesRead } from '../../contents/index.js';
import type { JsonDocument, JsonValue } from '../../core/index.js';
import { DocumentReader } from '../../documents/index.js';
import { errorAnswer, WeirError } from '../../http/index.js';
import { blockMessage, JudgementService, maskedId, unhurried, type Judgement } from '../../judgement/index.js';
import { PolicyStore, type ActivePolicy } from '../../policy-store/index.js';
import { newEventId } from '../event-id.js';
import { EventLog } from '../event-log.js';
import type { NewEvent, RememberedAnswer, StoredAnswer } from '../event.js';
import { violationEvents } from '../violation-events.js';
import type { AdmissionContext } from './admission.js';
import { newEvent } from './new-event.js';
import { bodyOf, rememberRequest, type RequestAnswer } from './remembered-answer.js';
import { withStoredNames } from './stored-names.js';
import { marksOf, sliceWithEdits, storedTexts, type Masks } from './stored-texts.js';
import { SPENDING, type Hold, type Spending, type SpendingCall, type SpendingOutcome } from './spending.js';
import { StoredRequests } from './stored-requests.js';
import { readSubmission, type Submission } from './submission.js';
import { verdictOf, type Verdict } from './verdict.js';

/** An answer ready to be sent; `body` is JSON text. */
export interface IngestAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface ProcessInput {
  readonly context: AdmissionContext;
  readonly doc: JsonDocument;
  /** The client's idempotency key, when it gave one. */
  readonly eventId?: string;
  readonly fingerprint: Buffer;
  readonly traceId: string;
  /** From now on the request is known by this id. */
  readonly settleTraceId?: (id: string) => void;
  /** Monotonic milliseconds at which the body was there. */
  readonly startedMs: number;
}

/** An event that is in the log, with its answer; or the answer of the event that took the id before. */
export type Processed =
  | {
      readonly outcome: 'recorded';
      readonly eventId: string;
      readonly answer: IngestAnswer;
      readonly stored: StoredAnswer;
    }
  | { readonly outcome: 'duplicate'; readonly stored: StoredAnswer };

/** Told of every judgement, for metrics. */
export interface JudgementObserver {
  judged(caller: Caller, verdict: Verdict, judgement: Judgement): void;
}
export const JUDGEMENT_OBSERVER = Symbol('JUDGEMENT_OBSERVER');

/** What belongs together while one event is on its way. */
interface Work {
  readonly input: ProcessInput;
  readonly submission: Submission;
  readonly policy: ActivePolicy;
  readonly judgement?: Judgement;
  readonly verdict: Verdict;
  readonly masks: Masks;
  readonly event: NewEvent;
  readonly money: SpendingCall;
}

/** Takes one new event from its body to its answer: check, judge, spend, store. Replays never come here. */
@Injectable()
export class EventProcessor {
  constructor(
    @Inject(PolicyStore) private readonly policies: PolicyStore,
    @Inject(JudgementService) private readonly judging: JudgementService,
    @Inject(EventLog) private readonly log: EventLog,
    @Inject(SPENDING) private readonly spending: Spending,
    @Inject(APP_CONFIG) private readonly config: AppConfig,
    @Inject(JUDGEMENT_OBSERVER) private readonly observer: JudgementObserver,
    @Inject(StoredRequests) private readonly requests: StoredRequests,
    @Inject(DocumentReader) private readonly documents: DocumentReader,
  ) {}

  /** @throws {WeirError} for everything that is not a 200 or a guardrail's 400 */
  async process(given: ProcessInput): Promise<Processed> {
    const { caller } = given.context;
    const policy = this.policies.active(caller.accountId, caller.environment);
    const input = await this.withSettledTraceId(given, policy);
    const read = await this.withDocuments(readSubmission(input.doc), caller);
    const submission = await withStoredNames(read, this.judging, policy, caller.accountId);
    const money = spendingCall(input, submission, policy);
    const judgement = await this.judge(caller, policy, submission, money);
    const verdict = verdictOf(submission.event.type, judgement);
    if (judgement !== undefined) this.observer.judged(caller, verdict, judgement);
    const work = await this.prepare(input, submission, policy, judgement, verdict, money);
    if (verdict.kind === 'unavailable') return this.refuseForOutage(work, verdict.missing);
    if (work.event.type !== 'ai.request' || verdict.kind !== 'passed') return this.conclude(work);
    const spending = await this.spending.reserve(money, {
      event: work.event,
      enforced: !(submission.monitorRequested && policy.policy.clientMonitorMode === 'honor'),
      addedBytes: 0,
    });
    if (spending.outcome === 'denied') return this.refuseForMoney(work, spending);
    return this.concludeHolding(work, spending.hold);
  }

  /** A refusal is kept with its trace id, and log lines name it: what must not stand there is masked. */
  private async withSettledTraceId(input: ProcessInput, policy: ActivePolicy): Promise<ProcessInput> {
    const name = { path: 'x-request-id', text: input.traceId };
    const traceId = await maskedId(this.judging, policy, input.context.caller.accountId, name);
    input.settleTraceId?.(traceId);
    return { ...input, traceId };
  }

  /** The event with what its files say: prompts are read from all of it. */
  private async withDocuments(submission: Submission, caller: Caller): Promise<Submission> {
    const { doc, call } = submission;
    const beside = await withFilesRead(embeddedContents(doc, call), this.documents, [caller.accountId, caller.keyId]);
    return { ...submission, call: withBeside(call, beside, true) };
  }

  private async judge(
    caller: Caller,
    policy: ActivePolicy,
    submission: Submission,
    money: SpendingCall,
  ): Promise<Judgement | undefined> {
    const { event, call, monitorRequested } = submission;
    if (event.type === 'ai.error') return undefined;
    const kind = event.type === 'ai.request' ? 'request' : event.type === 'ai.response' ? 'answer' : 'tool_call';
    const earlierRequest =
      event.type === 'ai.response' ? await this.requests.find(caller, submission.requestId, call, policy) : undefined;
    return this.judging.judge({
      policy,
      accountId: caller.accountId,
      context: money.context,
      budgets: await this.spending.known(money),
      call,
      doc: submission.doc,
      kind,
      enforceable: event.type !== 'ai.response',
      monitorRequested,
      hiddenNames: [
        ...(submission.storedModel === undefined ? [] : (['model'] as const)),
        ...(submission.storedProvider === undefined ? [] : (['provider'] as const)),
      ],
      ...(earlierRequest === undefined ? {} : { earlierRequest }),
    });
  }

  private async prepare(
    input: ProcessInput,
    submission: Submission,
    policy: ActivePolicy,
    judgement: Judgement | undefined,
    verdict: Verdict,
    money: SpendingCall,
  ): Promise<Work> {
    const { call, metadata } = submission;
    const masks: Masks = {
      payload:
        judgement === undefined
          ? await this.judging.maskTexts(policy, call.segments)
          : await this.judging.maskJudged(policy, call.segments, judgement),
      metadata: metadata === undefined ? [] : await this.judging.maskTexts(policy, metadata.segments),
    };
    const { caller, receivedAt } = input.context;
    const id = newEventId(receivedAt);
    const { removals, ...texts } = await unhurried(storedTexts(policy.policy.content, submission, masks));
    const marks =
      texts.payload === undefined
        ? undefined
        : await unhurried(marksOf(submission, { masks: masks.payload, removals, ...(judgement && { judgement }) }));
    const event = newEvent({
      id,
      eventId: input.eventId ?? id,
      caller,
      receivedAt,
      submission,
      policy,
      texts,
      ...(marks === undefined ? {} : { marks }),
      masks,
      ...(judgement === undefined ? {} : { judgement }),
      verdict,
      weirMs: performance.now() - input.startedMs,
    });
    return {
      input,
      submission,
      policy,
      ...(judgement === undefined ? {} : { judgement }),
      verdict,
      masks,
      event,
      money,
    };
  }

  /** A request that came to nothing, or was one that came before, holds nothing. */
  private async concludeHolding(work: Work, hold: Hold): Promise<Processed> {
    const processed = await this.conclude(work).catch(async (error: unknown) => {
      await hold.release();
      throw error;
    });
    if (processed.outcome === 'duplicate') await hold.release();
    return processed;
  }

  /** 200, or the block of a rule: both are remembered. */
  private async conclude(work: Work): Promise<Processed> {
    const { input, verdict, judgement, money } = work;
    const { event, ledger } = endsCall(work.event)
      ? await this.spending.ended(money, work.event)
      : { event: work.event, ledger: [] };
    const violations = violationEvents(event, verdict.violations, () => newEventId(event.receivedAt));
    const { answer, remembered } = await this.answerTo(work);
    const monitoring: Record<string, string> = judgement?.monitorIgnored === true ? MONITOR_IGNORED : {};
    const appended = await this.log.append({
      event,
      children: violations,
      ledger,
      idempotency: { fingerprint: input.fingerprint, answer: remembered },
    });
    if (appended.outcome === 'duplicate') return appended;
    return {
      outcome: 'recorded',
      eventId: event.eventId,
      answer: { ...answer, headers: { ...answer.headers, ...monitoring } },
      stored: { ...remembered, id: event.id, fingerprint: input.fingerprint },
    };
  }

  private async answerTo(work: Work): Promise<{ answer: IngestAnswer; remembered: RememberedAnswer }> {
    const { input, verdict, event } = work;
    if (verdict.kind === 'blocked') {
      const refusal = new WeirError(verdict.reason, {
        message: blockMessage(verdict.violations),
        decision: 'block',
        violations: verdict.violations,
        eventId: event.eventId,
      });
      const answer = errorAnswer(refusal, input.traceId, this.config.server.baseUrl);
      return { answer, remembered: { status: answer.status, body: answer.body } };
    }
    if (event.type === 'ai.request') return this.answerToRequest(work);
    const body = JSON.stringify({
      event_id: event.eventId,
      ...(event.type === 'ai.response' ? { status: 'recorded', violations: verdict.violations } : {}),
    });
    return { answer: { status: 200, headers: {}, body }, remembered: { status: 200, body } };
  }

  private async answerToRequest({ submission, policy, judgement, verdict, masks, event }: Work) {
    const { doc, payloadSpan, call } = submission;
    const decision = verdict.kind === 'passed' ? verdict.decision : 'allow';
    const edits = decision === 'redact' ? (judgement?.edits ?? []) : [];
    const repair = decision === 'redact' ? judgement?.repair : undefined;
    const head = JSON.stringify({
      event_id: event.eventId,
      decision,
      violations: verdict.violations,
      redactions: verdict.redactions,
    });
    const answer: RequestAnswer = {
      head,
      ...(decision === 'redact' && payloadSpan !== undefined
        ? { payload: await unhurried(sliceWithEdits(doc, payloadSpan, call.segments, edits, repair?.removals)) }
        : {}),
    };
    return {
      answer: { status: 200, headers: {}, body: bodyOf(answer) },
      remembered: rememberRequest(answer, policy.policy.content, call.segments, edits, masks.payload, repair?.dropped),
    };
  }

  /** Recorded, so that the outage can be seen; not remembered, so that a retry is judged anew. */
  private async refuseForOutage({ input, event }: Work, missing: readonly string[]): Promise<never> {
    await this.log.append({ event, children: [], idempotency: { fingerprint: input.fingerprint } });
    throw new WeirError('guardrail_unavailable', {
      message: `A guardrail could not be evaluated; missing: ${missing.join(', ')}`,
      retryAfterSeconds: 1,
      decision: 'block',
      violations: [],
      eventId: event.eventId,
    });
  }

  private async refuseForMoney(
    { input, event, verdict }: Work,
    denial: Extract<SpendingOutcome, { outcome: 'denied' }>,
  ): Promise<never> {
    const { reason, message, retryAfterSeconds } = denial;
    const refused: NewEvent = { ...event, decision: 'block', reason, redactions: [] };
    const violations = violationEvents(refused, verdict.violations, () => newEventId(event.receivedAt));
    await this.log.append({
      event: refused,
      children: [...violations, ...denial.children],
      idempotency: { fingerprint: input.fingerprint },
    });
    throw new WeirError(reason, {
      message,
      ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
      decision: 'block',
      violations: verdict.violations,
      eventId: event.eventId,
    });
  }
}

/** Whether an event says how a call ended. */
function endsCall({ type }: NewEvent): boolean {
  return type === 'ai.response' || type === 'ai.error';
}

export const MONITOR_IGNORED = { 'x-weir-monitor-mode': 'ignored' } as const;

function spendingCall({ context, doc }: ProcessInput, submission: Submission, policy: ActivePolicy): SpendingCall {
  const { caller, receivedAt } = context;
  const { call, requestId } = submission;
  return {
    caller,
    source: 'rest',
    receivedAt,
    policy,
    context: callContext(caller, submission),
    call,
    doc,
    ...(requestId === undefined ? {} : { requestId }),
  };
}

function callContext(caller: Caller, submission: Submission) {
  const { declaredEnvironment, provider, model, sessionId, metadata } = submission;
  return {
    environment: caller.environment,
    declaredEnvironment,
    app: { id: caller.appId, name: caller.appName },
    key: { id: caller.keyId, name: caller.keyName },
    ...(provider === undefined ? {} : { provider }),
    ...(model === undefined ? {} : { model }),
    ...(sessionId === undefined ? {} : { sessionId }),
    ...(metadata === undefined ? {} : { metadata: metadata.value satisfies Readonly<Record<string, JsonValue>> }),
  };
}
