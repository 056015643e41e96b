import { Inject, Injectable } from '@nestjs/common';
import { JudgementService } from '../judgement/index.js';
import type { CallTimes } from './answer-judge.js';
import { isUnreadable, NO_ANSWER_TEXTS, readAnswer, type AnswerTexts } from './answer-texts.js';
import { CallRecorder } from './call-recorder.js';
import { unpackBody, type UnpackedLimits } from './content-coding.js';
import type { AdmittedCall } from './proxied-call.js';

/** An error type as providers name them. */
const ERROR_TYPE = /^[a-z][a-z0-9_.-]{0,63}$/i;

/** A provider's answer with an error status, as it came. */
interface ErrorAnswer {
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
    @Inject(CallRecorder) private readonly recorder: CallRecorder,
  ) {}

  /** A call that ended without an answer. @throws WeirError when it cannot be recorded */
  async withoutAnswer(call: AdmittedCall, reason: string, times: CallTimes, status?: number): Promise<void> {
    await this.append(call, reason, times, { ...(status === undefined ? {} : { upstreamStatus: status }) });
  }

  /** An answer with an error status. Its text is masked like any other. @throws WeirError when it cannot be recorded */
  async answered(call: AdmittedCall, answer: ErrorAnswer, times: CallTimes, limits: UnpackedLimits): Promise<void> {
    const texts = await readError(answer, limits);
    const masks = await this.judging.maskTexts(call.policy, texts.call.segments);
    const payload = texts.stored(masks, call.policy.policy.content === 'full');
    await this.append(call, errorType(texts) ?? 'upstream_error', times, {
      upstreamStatus: answer.status,
      ...(payload === undefined ? {} : { payload }),
    });
  }

  private async append(
    call: AdmittedCall,
    reason: string,
    { sentMs }: CallTimes,
    more: { readonly upstreamStatus?: number; readonly payload?: string },
  ): Promise<void> {
    const providerMs = performance.now() - sentMs;
    const totalMs = performance.now() - call.startedMs;
    const event = this.recorder.draft(call, {
      type: 'ai.error',
      reason,
      ...more,
      parentId: call.eventId,
      providerMs,
      totalMs,
      weirMs: totalMs - providerMs,
    });
    await this.recorder.append(event);
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

function errorType({ call }: AnswerTexts): string | undefined {
  const type = call.segments.find(({ path, key }) => path === 'error.type' && key === 'type')?.text;
  return type !== undefined && ERROR_TYPE.test(type) ? type : undefined;
}
