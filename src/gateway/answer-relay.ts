import { Readable } from 'node:stream';
import { Inject, Injectable } from '@nestjs/common';
import { APP_CONFIG, type AppConfig } from '../config/index.js';
import { planAnswer, refuses, withRestored } from '../core/index.js';
import { toWeirError, WeirError } from '../http/index.js';
import {
  type CallRecord,
  type HeaderText,
  isErrorStatus,
  isEventStream,
  isFramed,
  isReadAnswer,
  mayChange,
  refusalOf,
  unreadBytesOf,
} from '../calls/index.js';
import { beginsWithFrame } from '../contents/index.js';
import { afterOthersIfLate } from '../judgement/index.js';
import { headerTextsIn, requestHeaders, type UpstreamExchange } from './upstream-exchange.js';
import { AnswerHeaders } from './answer-headers.js';
import { ClientGone, clientIsGone } from './client-disconnect.js';
import { CollectedBody } from './collected-body.js';
import { GuardedRelay } from './guarded-relay.js';
import { judgedEnd } from './judged-end.js';
import { headersForClient } from './proxy-headers.js';
import { StreamRelay } from './stream-relay.js';
import { TRANSIT_BYTES, whenClosed } from './stream-to-client.js';
import { beginningOf } from './unpacked-pieces.js';
import { neverSent, upstreamError } from './upstream-client.js';

/** Longer answers are sent piece by piece: a client that reads slowly must not keep all of one in memory. */
const SENT_AT_ONCE_BYTES = 1024 * 1024;
const PIECE_BYTES = 16 * 1024;

/** A judged answer, as it is sent. */
interface JudgedText {
  readonly headers: Readonly<Record<string, string | string[]>>;
  /** As one piece, unless it is long. */
  readonly body: Buffer | CollectedBody;
}

/** Sends a provider's answer to the client: judged, recorded, and unchanged unless a rule redacts it or it has a content coding. */
@Injectable()
export class AnswerRelay {
  constructor(
    @Inject(APP_CONFIG) private readonly config: AppConfig,
    @Inject(StreamRelay) private readonly streams: StreamRelay,
    @Inject(GuardedRelay) private readonly guarded: GuardedRelay,
    @Inject(AnswerHeaders) private readonly headers: AnswerHeaders,
  ) {}

  /** @throws WeirError for an error that the client receives; ClientGone when the client has disconnected */
  async relay(arrived: UpstreamExchange): Promise<void> {
    const { status, headers } = arrived.answer;
    if (status >= 300 && status < 400 && status !== 304) return this.refuseRedirect(arrived);
    const texts = this.headers.textsOf(headers);
    const inHeaders = texts.length === 0 ? undefined : await this.foundIn(arrived, texts);
    const exchange = inHeaders === undefined ? arrived : { ...arrived, inHeaders };
    // Errors are short, and can contain the answer of a model.
    return isErrorStatus(status) ? this.relayText(exchange) : this.relayByForm(exchange);
  }

  /**
   * Records that the call got no answer.
   * @param status the status of an error of which not all arrived: an error costs nothing
   * @throws always: the error that the client receives
   */
  async failed(record: CallRecord, thrown: unknown, status?: number): Promise<never> {
    const gone = thrown instanceof ClientGone;
    const error = gone ? thrown : toWeirError(thrown);
    const reason = gone ? 'client_disconnected' : toWeirError(thrown).type;
    await record.fail({ reason, sent: !neverSent(thrown), ...(status === undefined ? {} : { status }) });
    throw error;
  }

  private async foundIn(
    exchange: UpstreamExchange,
    texts: readonly HeaderText[],
  ): Promise<UpstreamExchange['inHeaders']> {
    try {
      return await this.headers.foundIn(exchange, texts);
    } catch (error) {
      exchange.answer.body.destroy();
      throw error;
    }
  }

  private async relayByForm(exchange: UpstreamExchange): Promise<void> {
    const { record, answer, inHeaders } = exchange;
    const { call } = record;
    const { 'content-type': contentType, 'content-encoding': coding } = answer.headers;
    const plan = planAnswer(call.policy.policy, call.policy.detectors);
    const isHeld = plan.mode === 'hold' || inHeaders?.areRefused === true;
    if (isEventStream(contentType)) {
      if (isHeld) return this.streams.held(exchange);
      return mayChange(call) ? this.guarded.relay(exchange, plan) : this.streams.passing(exchange);
    }
    const beginning = (least?: number): Promise<Buffer> => beginningOf(answer.body, least);
    if (isFramed(contentType) && !isHeld && beginsWithFrame(await beginning()))
      return mayChange(call) ? this.guarded.relay(exchange, plan) : this.streams.passing(exchange);
    const isTooLarge = Number(answer.headers['content-length']) > this.config.proxy.answerLimitBytes;
    const isRead =
      inHeaders?.areRefused === true || (await isReadAnswer(call, { contentType, coding, isTooLarge, beginning }));
    return isRead ? this.relayText(exchange) : this.relayBinary(exchange);
  }

  /** Sends an answer, or an error of the provider with its status, when all of it is judged. */
  private async relayText(exchange: UpstreamExchange): Promise<void> {
    const { answer, reply } = exchange;
    const kept = await this.keptBody(exchange);
    const { headers, body } = await this.judgedText(exchange, kept);
    void reply.code(answer.status).headers(headers);
    if (Buffer.isBuffer(body)) await reply.send(body);
    else
      await reply
        .header('content-length', String(body.length))
        .send(Readable.from(body.pieces(), { objectMode: false, highWaterMark: TRANSIT_BYTES }));
  }

  /** Judges an answer. While the client reads it, nothing of the judgement is in memory. */
  private async judgedText(exchange: UpstreamExchange, kept: CollectedBody): Promise<JudgedText> {
    const body = kept.length <= SENT_AT_ONCE_BYTES ? kept.bytes : kept;
    const { record, answer, reply } = exchange;
    const { status } = answer;
    const { 'content-type': contentType, 'content-encoding': coding } = answer.headers;
    const came = { status, contentType, coding, body, ...headerTextsIn(exchange) };
    const ended = await record.complete({ ...came, enforceable: true });
    const { judgement, texts, headers, eventId, canned, plainBody, removedHeaders } = judgedEnd(ended);
    if (refuses(judgement.action)) {
      reply.headers(headers);
      throw refusalOf(judgement, eventId, canned);
    }
    const edits = withRestored(texts.call.segments, record.call.judgement.restorable, judgement.edits);
    // The client receives the bytes that were judged, and not their packed form, which may contain others.
    const changed = edits.length > 0 ? await texts.edited(edits) : plainBody;
    return {
      headers: { ...headersForClient(answer.headers, changed !== undefined, removedHeaders), ...headers },
      body: changed === undefined ? body : await sendable(changed),
    };
  }

  /**
   * Sends images, audio and files, and framed events that the policy permits, without judging their content. The
   * record is stored before the end of the answer is sent.
   */
  private async relayBinary(exchange: UpstreamExchange): Promise<void> {
    const { record, answer, reply, signal, inHeaders } = exchange;
    const { policy, detectors } = record.call.policy;
    // Nothing but the headers is judged. Rules that test for the absence of something need the whole answer.
    const enforceable = inHeaders !== undefined && planAnswer(policy, detectors).mode === 'guard';
    const { status } = answer;
    let bytes = 0;
    const passed = () => {
      const unreadBytes = unreadBytesOf(record.call, answer.headers['content-type'], bytes);
      const nothing = { status, contentType: undefined, coding: undefined, body: Buffer.alloc(0), enforceable };
      const came = { ...nothing, ...headerTextsIn(exchange) };
      return unreadBytes === undefined ? came : { ...came, unreadBytes };
    };
    // The client has disconnected, so an unavailable log cannot be reported to it.
    const abandoned = (): Promise<unknown> => {
      // Does nothing after the end. A client that left before the first byte would leave the provider's connection open.
      answer.body.destroy();
      return record.abandon(passed).catch(() => undefined);
    };
    const body = async function* (): AsyncGenerator<Buffer> {
      try {
        for await (const chunk of answer.body as AsyncIterable<Buffer>) {
          bytes += chunk.length;
          yield chunk;
        }
        await record.complete(passed());
      } catch (error) {
        const reason = upstreamError(signal.aborted ? signal.reason : error).type;
        if (!clientIsGone(signal)) await record.fail({ reason, status });
        throw error;
      } finally {
        await abandoned();
      }
    };
    await reply
      .code(status)
      .headers({ ...headersForClient(answer.headers, false, inHeaders?.removed), ...requestHeaders(exchange) })
      .send(whenClosed(Readable.from(body(), { objectMode: false }), abandoned));
  }

  /** A redirect is neither followed nor forwarded. @throws always: the error that the client receives */
  private async refuseRedirect({ record, answer }: UpstreamExchange): Promise<never> {
    answer.body.destroy();
    await record.fail({ reason: 'upstream_redirect', status: answer.status, sent: false });
    throw new WeirError('upstream_unreachable', {
      message: 'The provider answered with a redirect, which is not followed',
      retryHelps: false,
    });
  }

  private async keptBody({ record, answer, signal }: UpstreamExchange): Promise<CollectedBody> {
    const kept = new CollectedBody(this.config.proxy.answerLimitBytes);
    try {
      await kept.keepAll(answer.body);
      return kept;
    } catch (error) {
      const reason: unknown = signal.aborted ? signal.reason : upstreamError(error);
      return this.failed(record, reason, isErrorStatus(answer.status) ? answer.status : undefined);
    }
  }
}

/** Moves a long body out of the memory, in steps. */
async function sendable(body: Buffer): Promise<Buffer | CollectedBody> {
  if (body.length <= SENT_AT_ONCE_BYTES) return body;
  const kept = new CollectedBody(body.length);
  for (let at = 0; at < body.length; at += PIECE_BYTES) {
    kept.add(body.subarray(at, at + PIECE_BYTES));
    const late = afterOthersIfLate();
    if (late !== undefined) await late;
  }
  return kept;
}
