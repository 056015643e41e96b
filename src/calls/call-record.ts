import { Inject, Injectable } from '@nestjs/common';
import { APP_CONFIG, type AppConfig } from '../config/index.js';
import { AnswerJudge, type AnswerToJudge, type CallTimes, type JudgedAnswer } from './answer-judge.js';
import { toWeirError } from '../http/index.js';
import { answerLimits, type UnpackedLimits } from './content-coding.js';
import { FailureRecorder, type PartialAnswer } from './failure-recorder.js';
import type { AdmittedCall } from './proxied-call.js';
import { StoredBefore } from './call-replays.js';
import { NotRecorded } from './not-recorded.js';

/** A completely received answer. */
export type CompleteAnswer = Omit<AnswerToJudge, 'call' | 'times' | 'reason' | 'drained'>;
/** The received part of an answer whose client disconnected. */
export type AbandonedAnswer = Omit<CompleteAnswer, 'enforceable'> & Pick<AnswerToJudge, 'drained'>;

/** The failure of a call: no answer, or a part of one. An error of the provider is an answer. */
export type Failure = { readonly reason: string } & PartialAnswer;

/** The result when the call had already ended and nothing was done. */
export const ENDED_BEFORE = 'ended before';
/** The result of `fail` and `abandon`, which return no other data. */
export type RecordedEnd = 'recorded' | typeof ENDED_BEFORE;

const CLIENT_DISCONNECTED = 'client_disconnected';

/** The two writers of a call's end and its cost. */
interface EndWriters {
  readonly judge: Pick<AnswerJudge, 'judge'>;
  readonly failures: Pick<FailureRecorder, 'withoutAnswer'>;
}

/**
 * The end of one call. It is recorded once, and the call's reservation is settled with it: the first invocation of `complete`, `fail` or
 * `abandon` counts from the moment it begins, even if it fails. Later invocations do nothing and return `ENDED_BEFORE`. So any part of the
 * code that notices the end of a call may report it, whether or not other parts have done so.
 *
 * If the log does not accept the end, the call has ended nevertheless: the end may have been stored, and a second record would
 * be a second end. The call's reservation then expires with its lease. An entry point whose client may report an end again
 * opens another `CallRecord` for the same call: then the log decides which end was the first.
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
   * Called with a complete answer. Resolves when the answer was judged and its event is in the log: an `ai.response`, or an `ai.error` for an
   * error of the provider.
   * @param seen the part that is recorded of an answer that cannot be read or judged
   * @throws UnreadableAnswer when rules could change the answer, but its content cannot be determined: then an `ai.error` is
   * in the log; WeirError when the answer cannot be judged, or its end cannot be recorded
   */
  complete(answer: CompleteAnswer, seen: PartialAnswer = {}): Promise<JudgedAnswer | typeof ENDED_BEFORE> {
    return this.once(() => this.judged(answer), { status: answer.status, ...seen });
  }

  /**
   * Called when there is no answer, or an incomplete one.
   * @throws WeirError when the end cannot be recorded
   */
  fail(failure: Failure): Promise<RecordedEnd> {
    return this.once(async () => {
      await this.failed(failure);
      return 'recorded' as const;
    }, withoutBody(failure));
  }

  /**
   * Called when the client has disconnected.
   * @param left returns the received part of the answer, after the rest was read if the policy requires that; called only
   * when the call has not ended before
   * @throws WeirError when the end cannot be recorded
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

  private failed({ reason, ...seen }: Failure): Promise<void> {
    const { call, times, writers } = this;
    return writers.failures.withoutAnswer(call, reason, times, seen);
  }

  /** There is no `await` between reading and setting `ended`, so of two concurrent ends exactly one is the first. */
  private async once<T>(end: () => Promise<T>, seen: PartialAnswer = {}): Promise<T | typeof ENDED_BEFORE> {
    if (this.ended) return ENDED_BEFORE;
    this.ended = true;
    try {
      return await end();
    } catch (error) {
      // Another process has stored the end first.
      if (error instanceof StoredBefore) return ENDED_BEFORE;
      const { type: reason } = toWeirError(error);
      // An unexpected failure is caused by the answer, even if the log reports it, and reading the answer again could cause it again.
      if (reason === 'internal_error') await this.failed({ ...withoutBody(seen), reason });
      // Unless the log itself failed, it accepts the end without the answer, and the call's reservation is settled with it.
      else if (!(error instanceof NotRecorded)) await this.failed({ ...seen, reason });
      throw error;
    }
  }
}

function withoutBody({ status, sent }: PartialAnswer): PartialAnswer {
  return { ...(status === undefined ? {} : { status }), ...(sent === undefined ? {} : { sent }) };
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
