import { Inject, Injectable } from '@nestjs/common';
import type { Caller } from '../access/index.js';
import { CallPipeline, type Recorded, type Refused } from '../calls/index.js';
import { APP_CONFIG, type AppConfig } from '../config/index.js';
import { readingEmbedded, withBeside, withRequestFilesRead } from '../contents/index.js';
import type { CallKind, JsonDocument, JsonValue } from '../core/index.js';
import { DocumentReader } from '../documents/index.js';
import {
  StoredRequests,
  type AdmissionContext,
  type SpendingCall,
  type StoredAnswer,
  type Rollback,
} from '../events/index.js';
import { WeirError } from '../http/index.js';
import { JudgementService, maskedId, runCooperatively } from '../judgement/index.js';
import { PolicyStore, type ActivePolicy } from '../policy-store/index.js';
import { answering, type AnswerWithReplay, type IngestAnswer } from './remembered-answer.js';
import { withStoredNames } from './stored-names.js';
import { storing } from './stored-texts.js';
import { readingSubmission, type Submission } from './submission.js';

export interface ProcessInput {
  readonly context: AdmissionContext;
  readonly doc: JsonDocument;
  /** The client's idempotency key, if it sent one. */
  readonly eventId?: string;
  /** Random if there is no such key: then no later body is equal to this one. */
  readonly fingerprint: Buffer;
  readonly traceId: string;
  /** Sets the id of the request for its answer and log lines. */
  readonly settleTraceId?: (id: string) => void;
  /** Monotonic time in milliseconds at which the body had arrived. */
  readonly startedMs: number;
}

/** A logged event with its answer. */
export interface Processed {
  readonly eventId: string;
  readonly answer: IngestAnswer;
  readonly stored: StoredAnswer;
}

/**
 * Returns a function that processes an event that is not a replay. If processing fails, the counts made by `checkSubscription` are
 * rolled back.
 * @param checkSubscription checks and counts whether the account may continue
 */
export function processingOnce(
  processor: Pick<EventProcessor, 'process'>,
  checkSubscription: () => Promise<Rollback>,
  input: ProcessInput,
): (settle: (answer: StoredAnswer) => void) => Promise<Processed> {
  return async (settle) => {
    const rollback = await checkSubscription();
    try {
      const processed = await processor.process(input);
      settle(processed.stored);
      return processed;
    } catch (error) {
      rollback();
      throw error;
    }
  };
}

/** Processes one new event from its body to its answer: validate, judge, spend, store. Replays are answered before. */
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

  /** @throws {WeirError} for everything that is not a 200 or a guardrail's 400; StoredBefore */
  async process(given: ProcessInput): Promise<Processed> {
    const { caller } = given.context;
    const policy = this.policies.active(caller.accountId, caller.environment);
    const input = await this.withSettledTraceId(given, policy);
    const read = await this.withDocuments(await runCooperatively(readingSubmission(input.doc)), caller);
    const submission = await withStoredNames(read, this.judging, policy, caller);
    const result = await this.run(input, submission, policy);
    const { event, judgement, answer } = result;
    const monitoring: Record<string, string> = judgement?.monitorIgnored === true ? MONITOR_IGNORED : {};
    // The answer to an outage or to a refusal of a budget is not stored: a retry is judged again.
    if (answer === undefined) {
      if (result.outcome !== 'refused') throw new Error('nothing answers the event');
      const { type, message, options } = result.refusal;
      throw new WeirError(type, { ...options, message, headers: monitoring });
    }
    const { sent, ...kept } = answer;
    return {
      eventId: event.eventId,
      answer: { ...sent, headers: { ...sent.headers, ...monitoring } },
      stored: { ...kept, id: event.id, fingerprint: input.fingerprint },
    };
  }

  /** Masks findings in the trace id, since stored refusals and log lines contain it. */
  private async withSettledTraceId(input: ProcessInput, policy: ActivePolicy): Promise<ProcessInput> {
    const name = { path: 'x-request-id', text: input.traceId };
    const traceId = await maskedId(this.judging, policy, input.context.caller.accountId, name);
    input.settleTraceId?.(traceId);
    return { ...input, traceId };
  }

  /** Adds the texts of the event's files, which are judged like its own texts. */
  private async withDocuments(submission: Submission, caller: Caller): Promise<Submission> {
    const { doc, call } = submission;
    const embedded = await runCooperatively(readingEmbedded(doc, call));
    const beside = await withRequestFilesRead(embedded, this.documents, [caller.accountId, caller.keyId]);
    return { ...submission, call: withBeside(call, beside, true) };
  }

  private async run(
    input: ProcessInput,
    submission: Submission,
    policy: ActivePolicy,
  ): Promise<Recorded<AnswerWithReplay> | Refused<AnswerWithReplay>> {
    const { event, call, monitorRequested } = submission;
    const { traceId, startedMs } = input;
    const { caller, receivedAt } = input.context;
    const { baseUrl } = this.config.server;
    const step = {
      money: spendingCall(input, submission, policy),
      call,
      receivedAt,
      eventId: input.eventId,
      content: storing({ ...{ submission, policy, caller, traceId, startedMs }, judging: this.judging }),
      claim: {
        fingerprint: input.fingerprint,
        ...answering({ submission, policy, traceId, baseUrl, isRepeatable: input.eventId !== undefined }),
      },
    };
    switch (event.type) {
      case 'ai.request': {
        const enforced = !(monitorRequested && policy.policy.clientMonitorMode === 'honor');
        return this.pipeline.take({ ...step, type: event.type, enforced, asked: asked(submission, 'request') });
      }
      case 'agent.tool_call':
        return this.pipeline.take({ ...step, type: event.type, asked: asked(submission, 'tool_call') });
      case 'ai.response': {
        const earlierRequest = await this.requests.find(caller, submission.requestId, call, policy);
        const about = { ...asked(submission, 'answer'), ...(earlierRequest === undefined ? {} : { earlierRequest }) };
        return this.pipeline.end({ ...step, type: event.type, asked: about });
      }
      case 'ai.error':
        return this.pipeline.end({ ...step, type: event.type });
    }
  }
}

/** The input of the rules for a submission. */
function asked<Kind extends CallKind>(submission: Submission, kind: Kind) {
  const { doc, monitorRequested, storedModel, storedProvider } = submission;
  return {
    doc,
    kind,
    enforceable: kind !== 'answer',
    monitorRequested,
    hiddenNames: [
      ...(storedModel === undefined ? [] : (['model'] as const)),
      ...(storedProvider === undefined ? [] : (['provider'] as const)),
    ],
  };
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
