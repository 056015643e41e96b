import type { FramePlace } from '../core/index.js';
import type { CollectedBody } from './collected-body.js';
import type { UpstreamExchange } from './upstream-exchange.js';

/** The number of an event of a response. It has few digits; longer ones are no number that a client could count on. */
const EVENT_NUMBER = /"sequence_number":\s*(\d{1,9})(?!\d)/g;

/** The place of an error at the end of a stream. @param received the provider's part of the stream; absent if the client got nothing of it */
export function errorPlace({ record }: Pick<UpstreamExchange, 'record'>, received?: CollectedBody): FramePlace {
  return { path: record.call.target.path, number: received === undefined ? 0 : nextNumber(received) };
}

/** One more than the number of the last numbered event. A number higher than that of an event which was not sent is also right. */
function nextNumber(received: CollectedBody): number {
  const last = [...received.lastBytes.toString('latin1').matchAll(EVENT_NUMBER)].at(-1)?.[1];
  return last === undefined ? 0 : Number(last) + 1;
}
