import { dialectError, errorInfo, exceptionFrame, FramedEvents, isFramed, UnreadableBody } from '../calls/index.js';
import { Utf8Pieces, utf8Bytes } from '../contents/index.js';
import { providerOfStyle } from '../core/index.js';
import type { WeirError } from '../http/index.js';
import { refusalInStream } from './held-reply.js';
import type { UpstreamExchange } from './upstream-exchange.js';

/** How a stream of events stands on the wire: bytes as the text of an event stream, and back. */
export interface StreamWire {
  /** The text that these bytes complete. @throws UnreadableBody */
  text(bytes: Buffer): string;
  /** What is left of it when nothing follows. */
  end(): string;
  /** Whole events of that text, some of them changed, as they leave. */
  bytes(text: string): Buffer;
  /** What keeps a silent stream alive; undefined where nothing can. */
  readonly keepAlive: string | undefined;
  /** What a stream that has begun ends with when it is refused. */
  refusal(error: WeirError): Buffer;
}

/** The wire of an answer, by its content type. */
export function wireOf(exchange: UpstreamExchange): StreamWire {
  const { answer, record } = exchange;
  const { requestId, target, policy } = record.call;
  const { style } = target.provider;
  if (!isFramed(answer.headers['content-type'])) {
    const utf8 = new Utf8Pieces();
    return {
      text: (bytes) => utf8.push(bytes),
      end: () => utf8.end(),
      bytes: utf8Bytes,
      keepAlive: providerOfStyle(style).keepAlive,
      refusal: (error) => Buffer.from(refusalInStream(style, error, errorInfo(requestId, error))),
    };
  }
  const { unread } = policy.policy;
  const refusesUnread = (target.governed ? unread.governed : unread.other) === 'refuse';
  const events = new FramedEvents(() => {
    if (refusesUnread) throw new UnreadableBody('must be events that can be read');
  });
  return {
    text: (bytes) => events.push(bytes),
    end: () => '',
    bytes: (text) => events.bytes(text),
    keepAlive: undefined,
    refusal: (error) => {
      const { message } = error;
      return exceptionFrame({ message, ...dialectError(style, error, errorInfo(requestId, error)) });
    },
  };
}
