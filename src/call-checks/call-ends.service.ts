import { Inject, Injectable } from '@nestjs/common';
import type { Caller } from '../access/index.js';
import {
  CallRecords,
  CallReplays,
  ENDED_BEFORE,
  endId,
  isErrorStatus,
  isReadAnswer,
  isUnreadable,
  unpackBody,
  unpackedOrUnreadable,
  unreadBytesOf,
  type AdmittedCall,
  type AbandonedAnswer,
  type CallRecord,
  type RecordedEnd,
  type UnpackedLimits,
} from '../calls/index.js';
import type { Violation } from '../core/index.js';
import { EventLog, type StoredAnswer } from '../events/index.js';
import { WeirError } from '../http/index.js';
import { EarlierCalls, answerExpired } from './earlier-calls.js';
import { OpenCalls } from './open-calls.js';
import type { ReportedAnswer } from './reported-answer.js';

/** The outcome of a report: the first one, or a repeated one. */
export interface CallEndReceipt {
  readonly call: string;
  readonly event_id: string;
  readonly violations: readonly Violation[];
}

/**
 * Accepts reports of how calls ended: each is read, judged, priced and recorded like an answer through the proxy. The first report of a
 * call counts.
 */
@Injectable()
export class CallEnds {
  constructor(
    @Inject(OpenCalls) private readonly open: OpenCalls,
    @Inject(EarlierCalls) private readonly earlier: EarlierCalls,
    @Inject(CallRecords) private readonly records: CallRecords,
    @Inject(CallReplays) private readonly replays: CallReplays,
    @Inject(EventLog) private readonly log: EventLog,
  ) {}

  /**
   * Records the end of a call once.
   *
   * @param limits the limits of the unpacked answer
   * @throws WeirError `not_found`, `invalid_request`, `in_progress`, `unavailable`; the error of `limits.reach`, and then the end can be
   * reported again
   */
  async record(
    caller: Caller,
    reported: ReportedAnswer,
    limits: UnpackedLimits,
  ): Promise<{ readonly end: CallEndReceipt; readonly replayed: boolean }> {
    const once = await this.replays.once({ caller, eventId: endId(reported.call) }, (settle) =>
      this.first(caller, reported, limits, settle),
    );
    const { stored, replayed } = once.replayed ? once : once.result;
    if (stored.body === '') throw answerExpired();
    return { end: JSON.parse(stored.body) as CallEndReceipt, replayed };
  }

  private async first(
    caller: Caller,
    reported: ReportedAnswer,
    limits: UnpackedLimits,
    settle: (answer: StoredAnswer) => void,
  ) {
    const call = await this.callOf(caller, reported.call);
    const replayed = (await this.end(call, reported, limits)) === ENDED_BEFORE;
    this.open.delete(call.id);
    const stored = await this.remembered(caller, reported.call);
    if (stored === null) throw new WeirError('unavailable', { retryAfterSeconds: 1 });
    settle(stored);
    return { stored, replayed };
  }

  private remembered({ appId, environment, accountId }: Caller, id: string): Promise<StoredAnswer | null> {
    return this.log.remembered(appId, environment, endId(id), accountId);
  }

  /** Finds the call; one of another account, app or environment counts as unknown. */
  private async callOf(caller: Caller, id: string): Promise<AdmittedCall> {
    const open = this.open.find(id);
    if (open === undefined) return this.earlier.find(caller, id);
    const { accountId, appId, environment } = open.caller;
    const isOwn = accountId === caller.accountId && appId === caller.appId && environment === caller.environment;
    if (!isOwn) throw new WeirError('not_found');
    return open;
  }

  /**
   * Records how the call ended, according to the report. The answer is unpacked before its record is opened: without memory for it, nothing
   * is recorded.
   */
  private async end(asked: AdmittedCall, reported: ReportedAnswer, limits: UnpackedLimits): Promise<RecordedEnd> {
    const record = this.recordOf(asked, reported.latencyMs ?? performance.now() - asked.startedMs);
    const { status, ended, contentType, coding, body } = reported;
    if (ended === 'unsent') return record().fail({ reason: 'not_sent', sent: false });
    if (ended === 'error' || status === undefined) {
      const seen = await partialAnswerOf(reported, limits);
      return record().fail({
        reason: reported.error,
        ...(status === undefined ? {} : { status }),
        ...(seen === undefined ? {} : { seen }),
      });
    }
    if (status >= 300 && status < 400 && status !== 304) {
      return record().fail({ reason: 'upstream_redirect', status, sent: false });
    }
    const isError = isErrorStatus(status);
    const answer = isError
      ? { status, contentType, ...(await unpackedOrUnreadable({ body, coding }, limits)) }
      : await receivedAnswer(asked, { ...reported, status }, limits);
    // The text of an error counts even if its client did not read all of it.
    if (ended === 'aborted' && !isError) return record().abandon(() => answer);
    const completed = await record().complete({ ...answer, enforceable: false });
    return completed === ENDED_BEFORE ? ENDED_BEFORE : 'recorded';
  }

  /**
   * A function that opens the record of a call.
   * @param providerMs the time between sending the call and the last byte of its answer
   */
  private recordOf(asked: AdmittedCall, providerMs: number): () => CallRecord {
    return () => {
      // A delay of the report counts neither as time of the provider nor as overhead of Weir.
      const sentMs = performance.now() - providerMs;
      return this.records.open({ ...asked, startedMs: sentMs }, { sentMs, overheadMs: 0 });
    };
  }
}

const BEGINNING_BYTES = 4_096;

/** The part of the answer before the interruption, as far as it can be read. */
async function partialAnswerOf({ contentType, coding, body }: ReportedAnswer, limits: UnpackedLimits) {
  try {
    return { contentType, body: await unpackBody(body, coding, limits, false) };
  } catch (error) {
    if (isUnreadable(error)) return undefined;
    throw error;
  }
}

/** The answer in the form in which the proxy would have recorded it: the proxy does not read every file. */
async function receivedAnswer(
  call: AdmittedCall,
  reported: ReportedAnswer & { readonly status: number },
  limits: UnpackedLimits,
): Promise<AbandonedAnswer> {
  const { status, contentType, coding, body, ended } = reported;
  const beginning = (): Promise<Buffer> => Promise.resolve(body.subarray(0, BEGINNING_BYTES));
  if (await isReadAnswer(call, { contentType, coding, isTooLarge: false, beginning })) {
    return { status, contentType, ...(await unpackedOrUnreadable({ body, coding }, limits, ended !== 'aborted')) };
  }
  const unreadBytes = unreadBytesOf(call, contentType, body.length);
  const unread = { status, contentType: undefined, coding: undefined, body: Buffer.alloc(0) };
  return unreadBytes === undefined ? unread : { ...unread, unreadBytes };
}
