import { Inject, Injectable } from '@nestjs/common';
import { APP_CONFIG, type AppConfig } from '../config/index.js';
import { providerOfStyle, withRestored } from '../core/index.js';
import {
  AnswerJudge,
  answerLimits,
  type AnswerToJudge,
  dialectErrorFrame,
  errorInfo,
  FailureRecorder,
  refusalOf,
  type SeenOfAnswer,
  UnreadableAnswer,
} from '../calls/index.js';
import { requestHeaders, type AnswerOnItsWay } from './answer-on-its-way.js';
import { ClientGone, clientIsGone } from './client-gone.js';
import { CollectedBody } from './collected-body.js';
import { abandonedBody, leavable } from './drained.js';
import { HeldReply } from './held-reply.js';
import { inTransit } from './in-transit.js';
import { KEEP_ALIVE_MS, withKeepAlives } from './keep-alive.js';
import { headersDown } from './proxy-headers.js';
import { StreamFailures } from './stream-failures.js';
import { upstreamError } from './upstream-client.js';

const CLIENT_DISCONNECTED = 'client_disconnected';

/** Brings event streams to the client: held until they are judged, or as they come where no rule could change them. */
@Injectable()
export class StreamRelay {
  constructor(
    @Inject(APP_CONFIG) private readonly config: AppConfig,
    @Inject(KEEP_ALIVE_MS) private readonly keepAliveMs: number,
    @Inject(AnswerJudge) private readonly judge: AnswerJudge,
    @Inject(FailureRecorder) private readonly failures: FailureRecorder,
    @Inject(StreamFailures) private readonly log: StreamFailures,
  ) {}

  /** Not a byte leaves before the verdict on the whole. @throws ClientGone */
  async held(way: AnswerOnItsWay): Promise<void> {
    const { call, answer, reply } = way;
    const { style } = call.target.provider;
    const early = { ...headersDown(answer.headers, true), ...requestHeaders(way) };
    const held = new HeldReply(reply, style, early, this.keepAliveMs);
    try {
      const body = await this.readAll(way);
      const judged = await this.judge.judge(this.toJudge(way, body, true), answerLimits(this.config));
      const { judgement, texts, eventId } = judged;
      if (judgement.action === 'block') {
        const refusal = refusalOf(judgement, eventId);
        await held.refuse(refusal, errorInfo(call.requestId, refusal), judged.headers);
        return;
      }
      // A held stream may have begun already, and then without a content coding.
      const edits = withRestored(texts.call.segments, call.judgement.restorable, judgement.edits);
      const changed = edits.length > 0 || answer.headers['content-encoding'] !== undefined;
      const headers = { ...headersDown(answer.headers, changed), ...judged.headers };
      await held.release(headers, changed ? await texts.edited(edits) : body);
    } catch (error) {
      if (error instanceof ClientGone) {
        held.abandon();
        throw error;
      }
      const refusal = this.log.logged(await this.recorded(way, error), call.requestId);
      await held.refuse(refusal, errorInfo(call.requestId, refusal), requestHeaders(way));
    }
  }

  /** Every chunk goes on at once, as fast as the client reads; the end goes on when the answer is recorded. */
  async passing(way: AnswerOnItsWay): Promise<void> {
    const { call, answer, reply, signal } = way;
    const { style } = call.target.provider;
    const collected = new CollectedBody(this.config.proxy.answerLimitBytes);
    let recorded = false;
    const record = async (left: { readonly reason?: string; readonly drained?: boolean } = {}): Promise<void> => {
      recorded = true;
      const body = { ...this.toJudge(way, collected.bytes, false), ...left };
      await this.judge.judge(body, answerLimits(this.config));
    };
    const fail = async (error: unknown): Promise<string> => {
      recorded = true;
      const refusal = this.log.logged(error, call.requestId);
      await this.failures.withoutAnswer(call, refusal.type, way.times, seenOf(way, collected));
      return dialectErrorFrame(style, refusal, errorInfo(call.requestId, refusal));
    };
    const abandoned = async (): Promise<void> => {
      const drained = await abandonedBody(way, collected);
      await record({ reason: CLIENT_DISCONNECTED, drained }).catch(
        (error: unknown) => void this.log.logged(error, call.requestId),
      );
    };
    const collect = async function* (): AsyncGenerator<Buffer> {
      for await (const chunk of leavable(answer.body)) {
        collected.add(chunk);
        yield chunk;
      }
    };
    const keepAliveMs = this.keepAliveMs;
    const body = async function* (): AsyncGenerator<Buffer> {
      try {
        yield* withKeepAlives(collect(), keepAliveMs, providerOfStyle(style).keepAlive);
        await record();
      } catch (error) {
        if (recorded) throw error;
        if (clientIsGone(signal)) return;
        yield Buffer.from(await fail(upstreamError(signal.aborted ? signal.reason : error)));
      } finally {
        if (!recorded) await abandoned();
      }
    };
    const headers = { ...headersDown(answer.headers, false), ...requestHeaders(way) };
    await reply.code(answer.status).headers(headers).send(inTransit(body()));
  }

  private async readAll(way: AnswerOnItsWay): Promise<Buffer> {
    const collected = new CollectedBody(this.config.proxy.answerLimitBytes);
    try {
      return await collected.readAll(way.answer.body);
    } catch (error) {
      if (clientIsGone(way.signal)) {
        const seen = { ...this.toJudge(way, collected.bytes, false), reason: CLIENT_DISCONNECTED };
        await this.judge.judge(seen, answerLimits(this.config));
        throw new ClientGone();
      }
      const failure = upstreamError(way.signal.aborted ? way.signal.reason : error);
      await this.failures.withoutAnswer(way.call, failure.type, way.times, seenOf(way, collected));
      throw failure;
    }
  }

  /** What the client is told about a failure; an answer that cannot be read is recorded first. */
  private async recorded({ call, answer, times }: AnswerOnItsWay, error: unknown): Promise<unknown> {
    if (!(error instanceof UnreadableAnswer)) return error;
    return this.failures.withoutAnswer(call, error.type, times, { status: answer.status }).then(
      () => error,
      (failure: unknown) => failure,
    );
  }

  private toJudge({ call, answer, times }: AnswerOnItsWay, body: Buffer, enforceable: boolean): AnswerToJudge {
    return {
      call,
      status: answer.status,
      contentType: answer.headers['content-type'],
      coding: answer.headers['content-encoding'],
      body,
      enforceable,
      times,
    };
  }
}

/** What came before a stream broke off; nothing of one that is packed. */
function seenOf({ answer }: AnswerOnItsWay, collected: CollectedBody): SeenOfAnswer {
  const contentType = answer.headers['content-type'];
  const readable = answer.headers['content-encoding'] === undefined;
  return { status: answer.status, ...(readable ? { seen: { contentType, body: collected.bytes } } : {}) };
}
