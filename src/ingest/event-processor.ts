import { Inject, Injectable } from '@nestjs/common';
import type { Caller } from '../access/index.js';
import { CallPipeline, refusalOf, StoredBefore, type Claim } from '../calls/index.js';
import { APP_CONFIG, type AppConfig } from '../config/index.js';
import { embeddedContents, withBeside, withFilesRead } from '../contents/index.js';
import type { JsonDocument, JsonValue } from '../core/index.js';
import { DocumentReader } from '../documents/index.js';
import {
  newEventId,
  StoredRequests,
  type AdmissionContext,
  type NewEvent,
  type RememberedAnswer,
  type SpendingCall,
  type StoredAnswer,
} from '../events/index.js';
import { errorAnswer } from '../http/index.js';
import { JudgementService, maskedId, unhurried, type Judgement } from '../judgement/index.js';
import { PolicyStore, type ActivePolicy } from '../policy-store/index.js';
import { newEvent } from './new-event.js';
import { bodyOf, rememberRequest, type RequestAnswer } from './remembered-answer.js';
import { withStoredNames } from './stored-names.js';
import { marksOf, sliceWithEdits, storedTexts, type Masks } from './stored-texts.js';
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
    @Inject(CallPipeline) private readonly pipeline: CallPipeline,
    @Inject(APP_CONFIG) private readonly config: AppConfig,
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
    const work = await this.prepare(input, submission, policy, judgement, verdict, money);
    try {
      return await this.conclude(work);
    } catch (error) {
      if (error instanceof StoredBefore) return { outcome: 'duplicate', stored: error.stored };
      throw error;
    }
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
    const asked = {
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
    } as const;
    const { judgement } = await this.pipeline.judge(money, asked, (judgement) => {
      const verdict = verdictOf(event.type, judgement);
      const { violations } = verdict;
      if (verdict.kind === 'unavailable') return { decision: 'unavailable', violations };
      return { decision: 'decision' in verdict ? verdict.decision : 'allow', violations };
    });
    return judgement;
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

  /** 200, or the block of a rule: both are remembered. An outage is not, so that a retry is judged anew. */
  private async conclude(work: Work): Promise<Processed> {
    const { input, submission, policy, verdict, judgement, money, event } = work;
    if (verdict.kind === 'unavailable') {
      await this.pipeline.refuse(event);
      throw refusalOf(judgement!, event.eventId);
    }
    const { answer, remembered } = await this.answerTo(work);
    const { fingerprint } = input;
    const claim: Claim = { fingerprint, answer: remembered };
    if (endsCall(event)) await this.pipeline.end(money, event, { claim });
    else if (verdict.kind === 'blocked') await this.pipeline.refuse(event, claim);
    else if (event.type !== 'ai.request') await this.pipeline.store(event, { claim });
    else {
      const enforced = !(submission.monitorRequested && policy.policy.clientMonitorMode === 'honor');
      await this.pipeline.goOn({ money, event, enforced, addedBytes: 0, claim: () => Promise.resolve(claim) });
    }
    const monitoring: Record<string, string> = judgement?.monitorIgnored === true ? MONITOR_IGNORED : {};
    return {
      outcome: 'recorded',
      eventId: event.eventId,
      answer: { ...answer, headers: { ...answer.headers, ...monitoring } },
      stored: { ...remembered, id: event.id, fingerprint },
    };
  }

  private async answerTo(work: Work): Promise<{ answer: IngestAnswer; remembered: RememberedAnswer }> {
    const { input, verdict, event } = work;
    if (verdict.kind === 'blocked') {
      const refusal = refusalOf(work.judgement!, event.eventId);
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
