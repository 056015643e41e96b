import { Readable } from 'node:stream';
import { Inject, Injectable } from '@nestjs/common';
import { APP_CONFIG, type AppConfig } from '../config/index.js';
import { planAnswer, withRestored } from '../core/index.js';
import { toWeirError, WeirError } from '../http/index.js';
import {
  type AdmittedCall,
  AnswerJudge,
  answerLimits,
  type CallTimes,
  FailureRecorder,
  isEventStream,
  isFramed,
  isReadAnswer,
  mayChange,
  refusalOf,
  UnreadableAnswer,
} from '../calls/index.js';
import { requestHeaders, type AnswerOnItsWay } from './answer-on-its-way.js';
import { beginningOf } from './beginning.js';
import { ClientGone, clientIsGone } from './client-gone.js';
import { CollectedBody } from './collected-body.js';
import { GuardedRelay } from './guarded-relay.js';
import { headersDown } from './proxy-headers.js';
import { StreamRelay } from './stream-relay.js';
import { neverSent, upstreamError } from './upstream-client.js';

/** Brings a provider's answer to the client: judged, recorded, and unchanged where no rule says otherwise. */
@Injectable()
export class AnswerRelay {
  constructor(
    @Inject(APP_CONFIG) private readonly config: AppConfig,
    @Inject(AnswerJudge) private readonly judge: AnswerJudge,
    @Inject(FailureRecorder) private readonly failures: FailureRecorder,
    @Inject(StreamRelay) private readonly streams: StreamRelay,
    @Inject(GuardedRelay) private readonly guarded: GuardedRelay,
  ) {}

  /** @throws WeirError for what the client is to be told; ClientGone when nobody is left */
  async relay(way: AnswerOnItsWay): Promise<void> {
    const { call, answer } = way;
    const contentType = answer.headers['content-type'];
    if (answer.status >= 300 && answer.status !== 304) return this.relayError(way);
    const plan = planAnswer(call.policy.policy, call.policy.detectors);
    if (isEventStream(contentType)) {
      if (plan.mode === 'hold') return this.streams.held(way);
      return mayChange(call) ? this.guarded.relay(way, plan) : this.streams.passing(way);
    }
    const { 'content-encoding': coding } = answer.headers;
    const beginning = (): Promise<Buffer> => beginningOf(answer.body);
    const isRead = await isReadAnswer(call, { contentType, coding, beginning });
    return isRead ? this.relayText(way) : this.relayBinary(way);
  }

  /** The call did not get an answer. Records that. @throws always: what the client is to be told */
  async failed(call: AdmittedCall, thrown: unknown, times: CallTimes): Promise<never> {
    const gone = thrown instanceof ClientGone;
    const error = gone ? thrown : toWeirError(thrown);
    const reason = gone ? 'client_disconnected' : toWeirError(thrown).type;
    await this.failures.withoutAnswer(call, reason, times, { sent: !neverSent(thrown) });
    throw error;
  }

  private async relayText(way: AnswerOnItsWay): Promise<void> {
    const { call, answer, reply } = way;
    const { 'content-type': contentType, 'content-encoding': coding } = answer.headers;
    const body = await this.readAll(way);
    const judged = await this.judge
      .judge(
        { call, status: answer.status, contentType, coding, body, enforceable: true, times: way.times },
        answerLimits(this.config),
      )
      .catch((error: unknown) => {
        if (error instanceof UnreadableAnswer) return this.failed(call, error, way.times);
        throw error;
      });
    const { judgement, texts, headers, eventId } = judged;
    if (judgement.action === 'block') {
      reply.headers(headers);
      throw refusalOf(judgement, eventId);
    }
    const edits = withRestored(texts.call.segments, call.judgement.restorable, judgement.edits);
    const changed = edits.length > 0;
    await reply
      .code(answer.status)
      .headers({ ...headersDown(answer.headers, changed), ...headers })
      .send(changed ? await texts.edited(edits) : body);
  }

  /**
   * Pictures, recordings and files, and events in frames where the policy lets them pass: nothing in them is judged. The
   * record is made before their end is sent.
   */
  private async relayBinary(way: AnswerOnItsWay): Promise<void> {
    const { call, answer, reply, signal } = way;
    const isUnread = isFramed(answer.headers['content-type']);
    let bytes = 0;
    const record = (reason?: string): Promise<unknown> =>
      this.judge.judge(
        {
          call,
          status: answer.status,
          contentType: undefined,
          coding: undefined,
          body: Buffer.alloc(0),
          enforceable: false,
          times: way.times,
          ...(isUnread ? { unreadBytes: bytes } : {}),
          ...(reason === undefined ? {} : { reason }),
        },
        answerLimits(this.config),
      );
    const broken = (error: unknown): Promise<void> =>
      this.failures.withoutAnswer(call, upstreamError(error).type, way.times, { status: answer.status });
    const body = async function* (): AsyncGenerator<Buffer> {
      let recorded = false;
      try {
        for await (const chunk of answer.body as AsyncIterable<Buffer>) {
          bytes += chunk.length;
          yield chunk;
        }
        recorded = true;
        await record();
      } catch (error) {
        if (!recorded && !clientIsGone(signal)) {
          recorded = true;
          await broken(signal.aborted ? signal.reason : error);
        }
        throw error;
      } finally {
        // The client is gone: nobody is left to hear that the log is, too.
        if (!recorded) await record('client_disconnected').catch(() => undefined);
      }
    };
    await reply
      .code(answer.status)
      .headers({ ...headersDown(answer.headers, false), ...requestHeaders(way) })
      .send(Readable.from(body(), { objectMode: false }));
  }

  /** The provider's own error passes as it is; a redirect is not followed and not passed on. */
  private async relayError(way: AnswerOnItsWay): Promise<void> {
    const { call, answer, reply } = way;
    if (answer.status < 400) {
      answer.body.destroy();
      await this.failures.withoutAnswer(call, 'upstream_redirect', way.times, { status: answer.status, sent: false });
      throw new WeirError('upstream_unreachable', {
        message: 'The provider answered with a redirect; none is followed',
      });
    }
    const body = await this.readAll(way);
    const { status, headers } = answer;
    const { 'content-type': contentType, 'content-encoding': coding } = headers;
    const error = { status, contentType, coding, body };
    await this.failures.answered(call, error, way.times, answerLimits(this.config));
    await reply
      .code(status)
      .headers({ ...headersDown(headers, false), ...requestHeaders(way) })
      .send(body);
  }

  private async readAll(way: AnswerOnItsWay): Promise<Buffer> {
    try {
      return await new CollectedBody(this.config.proxy.answerLimitBytes).readAll(way.answer.body);
    } catch (error) {
      const reason: unknown = way.signal.aborted ? way.signal.reason : upstreamError(error);
      return this.failed(way.call, reason, way.times);
    }
  }
}
