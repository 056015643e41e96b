import { Inject, Injectable } from '@nestjs/common';
import { atOnce, NO_TEXTS, sentUsage, type Usage } from '../core/index.js';
import type { CallTimes } from './answer-judge.js';
import type { AnswerTexts } from './answer-contents.js';
import { isUnreadable, NO_ANSWER_TEXTS, readingAnswer } from './answer-texts.js';
import { endingOf, namesOf } from './call-event.js';
import { CallPipeline } from './call-pipeline.js';
import type { AdmittedCall } from './proxied-call.js';

/** The received part of an incomplete answer. */
export interface PartialAnswer {
  readonly status?: number;
  /** False when the provider cannot have received the request. */
  readonly sent?: boolean;
  /** The received part of the body, without its content coding. */
  readonly seen?: { readonly contentType: string | undefined; readonly body: Buffer };
}

/** Writes `ai.error` events to the log for calls without a complete answer. `AnswerJudge` writes those for a provider's errors. */
@Injectable()
export class FailureRecorder {
  constructor(@Inject(CallPipeline) private readonly pipeline: CallPipeline) {}

  /**
   * Records a call that ended without an answer, or with a part of one. A request that was sent is charged as far as its usage
   * is known: its input, and the received output. An error status costs nothing, also if the text of the error did not arrive.
   * @throws WeirError when the end cannot be recorded
   */
  async withoutAnswer(
    call: AdmittedCall,
    reason: string,
    times: CallTimes,
    { status, sent = true, seen }: PartialAnswer = {},
  ): Promise<void> {
    const isCharged = sent && (status === undefined || status < 400);
    const usage = isCharged ? brokenOffUsage(call, seen) : undefined;
    await this.pipeline.end({
      ...endingOf(call),
      type: 'ai.error',
      call: NO_TEXTS,
      content: () => {
        const providerMs = performance.now() - times.sentMs;
        const totalMs = performance.now() - call.startedMs;
        const latencyMs = { weir: totalMs - providerMs, total: totalMs, provider: providerMs };
        return { ...namesOf(call), reason, upstreamStatus: status, usage, parentId: call.id, latencyMs };
      },
    });
  }
}

/** The usage of a call without a complete answer; undefined on routes whose calls have no tokens. */
function brokenOffUsage(call: AdmittedCall, seen: PartialAnswer['seen']): Usage | undefined {
  if (!call.target.governed) return undefined;
  return sentUsage(call.request, seen === undefined ? NO_TEXTS : readSeen(call, seen).call);
}

function readSeen(call: AdmittedCall, { contentType, body }: NonNullable<PartialAnswer['seen']>): AnswerTexts {
  try {
    return atOnce(readingAnswer(call.target.dialect, contentType, body));
  } catch (error) {
    if (isUnreadable(error)) return NO_ANSWER_TEXTS;
    throw error;
  }
}
