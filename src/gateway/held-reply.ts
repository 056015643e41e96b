import {
  dialectAnswer,
  dialectErrorFrame,
  isEventStream,
  requestIdHeaders,
  type DialectErrorInfo,
} from '../calls/index.js';
import { PassThrough } from 'node:stream';
import type { FastifyReply } from 'fastify';
import type { FramePlace, ProviderStyle } from '../core/index.js';
import type { WeirError } from '../http/index.js';
import { keepAliveFrame } from './stream-to-client.js';

type Headers = Readonly<Record<string, string | string[]>>;

/**
 * The answer to a client whose stream is held back until it is judged. After a fast verdict, nothing has been sent and
 * a refusal is an ordinary error answer. After a slow one, the stream has begun with keep-alive events and a refusal is
 * an error inside it. A client that gets no keep-alive events gets nothing before the verdict.
 */
export class HeldReply {
  private stream: PassThrough | undefined;
  private readonly timer: NodeJS.Timeout | undefined;

  /**
   * @param headers of the stream, in case it begins before the verdict
   * @param keepAliveMs time until the stream begins, and between two keep-alive events
   * @param place the place of an error in the stream
   */
  constructor(
    private readonly reply: FastifyReply,
    private readonly style: ProviderStyle,
    private readonly headers: Headers,
    keepAliveMs: number,
    private readonly place: FramePlace,
  ) {
    const frame = keepAliveFrame(style, reply);
    if (frame !== undefined) this.timer = setInterval(() => this.keepAlive(frame), keepAliveMs);
  }

  /** Sends the judged body. */
  async release(headers: Headers, body: Buffer | string): Promise<void> {
    clearInterval(this.timer);
    if (this.stream === undefined) {
      await this.reply.code(200).headers(headers).send(body);
    } else {
      this.stream.end(body);
    }
  }

  /** Sends an error in the client's format instead, or the answer that a rule configures. */
  async refuse(error: WeirError, info: DialectErrorInfo, headers: Headers): Promise<void> {
    clearInterval(this.timer);
    if (this.stream === undefined) await sendDialectError(this.reply, this.style, error, info, headers);
    else this.stream.end(refusalInStream(this.style, error, info, this.place));
  }

  /** Stops sending, because the client has disconnected. */
  abandon(): void {
    clearInterval(this.timer);
    this.stream?.destroy();
  }

  private keepAlive(frame: string): void {
    if (this.stream === undefined) {
      this.stream = new PassThrough();
      void this.reply.code(200).headers(this.headers).send(this.stream);
    }
    this.stream.write(frame);
  }
}

/** A refusal in a stream of which only keep-alive events have been sent. */
export function refusalInStream(
  style: ProviderStyle,
  error: WeirError,
  info: DialectErrorInfo,
  place: FramePlace,
): string {
  const { canned } = error.options;
  return canned !== undefined && isEventStream(canned.contentType)
    ? canned.body
    : dialectErrorFrame(style, error, info, place);
}

/**
 * Sends an error in the client's format, with status and headers; or the answer that a rule configures, in which
 * case only the headers report the block.
 */
export async function sendDialectError(
  reply: FastifyReply,
  style: ProviderStyle,
  error: WeirError,
  info: DialectErrorInfo,
  headers: Headers = {},
): Promise<void> {
  const { canned } = error.options;
  if (canned !== undefined) {
    await reply
      .code(200)
      .headers({ ...headers, ...requestIdHeaders(style, info.requestId), 'content-type': canned.contentType })
      .send(canned.body);
    return;
  }
  const answer = dialectAnswer(style, error, info);
  await reply
    .code(answer.status)
    .headers({ ...headers, ...answer.headers })
    .send(answer.body);
}
