import { dialectError, errorInfo, exceptionFrame, FramedEvents, isFramed, UnreadableBody } from '../calls/index.js';
import type { WeirError } from '../http/index.js';
import { styleOf, type UpstreamExchange } from './upstream-exchange.js';

/**
 * Converts a stream of binary frames into the text of an event stream, and back. Such a stream has no keep-alive
 * events.
 */
export interface FramedWire {
  /** The text of the frames that these bytes complete. @throws UnreadableBody */
  text(bytes: Buffer): string;
  /** The frames for complete events of such a text, some of which may have been changed. */
  bytes(text: string): Buffer;
  /** The frame that ends a stream which is refused after it has begun. */
  refusal(error: WeirError): Buffer;
}

/** The frame converter for an answer; undefined for an answer without frames. */
export function framedWire(exchange: UpstreamExchange): FramedWire | undefined {
  const { answer, record } = exchange;
  if (!isFramed(answer.headers['content-type'])) return undefined;
  const { requestId, eventId, target, policy } = record.call;
  const { unread } = policy.policy;
  const refusesUnread = (target.governed ? unread.governed : unread.other) === 'refuse';
  const events = new FramedEvents(() => {
    if (refusesUnread) throw new UnreadableBody('must be readable events');
  });
  return {
    text: (bytes) => events.push(bytes),
    bytes: (text) => events.bytes(text),
    refusal: (error) => {
      const { message } = error;
      return exceptionFrame({
        message,
        ...dialectError(styleOf(exchange), error, errorInfo(requestId, error, eventId)),
      });
    },
  };
}
