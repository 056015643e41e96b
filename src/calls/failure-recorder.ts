import { Inject, Injectable } from '@nestjs/common';
import { atOnce, NO_TEXTS, sentUsage, type DecodedCall, type Edit, type Usage } from '../core/index.js';
import { runCooperatively } from '../judgement/index.js';
import type { CallTimes } from './answer-judge.js';
import type { AnswerTexts } from './answer-contents.js';
import { isUnreadable, NO_ANSWER_TEXTS, readingAnswer } from './answer-texts.js';
import { endingOf, namesOf } from './call-event.js';
import { CallPipeline, type EventContent, type Judged } from './call-pipeline.js';
import { keptOf } from './kept-marks.js';
import { unpackBody, type UnpackedLimits } from './content-coding.js';
import type { AdmittedCall } from './proxied-call.js';

/** The form of providers' error types. */
const ERROR_TYPE = /^[a-z][a-z0-9_.-]{0,63}$/i;

/** The received part of an incomplete answer. */
export interface PartialAnswer {
  readonly status?: number;
  /** False when the provider cannot have received the request. */
  readonly sent?: boolean;
  /** The received part of the body, without its content coding. */
  readonly seen?: { readonly contentType: string | undefined; readonly body: Buffer };
}

/** A provider's answer with an error status, unchanged. */
export interface ErrorAnswer {
  readonly status: number;
  readonly contentType: string | undefined;
  readonly coding: string | undefined;
  readonly body: Buffer;
}

/** Writes `ai.error` events to the log: for calls that a provider refused, and for calls without a complete answer. */
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
    await this.end(call, NO_TEXTS, times, () => ({ reason, upstreamStatus: status, usage }));
  }

  /** Records an answer with an error status. Its text is masked like any other. @throws WeirError when it cannot be recorded */
  async answered(call: AdmittedCall, answer: ErrorAnswer, times: CallTimes, limits: UnpackedLimits): Promise<void> {
    const texts = await readError(answer, limits);
    await this.end(call, texts.call, times, async ({ masks }) => {
      const stored = await texts.stored(masks, call.policy.policy.content === 'full');
      return {
        reason: errorType(texts, masks) ?? 'upstream_error',
        upstreamStatus: answer.status,
        ...(await keptOf(call, stored, { call: texts.call, masks, numbering: null })),
      };
    });
  }

  private async end(
    call: AdmittedCall,
    texts: DecodedCall,
    { sentMs }: CallTimes,
    more: (judged: Judged) => Omit<EventContent, 'latencyMs'> | Promise<Omit<EventContent, 'latencyMs'>>,
  ): Promise<void> {
    await this.pipeline.end({
      ...endingOf(call),
      type: 'ai.error',
      call: texts,
      content: async (judged) => {
        const said = await more(judged);
        const providerMs = performance.now() - sentMs;
        const totalMs = performance.now() - call.startedMs;
        const latencyMs = { weir: totalMs - providerMs, total: totalMs, provider: providerMs };
        return { ...namesOf(call), ...said, parentId: call.id, latencyMs };
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

/** Reads the texts of an error. An error that cannot be read is recorded without its text. */
async function readError({ contentType, coding, body }: ErrorAnswer, limits: UnpackedLimits): Promise<AnswerTexts> {
  try {
    return await runCooperatively(readingAnswer('generic', contentType, await unpackBody(body, coding, limits)));
  } catch (error) {
    if (isUnreadable(error)) return NO_ANSWER_TEXTS;
    throw error;
  }
}

/** The error's type. @param masks the masks of the answer's texts: a type that would have to be masked is not used */
function errorType({ call }: AnswerTexts, masks: readonly Edit[]): string | undefined {
  const place = call.segments.findIndex(({ path, key }) => path === 'error.type' && key === 'type');
  const type = call.segments[place]?.text;
  if (type === undefined || !ERROR_TYPE.test(type) || masks.some(({ segment }) => segment === place)) return undefined;
  return type;
}
