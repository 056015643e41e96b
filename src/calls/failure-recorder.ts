import { Inject, Injectable } from '@nestjs/common';
import { sentUsage, type Edit, type Usage } from '../core/index.js';
import { JudgementService } from '../judgement/index.js';
import type { CallTimes } from './answer-judge.js';
import { isUnreadable, NO_ANSWER_TEXTS, readAnswer, type AnswerTexts } from './answer-texts.js';
import { draftOf, endingOf, type EventContent } from './call-event.js';
import { CallPipeline } from './call-pipeline.js';
import { keptOf } from './kept-marks.js';
import { unpackBody, type UnpackedLimits } from './content-coding.js';
import { NO_TEXTS, spendingCall, type AdmittedCall } from './proxied-call.js';

/** An error type as providers name them. */
const ERROR_TYPE = /^[a-z][a-z0-9_.-]{0,63}$/i;

/** What there was of an answer that did not come to its end. */
export interface SeenOfAnswer {
  readonly status?: number;
  /** False when the provider cannot have got the request. */
  readonly sent?: boolean;
  /** The body without its content coding, as far as it came. */
  readonly seen?: { readonly contentType: string | undefined; readonly body: Buffer };
}

/** A provider's answer with an error status, as it came. */
export interface ErrorAnswer {
  readonly status: number;
  readonly contentType: string | undefined;
  readonly coding: string | undefined;
  readonly body: Buffer;
}

/** Puts `ai.error` events into the log: calls that a provider refused, and those that did not reach an answer. */
@Injectable()
export class FailureRecorder {
  constructor(
    @Inject(JudgementService) private readonly judging: JudgementService,
    @Inject(CallPipeline) private readonly pipeline: CallPipeline,
  ) {}

  /**
   * A call that ended without an answer, or with a part of one. What was sent is paid for as far as anybody can tell:
   * its input, and the output that was seen.
   * @throws WeirError when it cannot be recorded
   */
  async withoutAnswer(
    call: AdmittedCall,
    reason: string,
    times: CallTimes,
    { status, sent = true, seen }: SeenOfAnswer = {},
  ): Promise<void> {
    const usage = sent ? brokenOffUsage(call, seen) : undefined;
    await this.append(call, reason, times, {
      ...(status === undefined ? {} : { upstreamStatus: status }),
      ...(usage === undefined ? {} : { usage }),
    });
  }

  /** An answer with an error status. Its text is masked like any other. @throws WeirError when it cannot be recorded */
  async answered(call: AdmittedCall, answer: ErrorAnswer, times: CallTimes, limits: UnpackedLimits): Promise<void> {
    const texts = await readError(answer, limits);
    const masks = await this.judging.maskTexts(call.policy, texts.call.segments);
    const stored = await texts.stored(masks, call.policy.policy.content === 'full');
    const kept = await keptOf(call, stored, { call: texts.call, masks, numbering: null });
    await this.append(call, errorType(texts, masks) ?? 'upstream_error', times, {
      upstreamStatus: answer.status,
      ...kept,
    });
  }

  private async append(
    call: AdmittedCall,
    reason: string,
    { sentMs }: CallTimes,
    more: { readonly upstreamStatus?: number; readonly usage?: Usage } & Pick<EventContent, 'payload' | 'marks'>,
  ): Promise<void> {
    const providerMs = performance.now() - sentMs;
    const totalMs = performance.now() - call.startedMs;
    const event = draftOf(call, {
      type: 'ai.error',
      reason,
      ...more,
      parentId: call.id,
      providerMs,
      totalMs,
      weirMs: totalMs - providerMs,
    });
    await this.pipeline.end(spendingCall(call), event, endingOf(call, event));
  }
}

/** Undefined on routes whose calls have no tokens. */
function brokenOffUsage(call: AdmittedCall, seen: SeenOfAnswer['seen']): Usage | undefined {
  if (!call.target.governed) return undefined;
  return sentUsage(call.request, seen === undefined ? NO_TEXTS : readSeen(call, seen).call);
}

function readSeen(call: AdmittedCall, { contentType, body }: NonNullable<SeenOfAnswer['seen']>): AnswerTexts {
  try {
    return readAnswer(call.target.dialect, contentType, body);
  } catch (error) {
    if (isUnreadable(error)) return NO_ANSWER_TEXTS;
    throw error;
  }
}

/** Errors come as JSON or not at all; what cannot be read is recorded without its text. */
async function readError({ contentType, coding, body }: ErrorAnswer, limits: UnpackedLimits): Promise<AnswerTexts> {
  try {
    return readAnswer('generic', contentType, await unpackBody(body, coding, limits));
  } catch (error) {
    if (isUnreadable(error)) return NO_ANSWER_TEXTS;
    throw error;
  }
}

/** @param masks of the answer's texts: a type in which something was found is none */
function errorType({ call }: AnswerTexts, masks: readonly Edit[]): string | undefined {
  const place = call.segments.findIndex(({ path, key }) => path === 'error.type' && key === 'type');
  const type = call.segments[place]?.text;
  if (type === undefined || !ERROR_TYPE.test(type) || masks.some(({ segment }) => segment === place)) return undefined;
  return type;
}
