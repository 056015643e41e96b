import { Inject, Injectable } from '@nestjs/common';
import { estimatingSentUsage, NO_TEXTS, type DecodedCall, type Usage } from '../core/index.js';
import { runCooperatively } from '../judgement/index.js';
import type { CallTimes, KeptBody } from './answer-judge.js';
import { isUnreadable, readingAnswer } from './answer-texts.js';
import { endingOf, namesOf } from './call-event.js';
import { CallPipeline } from './call-pipeline.js';
import type { AdmittedCall } from './proxied-call.js';

/** The received part of an incomplete answer. */
export interface PartialAnswer {
  readonly status?: number;
  /** False when the provider cannot have received the request. */
  readonly sent?: boolean;
  /** The received part of the body, without its content coding. */
  readonly seen?: { readonly contentType: string | undefined; readonly body: Buffer | KeptBody };
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
    const providerMs = performance.now() - times.sentMs;
    await this.pipeline.end({
      ...endingOf(call),
      type: 'ai.error',
      call: NO_TEXTS,
      content: async () => {
        const usage = isCharged ? await brokenOffUsage(call, seen) : undefined;
        const totalMs = performance.now() - call.startedMs;
        const latencyMs = { weir: totalMs - providerMs, total: totalMs, provider: providerMs };
        return { ...namesOf(call), reason, upstreamStatus: status, usage, parentId: call.id, latencyMs };
      },
    });
  }
}

/** The usage of a call without a complete answer; undefined on routes whose calls have no tokens. A long part is read in turns with other work. */
async function brokenOffUsage(call: AdmittedCall, seen: PartialAnswer['seen']): Promise<Usage | undefined> {
  if (!call.target.governed) return undefined;
  const read = seen === undefined ? NO_TEXTS : await textsOf(call, seen);
  return runCooperatively(estimatingSentUsage(call.request, read));
}

/** The texts of the received part of an answer; none if it cannot be read. */
async function textsOf(
  { target }: AdmittedCall,
  { contentType, body }: NonNullable<PartialAnswer['seen']>,
): Promise<DecodedCall> {
  try {
    const bytes = Buffer.isBuffer(body) ? body : body.bytes;
    const { call } = await runCooperatively(readingAnswer(target.dialect, contentType, bytes));
    return call;
  } catch (error) {
    if (isUnreadable(error)) return NO_TEXTS;
    throw error;
  }
}
