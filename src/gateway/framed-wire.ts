import { dialectError, errorInfo, exceptionFrame, FramedEvents, isFramed, UnreadableBody } from '../calls/index.js';
import type { WeirError } from '../http/index.js';
import type { UpstreamExchange } from './upstream-exchange.js';

/** A stream of events in binary frames: its bytes as the text of an event stream, and back. It has no keep-alive events. */
export interface FramedWire {
  /** The text that these bytes complete. @throws UnreadableBody */
  text(bytes: Buffer): string;
  /** Whole events of that text, some of them changed, as they leave. */
  bytes(text: string): Buffer;
  /** What a stream that has begun ends with when it is refused. */
  refusal(error: WeirError): Buffer;
}

/** The frames of an answer; undefined for one that does not come in frames. */
export function framedWire({ answer, record }: UpstreamExchange): FramedWire | undefined {
  if (!isFramed(answer.headers['content-type'])) return undefined;
  const { requestId, target, policy } = record.call;
  const { unread } = policy.policy;
  const refusesUnread = (target.governed ? unread.governed : unread.other) === 'refuse';
  const events = new FramedEvents(() => {
    if (refusesUnread) throw new UnreadableBody('must be events that can be read');
  });
  return {
    text: (bytes) => events.push(bytes),
    bytes: (text) => events.bytes(text),
    refusal: (error) => {
      const { message } = error;
      return exceptionFrame({
        message,
        ...dialectError(target.provider.style, error, errorInfo(requestId, error)),
      });
    },
  };
}
