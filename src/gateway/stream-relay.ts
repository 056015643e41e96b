import { Inject, Injectable } from '@nestjs/common';
import { APP_CONFIG, type AppConfig } from '../config/index.js';
import { refuses, withRestored } from '../core/index.js';
import { dialectErrorFrame, errorInfo, refusalOf, type PartialAnswer } from '../calls/index.js';
import { headerTextsIn, requestHeaders, styleOf, type UpstreamExchange } from './upstream-exchange.js';
import { ClientGone, clientIsGone } from './client-disconnect.js';
import { CollectedBody } from './collected-body.js';
import { abandonedBody } from './drain-body.js';
import { errorPlace } from './error-place.js';
import { HeldReply } from './held-reply.js';
import { judgedEnd } from './judged-end.js';
import { headersForClient } from './proxy-headers.js';
import { StreamFailures } from './stream-failures.js';
import { framedWire } from './framed-wire.js';
import { EventTail, FrameTail } from './stream-tail.js';
import { inTransit, KEEP_ALIVE_MS, keepAliveFor, whenClosed } from './stream-to-client.js';
import { leavable } from './unpacked-pieces.js';
import { upstreamError, type UpstreamAnswer } from './upstream-client.js';

/** Ends the line and the event that were begun. */
const EVENT_END = '\n\n';

/** Sends event streams to the client: held until they are judged, or unchanged if no rule can change them. */
@Injectable()
export class StreamRelay {
  constructor(
    @Inject(APP_CONFIG) private readonly config: AppConfig,
    @Inject(StreamFailures) private readonly log: StreamFailures,
  ) {}

  /** Sends no byte before the verdict on the whole answer. @throws ClientGone */
  async held(exchange: UpstreamExchange): Promise<void> {
    const { record, answer, reply, inHeaders } = exchange;
    const { call } = record;
    const early = { ...headersForClient(answer.headers, true, inHeaders?.removed), ...requestHeaders(exchange) };
    const held = new HeldReply(reply, styleOf(exchange), early, KEEP_ALIVE_MS, errorPlace(exchange));
    try {
      const body = await this.readAll(exchange);
      const { status } = answer;
      const received = receivedAnswer(exchange, body);
      const judged = judgedEnd(await record.complete({ ...received, enforceable: true }, { status }));
      const { judgement, texts, eventId, canned, removedHeaders } = judged;
      if (refuses(judgement.action)) {
        const refusal = refusalOf(judgement, eventId, canned);
        await held.refuse(refusal, errorInfo(call.requestId, refusal), judged.headers);
        return;
      }
      // A held stream may have begun already, in which case it has no content coding.
      const edits = withRestored(texts.call.segments, call.judgement.restorable, judgement.edits);
      const changed = edits.length > 0 || answer.headers['content-encoding'] !== undefined;
      const headers = { ...headersForClient(answer.headers, changed, removedHeaders), ...judged.headers };
      await held.release(headers, changed ? await texts.edited(edits) : body);
    } catch (error) {
      if (error instanceof ClientGone) {
        held.abandon();
        throw error;
      }
      const refusal = this.log.logged(error, call.requestId);
      await held.refuse(refusal, errorInfo(call.requestId, refusal, call.eventId), requestHeaders(exchange));
    }
  }

  /**
   * Forwards every chunk at once, as fast as the client reads, and the end once the answer is recorded. A compressed stream gets no
   * keep-alive events, and its connection is closed if it breaks off. So is the connection of a stream that breaks off within a binary
   * frame; an event that breaks off is ended before the error is sent.
   */
  async passing(exchange: UpstreamExchange): Promise<void> {
    const { record, answer, reply, signal, inHeaders } = exchange;
    const { requestId, eventId } = record.call;
    const style = styleOf(exchange);
    const { log } = this;
    const framed = framedWire(exchange);
    // The client unpacks the provider's bytes, so frames of Weir's own between them could not be read.
    const isCompressed = isCoded(answer);
    const collected = new CollectedBody(this.config.proxy.answerLimitBytes);
    const sent = framed === undefined ? new EventTail() : new FrameTail();
    const abandoned = async (): Promise<void> => {
      const left = async () => {
        const drained = await abandonedBody(exchange, collected);
        return { ...receivedAnswer(exchange, collected), drained };
      };
      await record.abandon(left).catch((error: unknown) => void log.logged(error, requestId));
    };
    const body = async function* (): AsyncGenerator<Buffer> {
      try {
        for await (const chunk of leavable(answer.body)) {
          collected.add(chunk);
          sent.add(chunk);
          yield chunk;
        }
        await record.complete({ ...receivedAnswer(exchange, collected), enforceable: false });
      } catch (error) {
        if (record.hasEnded) throw error;
        if (clientIsGone(signal)) return;
        const refusal = log.logged(upstreamError(signal.aborted ? signal.reason : error), requestId);
        const place = errorPlace(exchange, collected);
        await record.fail({ reason: refusal.type, ...partialAnswerOf(exchange, collected) });
        const isWithin = !sent.isBetweenEvents;
        if (isCompressed || (isWithin && framed !== undefined)) throw refusal;
        const last = dialectErrorFrame(style, refusal, errorInfo(requestId, refusal, eventId), place);
        yield framed?.refusal(refusal) ?? Buffer.from(isWithin ? EVENT_END + last : last);
      } finally {
        await abandoned();
      }
    };
    const headers = { ...headersForClient(answer.headers, false, inHeaders?.removed), ...requestHeaders(exchange) };
    const keepAlive = framed === undefined && !isCompressed ? keepAliveFor(style, reply) : undefined;
    await reply
      .code(answer.status)
      .headers(headers)
      .send(whenClosed(inTransit(body(), keepAlive), abandoned));
  }

  private async readAll(exchange: UpstreamExchange): Promise<Buffer> {
    const { record, answer, signal } = exchange;
    const collected = new CollectedBody(this.config.proxy.answerLimitBytes);
    try {
      return await collected.readAll(answer.body);
    } catch (error) {
      if (clientIsGone(signal)) {
        await record.abandon(() => receivedAnswer(exchange, collected));
        throw new ClientGone();
      }
      const failure = upstreamError(signal.aborted ? signal.reason : error);
      await record.fail({ reason: failure.type, ...partialAnswerOf(exchange, collected) });
      throw failure;
    }
  }
}

function receivedAnswer(exchange: UpstreamExchange, body: Buffer | CollectedBody) {
  const { status, headers } = exchange.answer;
  const { 'content-type': contentType, 'content-encoding': coding } = headers;
  return { status, contentType, coding, body, ...headerTextsIn(exchange) };
}

/** The part of a stream that was received before it broke off; only the status if the stream is compressed. */
function partialAnswerOf({ answer }: UpstreamExchange, collected: CollectedBody): PartialAnswer {
  const contentType = answer.headers['content-type'];
  return { status: answer.status, ...(isCoded(answer) ? {} : { seen: { contentType, body: collected } }) };
}

/** Whether a body has a content coding (RFC 9110, section 8.4) that changes its bytes. */
function isCoded({ headers }: UpstreamAnswer): boolean {
  const coding = headers['content-encoding']?.trim().toLowerCase() ?? '';
  return coding !== '' && coding !== 'identity';
}
