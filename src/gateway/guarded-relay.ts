import type { Readable } from 'node:stream';
import { Inject, Injectable } from '@nestjs/common';
import { APP_CONFIG, type AppConfig } from '../config/index.js';
import {
  StreamOrderError,
  withRestored,
  type AnswerPlan,
  type FramePlace,
  type GuardedStream,
  type GuardStep,
  refuses,
} from '../core/index.js';
import { WeirError } from '../http/index.js';
import { afterOthers, JudgementService, runCooperatively } from '../judgement/index.js';
import {
  answerLimits,
  callContext,
  CallSessions,
  type DialectErrorInfo,
  errorInfo,
  FileWatch,
  isUnreadable,
  type JudgedAnswer,
  looksLikeStream,
  refusalOf,
  requireReadableStream,
  type PartialAnswer,
  UnreadableAnswer,
} from '../calls/index.js';
import { headerTextsIn, requestHeaders, styleOf, type UpstreamExchange } from './upstream-exchange.js';
import { ClientGone, clientIsGone } from './client-disconnect.js';
import { answerTooLarge, CollectedBody } from './collected-body.js';
import { abandonedBody } from './drain-body.js';
import { errorPlace } from './error-place.js';
import { framedWire, type FramedWire } from './framed-wire.js';
import { refusalInStream, sendDialectError } from './held-reply.js';
import { judgedEnd } from './judged-end.js';
import { headersForClient } from './proxy-headers.js';
import { StreamFailures } from './stream-failures.js';
import { inTransit, KEEP_ALIVE_MS, keepAliveFor, withSilenceTimeout, whenClosed } from './stream-to-client.js';
import { mapChunks, UnpackedPieces } from './unpacked-pieces.js';
import { isErrorOf, upstreamError } from './upstream-client.js';
import { Utf8Pieces, utf8Bytes } from '../contents/index.js';

const NOTHING = Buffer.alloc(0);
/**
 * Judging this much of a stream at once would delay other calls, so a piece of this size waits until pieces in progress
 * are done.
 */
const LARGE_PIECE_BYTES = 16 * 1_024;

/** Thrown when the stream has to end with an error instead of the held events. */
class StreamRefused extends Error {
  override readonly name = 'StreamRefused';

  constructor(
    readonly refusal: WeirError,
    readonly headers: Readonly<Record<string, string>>,
    readonly place: FramePlace,
  ) {
    super(refusal.message);
  }
}

/**
 * Forwards event streams while they are judged: text that no rule can change any more is forwarded at once, and the end
 * of the stream once the answer is in the log.
 */
@Injectable()
export class GuardedRelay {
  constructor(
    @Inject(APP_CONFIG) private readonly config: AppConfig,
    @Inject(JudgementService) private readonly judging: JudgementService,
    @Inject(StreamFailures) private readonly log: StreamFailures,
    @Inject(CallSessions) private readonly sessions: CallSessions,
  ) {}

  /**
   * Relays a stream while it is judged. Until the first byte is sent, a refusal is an ordinary error answer; afterwards it is an error
   * inside the stream.
   * @throws ClientGone
   */
  async relay(exchange: UpstreamExchange, plan: AnswerPlan): Promise<void> {
    const { record, answer, reply } = exchange;
    const { call } = record;
    const style = styleOf(exchange);
    const infoOf = (refusal: WeirError): DialectErrorInfo => errorInfo(call.requestId, refusal, call.eventId);
    const framed = framedWire(exchange);
    const output = this.output(exchange, plan, framed);
    let first: Promise<IteratorResult<Buffer, undefined>> | undefined = output.next();
    try {
      await withSilenceTimeout(first, KEEP_ALIVE_MS);
    } catch (error) {
      if (!(error instanceof StreamRefused)) throw error;
      await sendDialectError(reply, style, error.refusal, infoOf(error.refusal), error.headers);
      return;
    }
    const lastWords = (error: unknown): IteratorResult<Buffer, undefined> => {
      if (error instanceof ClientGone) return { done: true, value: undefined };
      if (!(error instanceof StreamRefused)) throw error;
      const { refusal, place } = error;
      const ended = framed?.refusal(refusal) ?? refusalInStream(style, refusal, infoOf(refusal), place);
      return { done: false, value: Buffer.from(ended) };
    };
    const frames: AsyncIterableIterator<Buffer, undefined> = {
      [Symbol.asyncIterator]: () => frames,
      next: () => {
        const next = first ?? output.next();
        // The promise would keep its value alive for the whole stream.
        first = undefined;
        return next.catch(lastWords);
      },
      return: () => output.return(undefined),
    };
    const keepAlive = framed === undefined ? keepAliveFor(style, reply) : undefined;
    await reply
      .code(answer.status)
      .headers({ ...headersForClient(answer.headers, true, exchange.inHeaders?.removed), ...requestHeaders(exchange) })
      .send(whenClosed(inTransit(frames, keepAlive), () => output.return(undefined)));
  }

  /** @throws StreamRefused, ClientGone */
  private async *output(
    exchange: UpstreamExchange,
    plan: AnswerPlan,
    framed: FramedWire | undefined,
  ): AsyncGenerator<Buffer, undefined> {
    const { record, answer, signal } = exchange;
    const { call } = record;
    const collected = new CollectedBody(this.config.proxy.answerLimitBytes);
    const pieces = new UnpackedPieces(answer.body, answer.headers['content-encoding'], answerLimits(this.config));
    try {
      requireReadableStream(answer.headers['content-type']);
      const session = await this.sessions.open({ ...call, context: callContext(call) });
      const guard = await this.judging.guard({
        policy: call.policy,
        plan,
        accountId: call.caller.accountId,
        context: callContext(call),
        ledger: call.ledger,
        ...(session === undefined ? {} : { session: session.history }),
        dialect: call.target.dialect,
        request: { call: call.request, judgement: call.judgement },
      });
      const guarded = new GuardedBytes(guard, framed);
      // A document and the bytes after it are held until the document has been read with the whole answer.
      const waiting: Buffer[] = [];
      let begun = false;
      const leaving = mapChunks(pieces.read(), async (chunk) => {
        if (!collected.add(chunk)) throw answerTooLarge();
        if (chunk.length >= LARGE_PIECE_BYTES) await afterOthers();
        const bytes = await guarded.push(chunk);
        if (!guarded.holdsFile) {
          begun ||= bytes.length > 0;
          return { bytes, isLast: guarded.blocked };
        }
        waiting.push(bytes);
        return { bytes: NOTHING, isLast: guarded.blocked };
      });
      // Not `yield*`, which costs additional promises for each chunk; many providers send one event per chunk.
      for await (const bytes of leaving) yield bytes;
      const rest = await guarded.end();
      pieces.destroy();
      const judged = await this.judged(exchange, collected, { blocked: guarded.blocked, begun });
      const last = guarded.isStream
        ? Buffer.concat([...waiting, rest])
        : await wholeBody(exchange, judged, collected.bytes);
      if (last.length > 0) yield last;
    } catch (error) {
      if (error instanceof StreamRefused) throw error;
      if (!record.hasEnded && clientIsGone(signal)) {
        await this.abandoned(exchange, collected, pieces);
        throw new ClientGone();
      }
      throw await this.failed(exchange, error, collected);
    } finally {
      await this.abandoned(exchange, collected, pieces);
      pieces.destroy();
    }
  }

  /** Judges and records the whole answer. @throws StreamRefused when the verdict is a refusal */
  private async judged(
    exchange: UpstreamExchange,
    body: CollectedBody,
    { blocked, begun }: { readonly blocked: boolean; readonly begun: boolean },
  ): Promise<JudgedAnswer> {
    const received = { ...receivedAnswer(exchange, body), enforceable: true, begun };
    const judged = judgedEnd(await exchange.record.complete(received, partialAnswerOf(exchange, body)));
    const { judgement, eventId, headers, canned } = judged;
    if (refuses(judgement.action))
      throw new StreamRefused(refusalOf(judgement, eventId, canned), headers, errorPlace(exchange, body));
    if (blocked) throw new WeirError('guardrail_unavailable', { retryAfterSeconds: 1 });
    return judged;
  }

  /** Records the end of the call, unless it is already recorded, and returns the error for a stream that broke off or cannot be read. */
  private async failed(exchange: UpstreamExchange, error: unknown, body: CollectedBody): Promise<StreamRefused> {
    const { record, answer, signal } = exchange;
    const { requestId } = record.call;
    const failure: unknown = signal.aborted ? signal.reason : readable(error, answer.body);
    const refusal = this.log.logged(failure, requestId);
    const headers = requestHeaders(exchange);
    const place = errorPlace(exchange, body);
    return record.fail({ reason: refusal.type, ...partialAnswerOf(exchange, body) }).then(
      () => new StreamRefused(refusal, headers, place),
      (failure: unknown) => new StreamRefused(this.log.logged(failure, requestId), headers, place),
    );
  }

  /**
   * Ends the call because the client has disconnected, unless the call has ended before. An unavailable log cannot be reported
   * to the client.
   */
  private async abandoned(exchange: UpstreamExchange, collected: CollectedBody, pieces: UnpackedPieces): Promise<void> {
    const { record } = exchange;
    await record
      .abandon(async () => {
        const drained = await abandonedBody(exchange, collected, () => pieces.read());
        return { ...receivedAnswer(exchange, collected), drained };
      })
      .catch((error: unknown) => void this.log.logged(error, record.call.requestId));
  }
}

/** @param body without its content coding */
function receivedAnswer(exchange: UpstreamExchange, body: CollectedBody) {
  const { status, headers } = exchange.answer;
  return { status, contentType: headers['content-type'], coding: undefined, body, ...headerTextsIn(exchange) };
}

function partialAnswerOf({ answer }: UpstreamExchange, body: CollectedBody): PartialAnswer {
  return { status: answer.status, seen: { contentType: answer.headers['content-type'], body } };
}

/** A guarded stream over bytes. A body that does not look like an event stream is held until it is complete. */
class GuardedBytes {
  blocked = false;
  /** Whether the body looks like an event stream; undefined until enough bytes have arrived. */
  isStream: boolean | undefined;
  /** Whether a document has arrived that has not been opened yet. */
  holdsFile = false;
  private readonly files = new FileWatch();
  private readonly utf8 = new Utf8Pieces();
  private beginning = '';

  constructor(
    private readonly guard: GuardedStream,
    private readonly framed: FramedWire | undefined,
  ) {}

  push(chunk: Buffer): Promise<Buffer> {
    return this.take(this.framed?.text(chunk) ?? this.utf8.push(chunk));
  }

  async end(): Promise<Buffer> {
    const last = await this.take(this.utf8.end(), true);
    if (this.isStream !== true || this.blocked) return last;
    const step = await this.guard.end();
    this.blocked = step.blocked;
    if (step.files.length > 0) await this.noteFiles(step);
    return Buffer.concat([last, this.bytes(step.text)]);
  }

  private async take(piece: string, isLast = false): Promise<Buffer> {
    let text = piece;
    if (this.isStream === undefined) {
      this.beginning += piece;
      this.isStream = looksLikeStream(this.beginning, isLast);
      text = this.beginning;
    }
    if (this.isStream !== true || text === '') return NOTHING;
    const step = await this.guard.push(text);
    this.blocked = step.blocked;
    if (step.files.length > 0) await this.noteFiles(step);
    return this.bytes(step.text);
  }

  private async noteFiles({ files }: GuardStep): Promise<void> {
    if (!this.holdsFile) this.holdsFile = await runCooperatively(this.files.seeing(files));
  }

  private bytes(text: string): Buffer {
    return this.framed?.bytes(text) ?? utf8Bytes(text);
  }
}

/** The body of an answer that is not an event stream, whatever its content type: it is judged and forwarded as a whole. */
async function wholeBody(
  { record: { call } }: UpstreamExchange,
  { texts, judgement }: JudgedAnswer,
  body: Buffer,
): Promise<Buffer> {
  const edits = withRestored(texts.call.segments, call.judgement.restorable, judgement.edits);
  return edits.length === 0 ? body : texts.edited(edits);
}

/** The error to report to the client: only an error of the provider's connection is reported as the provider's error. */
function readable(error: unknown, body: Readable): unknown {
  if (isUnreadable(error) || error instanceof StreamOrderError) return new UnreadableAnswer(error);
  return isErrorOf(body, error) ? upstreamError(error) : error;
}
