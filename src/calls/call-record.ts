import { Inject, Injectable } from '@nestjs/common';
import { APP_CONFIG, type AppConfig } from '../config/index.js';
import {
  AnswerJudge,
  UnreadableAnswer,
  type AnswerToJudge,
  type CallTimes,
  type JudgedAnswer,
} from './answer-judge.js';
import { toWeirError } from '../http/index.js';
import { answerLimits, type UnpackedLimits } from './content-coding.js';
import { FailureRecorder, type ErrorAnswer, type PartialAnswer } from './failure-recorder.js';
import type { AdmittedCall } from './proxied-call.js';
import { StoredBefore } from './call-replays.js';

/** A completely received answer. */
export type CompleteAnswer = Omit<AnswerToJudge, 'call' | 'times' | 'reason' | 'drained'>;
/** The received part of an answer whose client disconnected. */
export type AbandonedAnswer = Omit<CompleteAnswer, 'enforceable'> & Pick<AnswerToJudge, 'drained'>;

/** A call without an answer, or with a part of one; or an answer that is an error. */
export type Failure = ({ readonly reason: string } & PartialAnswer) | { readonly error: ErrorAnswer };

/** The result when the call had already ended and nothing was done. */
export const ENDED_BEFORE = 'ended before';
/** The result of an end without other data. */
export type RecordedEnd = 'recorded' | typeof ENDED_BEFORE;

const CLIENT_DISCONNECTED = 'client_disconnected';

/** The two writers of a call's end and its cost. */
interface EndWriters {
  readonly judge: Pick<AnswerJudge, 'judge'>;
  readonly failures: Pick<FailureRecorder, 'withoutAnswer' | 'answered'>;
}

/**
 * The end of one call. It is recorded once, and what the call held is settled with it: the first of `complete`, `fail`
 * and `abandon` counts from the moment in which it is called, whatever comes of it. Those that come later do nothing and
 * say so. Thus whoever notices that a call is over may say it, without knowing who else has noticed.
 *
 * Where the log does not take the end, the call has ended all the same: it may have been stored, and a second record would
 * be a second end. What the call held ends with its lease. A door whose client may tell an end again opens another record:
 * then the log decides which end was the first.
 */
export class CallRecord {
  private ended = false;

  constructor(
    readonly call: AdmittedCall,
    readonly times: CallTimes,
    private readonly writers: EndWriters,
    private readonly limits: UnpackedLimits,
  ) {}

  /** Whether the end of the call was reported; it may not be in the log yet. */
  get hasEnded(): boolean {
    return this.ended;
  }

  /**
   * Called with a complete answer. Resolves when it was judged and the `ai.response` is in the log.
   * @param seen the recorded part of an unreadable answer
   * @throws UnreadableAnswer when rules could change it, but what is in it cannot be said: the `ai.error` is in the log
   * then; WeirError when it cannot be recorded
   */
  complete(answer: CompleteAnswer, seen: PartialAnswer = {}): Promise<JudgedAnswer | typeof ENDED_BEFORE> {
    return this.once(async () => {
      try {
        return await this.judged(answer);
      } catch (error) {
        if (error instanceof UnreadableAnswer) await this.failed({ reason: error.type, ...seen });
        throw error;
      }
    }, answer);
  }

  /**
   * Called when there is no answer, an incomplete one, or an error.
   * @throws WeirError when it cannot be recorded
   */
  fail(failure: Failure): Promise<RecordedEnd> {
    return this.once(
      async () => {
        await this.failed(failure);
        return 'recorded' as const;
      },
      'error' in failure ? failure.error : failure,
    );
  }

  /**
   * The client is gone.
   * @param left gives what had come of the answer, after the rest of it was read where the policy wants that; asked only
   * when nobody else has said how the call ended
   * @throws WeirError when it cannot be recorded
   */
  abandon(left: () => AbandonedAnswer | Promise<AbandonedAnswer>): Promise<RecordedEnd> {
    return this.once(async () => {
      await this.judged({ ...(await left()), enforceable: false }, CLIENT_DISCONNECTED);
      return 'recorded' as const;
    });
  }

  private judged(answer: Omit<AnswerToJudge, 'call' | 'times'>, reason?: string): Promise<JudgedAnswer> {
    const { call, times } = this;
    const toJudge = { ...answer, call, times, ...(reason === undefined ? {} : { reason }) };
    return this.writers.judge.judge(toJudge, this.limits);
  }

  private failed(failure: Failure): Promise<void> {
    const { call, times, limits } = this;
    const { failures } = this.writers;
    if ('error' in failure) return failures.answered(call, failure.error, times, limits);
    const { reason, ...seen } = failure;
    return failures.withoutAnswer(call, reason, times, seen);
  }

  /** There is no `await` between check and mark, so of two concurrent ends exactly one is the first. */
  private async once<T>(
    end: () => Promise<T>,
    { status }: { readonly status?: number } = {},
  ): Promise<T | typeof ENDED_BEFORE> {
    if (this.ended) return ENDED_BEFORE;
    this.ended = true;
    try {
      return await end();
    } catch (error) {
      // Another process was first.
      if (error instanceof StoredBefore) return ENDED_BEFORE;
      // An unexpected failure concerns the answer, not the log: the end can be recorded without the answer.
      const { type } = toWeirError(error);
      if (type === 'internal_error') await this.failed({ reason: type, ...(status === undefined ? {} : { status }) });
      throw error;
    }
  }
}

/** Creates the records of calls that may continue. */
@Injectable()
export class CallRecords {
  constructor(
    @Inject(APP_CONFIG) private readonly config: AppConfig,
    @Inject(AnswerJudge) private readonly judge: AnswerJudge,
    @Inject(FailureRecorder) private readonly failures: FailureRecorder,
  ) {}

  open(call: AdmittedCall, times: CallTimes): CallRecord {
    const { judge, failures } = this;
    return new CallRecord(call, times, { judge, failures }, answerLimits(this.config));
  }
}
